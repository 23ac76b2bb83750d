/// The arguments of a command, sorted into options and operands.
///
/// Options may stand anywhere, a value behind them or after `=`; `--` ends them.
struct Arguments: Equatable {
  private(set) var operands: [String] = []
  private var values: [Option: [String]] = [:]

  init(_ arguments: [String], for command: Command) throws(ToolError) {
    var rest = arguments[...]
    var areOptionsOver = false
    while let argument = rest.popFirst() {
      guard !areOptionsOver, argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        continue
      }
      if argument == "--" {
        areOptionsOver = true
        continue
      }
      // As bytes: to a String, = is none where the value begins with a combining character.
      let equals = argument.utf8.firstIndex(of: UInt8(ascii: "="))
      let name = String(argument[..<(equals ?? argument.endIndex)])
      guard let option = Option(rawValue: name), command.options.contains(option) else {
        throw ToolError(
          .usage,
          "\(name) is no option of \(command.rawValue); try \(Tool.name) help "
            + command.rawValue)
      }
      guard option.takesValue else {
        guard equals == nil else {
          throw ToolError(.usage, "\(option.rawValue) takes no value")
        }
        values[option, default: []].append("")
        continue
      }
      let attached = equals.map { String(argument[argument.utf8.index(after: $0)...]) }
      guard let value = attached ?? rest.popFirst() else {
        throw ToolError(.usage, "\(option.rawValue) needs a value")
      }
      values[option, default: []].append(value)
    }
  }

  /// Whether help is asked for; what follows an option that takes a value is that value.
  static func askForHelp(_ arguments: [String]) -> Bool {
    var rest = arguments[...]
    while let argument = rest.popFirst(), argument != "--" {
      if argument == "--help" || argument == "-h" { return true }
      if Option(rawValue: argument)?.takesValue == true { _ = rest.popFirst() }
    }
    return false
  }

  func has(_ option: Option) -> Bool { values[option] != nil }

  /// Every value given to an option, in order.
  func all(_ option: Option) -> [String] { values[option] ?? [] }

  /// The value of an option that may be given once.
  func value(_ option: Option) throws(ToolError) -> String? {
    let given = all(option)
    guard given.count <= 1 else { throw ToolError(.usage, "\(option.rawValue) is given twice") }
    return given.first
  }

  /// The only operand, or `nil` without any.
  func single(_ what: String) throws(ToolError) -> String? {
    guard operands.count <= 1 else {
      throw ToolError(.usage, "more than one \(what) is given")
    }
    return operands.first
  }
}
