/// The argument of an interpreter that it reads as its language, where a link would be run.
///
/// Interpreters are told by name wherever they stand, for what stands before one may run it.
enum ScriptArgument {
  /// The letters of the options that take a script, by the name of the program without its version.
  private static let options: [String: String] = [
    "sh": "c", "bash": "c", "dash": "c", "zsh": "c", "ksh": "c", "fish": "c", "su": "c",
    "python": "c", "perl": "eE", "ruby": "e", "node": "ep", "lua": "e", "php": "r", "env": "S",
  ]
  private static let longOptions: Set<String> = [
    "--command", "--eval", "--print", "--split-string",
  ]
  /// Those whose script is always the next argument, and `env`, which puts what follows behind it.
  private static let shells: Set<String> = ["sh", "bash", "dash", "zsh", "ksh", "env"]

  private enum Place {
    case inOption
    case nextArgument
  }

  /// Finds links, or places where one would be put, in the scripts of a command line.
  static func check(_ words: [ExecWord]) throws(ExecLineError) {
    for (index, word) in words.enumerated() {
      let name = interpreter(word.literal)
      if let letters = options[name] {
        try check(words[(index + 1)...], of: name, letters, takesLink: !words.haveTarget)
      }
    }
  }

  /// The name of a program, without its directory and its version: `python` of `/usr/bin/python3.11`.
  static func interpreter(_ program: String) -> String {
    var name = fileName(program)[...]
    while let last = name.utf8.last, last == UInt8(ascii: ".") || isDigit(last) {
      name.removeLast()
    }
    return String(name)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// - Parameter takesLink: Whether the link is put at the end.
  private static func check(
    _ arguments: ArraySlice<ExecWord>, of interpreter: String, _ letters: String, takesLink: Bool
  ) throws(ExecLineError) {
    var isScriptNext = false
    var mayBeValue = false
    for word in arguments {
      let text = word.literal
      let isOption = text.hasPrefix("-") || text.hasPrefix("+")
      let place = isOption ? script(of: text, of: interpreter, letters) : nil
      if place == .nextArgument { isScriptNext = true }
      if isScriptNext || place == .inOption, let code = word.codes.first(where: \.isTarget) {
        throw .misplacedCode(code.description)
      }
      // Behind the script, or without one behind the file that has it, are arguments of the script.
      if !isOption, isScriptNext || !mayBeValue { return }
      mayBeValue = isOption
    }
    if isScriptNext, takesLink { throw .scriptMissing(interpreter) }
  }

  /// Where the script of an option stands, if it takes one.
  private static func script(
    of option: String, of interpreter: String, _ letters: String
  ) -> Place? {
    guard !option.hasPrefix("--") else {
      guard longOptions.contains(String(option.prefix { $0 != "=" })) else { return nil }
      return option.contains("=") ? .inOption : .nextArgument
    }
    guard option.hasPrefix("-"), let letter = option.firstIndex(where: letters.contains) else {
      return nil
    }
    let isLast = option.index(after: letter) == option.endIndex
    return isLast || shells.contains(interpreter) ? .nextArgument : .inOption
  }
}

extension [ExecWord] {
  fileprivate var haveTarget: Bool { contains { $0.codes.contains(where: \.isTarget) } }
}
