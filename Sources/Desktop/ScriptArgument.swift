/// The argument of an interpreter that it reads as its language, where a link would be run.
///
/// Interpreters are told by name wherever they stand, for what stands before one may run it.
enum ScriptArgument {
  /// Finds links, or places where one would be put, in the scripts of a command line.
  static func check(_ words: [ExecWord]) throws(ExecLineError) {
    try check(words, isSplit: false)
  }

  /// - Parameter isSplit: Whether they were one argument of `env`.
  fileprivate static func check(_ words: [ExecWord], isSplit: Bool) throws(ExecLineError) {
    for (index, word) in words.enumerated() {
      guard let interpreter = Interpreter(word.literal) else { continue }
      var arguments = InterpreterArguments(interpreter, words[(index + 1)...], isSplit: isSplit)
      try arguments.check()
      if arguments.lacksScript, !words.contains(where: \.isLink) {
        throw .scriptMissing(Interpreter.name(word.literal))
      }
    }
  }
}

/// What follows an interpreter.
private struct InterpreterArguments {
  private let interpreter: Interpreter
  private let isSplit: Bool
  private var rest: ArraySlice<ExecWord>
  /// Whether a script is still to come.
  private(set) var lacksScript = false
  private var areOptionsOver = false

  init(_ interpreter: Interpreter, _ arguments: ArraySlice<ExecWord>, isSplit: Bool) {
    self.interpreter = interpreter
    self.isSplit = isSplit
    rest = arguments
  }

  /// Reads as far as the interpreter reads options itself.
  mutating func check() throws(ExecLineError) {
    /// What follows an option that is not known may be its value.
    var mayBeValue = false
    while let word = rest.popFirst() {
      let text = Array(word.literal.utf8)
      if lacksScript { try word.refuseLink() }
      guard !areOptionsOver, text.first.map(isMark) ?? false else {
        if lacksScript {
          lacksScript = false
          return
        }
        guard mayBeValue || interpreter.script == .valueAnywhere else { return }
        mayBeValue = false
        continue
      }
      mayBeValue = false
      switch text {
      case Array("--".utf8): areOptionsOver = true
      case _ where text.starts(with: "--".utf8): mayBeValue = try takeLongOption(word)
      default: if try takeLetters(of: word, text) { return }
      }
    }
  }

  private func isMark(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") && interpreter.script == .operand
  }

  /// Returns whether the next argument may be its value.
  private mutating func takeLongOption(_ word: ExecWord) throws(ExecLineError) -> Bool {
    let name = String(Substring(word.literal.utf8.prefix { $0 != UInt8(ascii: "=") }))
    let hasValue = name.utf8.count < word.literal.utf8.count
    if Interpreter.longOptions.contains(name) {
      try takeScript(hasValue ? word : nil, from: name.utf8.count + 1)
      return false
    }
    return !hasValue && interpreter.valuedLong?.contains(name) ?? true
  }

  /// Returns whether everything behind it is the program's that runs.
  private mutating func takeLetters(
    of word: ExecWord, _ text: [UInt8]
  ) throws(ExecLineError) -> Bool {
    let letters = text.dropFirst()
    guard interpreter.script != .operand else {
      if letters.contains(where: interpreter.letters.contains) {
        lacksScript = true
        try word.refuseLink()
      }
      rest = rest.dropFirst(letters.count(where: interpreter.valued.contains))
      return false
    }
    for (index, letter) in zip(letters.indices, letters) {
      let hasValue = index + 1 < letters.endIndex
      if interpreter.letters.contains(letter) {
        try word.refuseLink()
        try takeScript(hasValue && interpreter.script != .next ? word : nil, from: index + 1)
      } else if interpreter.valued.contains(letter) {
        if !hasValue { rest = rest.dropFirst() }
      } else {
        continue
      }
      return interpreter.last.contains(letter)
    }
    return false
  }

  /// - Parameters:
  ///   - word: The argument that the script is the end of; `nil` if it is the next one.
  ///   - start: Where it begins there, in bytes.
  private mutating func takeScript(_ word: ExecWord?, from start: Int) throws(ExecLineError) {
    let isAttached = word != nil
    guard let word = word ?? rest.popFirst() else {
      lacksScript = true
      return
    }
    try word.refuseLink()
    guard interpreter.script == .commandLine else { return }
    let line = word.literal.utf8.dropFirst(isAttached ? start : 0)
    defer { rest = [] }
    // It may stand for anything: variables are put in, and it may be split again.
    guard !isSplit, !line.contains(UInt8(ascii: "$")), !line.contains(UInt8(ascii: "\\")) else {
      for word in rest { try word.refuseLink() }
      lacksScript = true
      return
    }
    let escaped = line.flatMap { $0 == UInt8(ascii: "%") ? [$0, $0] : [$0] }
    let words = try ExecWord.parse("env \(String(decoding: escaped, as: UTF8.self))")
    try ScriptArgument.check(words + rest, isSplit: true)
  }
}

extension ExecWord {
  fileprivate var isLink: Bool { codes.contains(where: \.isTarget) }

  fileprivate func refuseLink() throws(ExecLineError) {
    if let code = codes.first(where: \.isTarget) { throw .misplacedCode(code.description) }
  }
}
