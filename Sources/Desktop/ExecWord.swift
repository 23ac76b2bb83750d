/// One argument of an `Exec` line: text and field codes.
struct ExecWord: Hashable, Sendable {
  enum Piece: Hashable, Sendable {
    case text(String)
    case code(FieldCode)
  }

  enum FieldCode: Character, CustomStringConvertible {
    case file = "f"
    case files = "F"
    case url = "u"
    case urls = "U"
    case icon = "i"
    case name = "c"
    case location = "k"

    var isTarget: Bool { self != .icon && self != .name && self != .location }
    var description: String { "%\(rawValue)" }

    /// The codes of old versions of the specification, which stand for nothing.
    static let removed = Set("dDnNvm".utf8)
  }

  private(set) var pieces: [Piece] = []
  private var isQuoted = false

  var codes: [FieldCode] {
    pieces.compactMap { if case .code(let code) = $0 { code } else { nil } }
  }

  /// The field code, if the word is nothing else.
  var soleCode: FieldCode? { pieces.count == 1 ? codes.first : nil }

  /// The word with its field codes as they are written.
  var literal: String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .code(let code): code.description
      }
    }.joined()
  }

  func expanded(url: String, _ entry: DesktopEntry) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .code(.name): entry.name
      case .code(.location): entry.path
      case .code: url
      }
    }.joined()
  }
}

extension ExecWord {
  static func parse(_ value: String) throws(ExecLineError) -> [ExecWord] {
    var words: [ExecWord] = []
    var parser = ExecParser(value)
    while let word = try parser.next() { words.append(word) }
    return words
  }

  static func first(of value: String) throws(ExecLineError) -> ExecWord? {
    var parser = ExecParser(value)
    return try parser.next()
  }

  fileprivate mutating func finish(text: inout [UInt8]) {
    if !text.isEmpty { pieces.append(.text(String(decoding: text, as: UTF8.self))) }
    text = []
  }

  fileprivate mutating func append(code: FieldCode) { pieces.append(.code(code)) }
  fileprivate mutating func markQuoted() { isQuoted = true }

  /// Whether there is an argument at all: `""` is one, a removed code alone is none.
  fileprivate var isArgument: Bool { !pieces.isEmpty || isQuoted }

  /// In a quoted argument such as a script, something else than we may read the URL as its language.
  fileprivate func checkCodes() throws(ExecLineError) {
    for code in codes where pieces.count > 1 {
      switch code {
      case .urls, .files, .icon: throw .misplacedCode(code.description)
      case .url where isQuoted, .file where isQuoted: throw .misplacedCode(code.description)
      case .url, .file, .name, .location: break
      }
    }
  }
}

/// Cuts a value into words and resolves quotes and their escapes on the way.
private struct ExecParser {
  private var rest: Substring.UTF8View

  init(_ value: String) {
    rest = value[...].utf8
  }

  mutating func next() throws(ExecLineError) -> ExecWord? {
    while true {
      while let byte = rest.first, Self.isSeparator(byte) { rest.removeFirst() }
      guard !rest.isEmpty else { return nil }
      let word = try nextWord()
      if word.isArgument { return word }
    }
  }

  private mutating func nextWord() throws(ExecLineError) -> ExecWord {
    var word = ExecWord()
    var text: [UInt8] = []
    var quote: UInt8?
    while let byte = rest.popFirst() {
      switch (byte, quote) {
      case (UInt8(ascii: "%"), _):
        try takeCode(into: &word, &text)
      case (UInt8(ascii: "\""), nil), (UInt8(ascii: "'"), nil):
        quote = byte
        word.markQuoted()
      case (_, .some(byte)):
        quote = nil
      case (UInt8(ascii: "\\"), nil):
        // Unquoted, it quotes whatever follows.
        if let escaped = rest.popFirst() { text.append(escaped) }
      case (UInt8(ascii: "\\"), .some(UInt8(ascii: "\""))):
        if let escaped = rest.first, Self.isEscapable(escaped) {
          text.append(escaped)
          rest.removeFirst()
        } else {
          text.append(byte)
        }
      case (_, nil) where Self.isSeparator(byte):
        word.finish(text: &text)
        try word.checkCodes()
        return word
      default:
        text.append(byte)
      }
    }
    guard quote == nil else { throw .unbalancedQuote }
    word.finish(text: &text)
    try word.checkCodes()
    return word
  }

  private mutating func takeCode(
    into word: inout ExecWord, _ text: inout [UInt8]
  ) throws(ExecLineError) {
    guard let byte = rest.popFirst() else { throw .unknownCode("%") }
    if byte == UInt8(ascii: "%") {
      text.append(byte)
    } else if let code = ExecWord.FieldCode(rawValue: Character(Unicode.Scalar(byte))) {
      word.finish(text: &text)
      word.append(code: code)
    } else if !ExecWord.FieldCode.removed.contains(byte) {
      throw .unknownCode("%\(Character(Unicode.Scalar(byte)))")
    }
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\n")
  }

  /// What a backslash escapes between double quotes.
  private static func isEscapable(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "`"), UInt8(ascii: "$"), UInt8(ascii: "\\"): true
    default: false
    }
  }
}
