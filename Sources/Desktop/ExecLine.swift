/// The command line of a desktop entry.
///
/// Source: Desktop Entry Specification 1.5, "The Exec key". The value is unquoted first and expanded
/// afterwards; what a field code expands to is never looked at again, and no shell is involved.
package struct ExecLine: Hashable, Sendable {
  /// Which URLs the program takes.
  package enum Targets: Hashable, Sendable {
    /// No field code: none, unless one is appended.
    case none
    /// `%u`
    case oneURL
    /// `%U`
    case manyURLs
    /// `%f` or `%F`: local files only.
    case files
  }

  private enum Piece: Hashable {
    case text(String)
    case code(Character)
  }

  /// Each argument, as the pieces it consists of.
  private let words: [[Piece]]
  package let targets: Targets
  /// The arguments before expansion, as they were between blanks and quotes.
  package let literalWords: [String]

  /// Reads the value of `Exec`, whose string escapes are resolved already.
  package init(_ value: String) throws(ExecLineError) {
    let tokens = try Self.tokenize(value)
    guard let program = tokens.first?.text, !program.isEmpty else { throw .empty }
    guard !program.contains("=") else { throw .assignmentAsProgram(program) }

    var words: [[Piece]] = []
    var targets: Targets?
    for token in tokens {
      let pieces = try Self.pieces(of: token.text)
      for case .code(let code) in pieces {
        // The specification leaves this undefined, and in `sh -c "… %u"` a shell would read the URL.
        guard !token.isQuoted else { throw .codeInQuotes(code) }
        guard let target = Self.targets[code] else { continue }
        guard targets == nil else { throw .severalTargets }
        guard pieces.count == 1 || code.isLowercase else { throw .listInsideWord(code) }
        targets = target
      }
      words.append(pieces)
    }
    self.words = words
    self.targets = targets ?? .none
    literalWords = tokens.map(\.text)
  }

  /// The program: a name to look up, or a path.
  package var program: String { literalWords[0] }

  /// The command lines that open `urls`, each with the program as its first argument.
  ///
  /// One line takes all URLs after `%U`; otherwise each gets a line of its own. Without a field code
  /// the URL is the last argument. Without URLs there is one line.
  package func commandLines(urls: [String], entry: DesktopEntry) -> [[String]] {
    switch targets {
    case _ where urls.isEmpty: [expand([], entry)]
    case .manyURLs: [expand(urls, entry)]
    case .oneURL: urls.map { expand([$0], entry) }
    case .none, .files: urls.map { expand([], entry) + [$0] }
    }
  }

  private func expand(_ urls: [String], _ entry: DesktopEntry) -> [String] {
    words.flatMap { pieces -> [String] in
      if pieces.count == 1, case .code(let code) = pieces[0] {
        switch code {
        case "u", "U": return urls
        case "f", "F": return []
        case "i": return (entry.icon?.isEmpty ?? true) ? [] : ["--icon", entry.icon ?? ""]
        case "c": return [entry.name]
        case "k": return [entry.path]
        default: return []
        }
      }
      let word = pieces.map { piece in
        switch piece {
        case .text(let text): text
        case .code("u"), .code("U"): urls.first ?? ""
        case .code("c"): entry.name
        case .code("k"): entry.path
        case .code: ""
        }
      }
      return [word.joined()]
    }
  }

  private static let targets: [Character: Targets] = [
    "u": .oneURL, "U": .manyURLs, "f": .files, "F": .files,
  ]

  private static func pieces(of word: String) throws(ExecLineError) -> [Piece] {
    var pieces: [Piece] = []
    var text = ""
    var rest = word[...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        text.append(character)
        continue
      }
      switch rest.popFirst() {
      case "%": text.append("%")
      case let code? where "uUfFick".contains(code):
        if !text.isEmpty { pieces.append(.text(text)) }
        text = ""
        pieces.append(.code(code))
      // Deprecated: they expand to nothing.
      case let code? where "dDnNvm".contains(code):
        if !text.isEmpty { pieces.append(.text(text)) }
        text = ""
        pieces.append(.code(code))
      case let code: throw .unknownCode(code.map(String.init) ?? "")
      }
    }
    if !text.isEmpty || pieces.isEmpty { pieces.append(.text(text)) }
    return pieces
  }
}

// MARK: Quoting

extension ExecLine {
  struct Token: Equatable {
    var text = ""
    var isQuoted = false
  }

  /// Splits at blanks outside quotes.
  ///
  /// Beyond the specification, single quotes and backslashes outside quotes mean what they mean to
  /// a shell: entries in use have them, and GLib reads them so.
  static func tokenize(_ value: String) throws(ExecLineError) -> [Token] {
    var tokens: [Token] = []
    var token: Token?
    var rest = value[...]
    while let character = rest.popFirst() {
      switch character {
      case " ", "\t", "\n":
        if let token { tokens.append(token) }
        token = nil
      case "\"":
        token = token ?? Token()
        token?.isQuoted = true
        while true {
          guard let quoted = rest.popFirst() else { throw .unbalancedQuote }
          if quoted == "\"" { break }
          guard quoted == "\\" else {
            token?.text.append(quoted)
            continue
          }
          guard let escaped = rest.popFirst() else { throw .unbalancedQuote }
          if !"\"`$\\".contains(escaped) { token?.text.append("\\") }
          token?.text.append(escaped)
        }
      case "'":
        guard let end = rest.firstIndex(of: "'") else { throw .unbalancedQuote }
        token = token ?? Token()
        token?.isQuoted = true
        token?.text += rest[..<end]
        rest = rest[rest.index(after: end)...]
      case "\\":
        guard let escaped = rest.popFirst() else { throw .unbalancedQuote }
        token = token ?? Token()
        token?.text.append(escaped)
      default:
        token = token ?? Token()
        token?.text.append(character)
      }
    }
    if let token { tokens.append(token) }
    return tokens
  }
}

/// Why an `Exec` value must not be run.
package enum ExecLineError: Error, Hashable, Sendable {
  case empty
  case unbalancedQuote
  case assignmentAsProgram(String)
  case unknownCode(String)
  case codeInQuotes(Character)
  case severalTargets
  case listInsideWord(Character)
}

extension ExecLineError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty: "Exec names no program"
    case .unbalancedQuote: "a quote in Exec is not closed"
    case .assignmentAsProgram(let word): "Exec begins with the assignment \(word)"
    case .unknownCode(let code): "%\(code) in Exec is no field code"
    case .codeInQuotes(let code): "%\(code) stands inside a quoted argument in Exec"
    case .severalTargets: "Exec has more than one of %u, %U, %f and %F"
    case .listInsideWord(let code): "%\(code) does not stand alone in Exec"
    }
  }
}
