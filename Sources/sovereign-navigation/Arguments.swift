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
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let option = Option(rawValue: String(parts[0])), command.options.contains(option) else {
        throw ToolError(
          .usage,
          "\(parts[0]) is no option of \(command.rawValue); try \(Tool.name) help "
            + command.rawValue)
      }
      guard option.takesValue else {
        guard parts.count == 1 else {
          throw ToolError(.usage, "\(option.rawValue) takes no value")
        }
        values[option, default: []].append("")
        continue
      }
      guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
        throw ToolError(.usage, "\(option.rawValue) needs a value")
      }
      values[option, default: []].append(value)
    }
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
