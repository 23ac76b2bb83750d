/// The command line of a desktop entry.
///
/// The value comes with its string escapes resolved. It is cut into words and quotes are resolved
/// on the way; then field codes are found, and what is put in their place is never looked at again.
/// No shell is involved. Beyond the specification, single quotes, backslashes outside quotes and
/// quotes within a word mean what they mean to a shell: entries in use have them, and GLib reads
/// them so.
///
/// Source: Desktop Entry Specification 1.5, "The Exec key".
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

  private let words: [ExecWord]
  package let targets: Targets
  /// The program: a name to look up, or a path.
  package let program: String

  package init(_ value: String) throws(ExecLineError) {
    words = try ExecWord.parse(value)
    guard let first = words.first else { throw .empty }
    if let code = first.codes.first { throw .misplacedCode(code.description) }
    program = first.literal
    guard !program.isEmpty else { throw .empty }
    guard !program.utf8.contains(UInt8(ascii: "=")) else { throw .assignmentAsProgram(program) }

    let codes = words.flatMap(\.codes).filter(\.isTarget)
    guard codes.count <= 1 else { throw .severalTargets }
    try ScriptArgument.check(words)
    targets =
      switch codes.first {
      case .url: .oneURL
      case .urls: .manyURLs
      case nil: .none
      default: .files
      }
  }

  /// The program of a line, be it one that may be run or not; `nil` if the line cannot be cut into words
  /// at all, or the first of them names no program.
  static func program(of value: String) -> String? {
    do throws(ExecLineError) {
      return try ExecLine(value).program
    } catch {
      switch error {
      case .empty, .unbalancedQuote, .assignmentAsProgram: return nil
      case .unknownCode, .misplacedCode, .scriptMissing, .severalTargets:
        return try? ExecWord.first(of: value)?.literal
      }
    }
  }

  /// The words, without quotes and with their field codes as they are written.
  package var literalWords: [String] { words.map(\.literal) }

  /// The command lines that open `urls`, each with the program as its first argument.
  ///
  /// One line takes all URLs after `%U`; otherwise each gets a line of its own. Without a field code
  /// the URL is the last argument. Without URLs there is one line.
  package func commandLines(urls: [String], entry: DesktopEntry) -> [[String]] {
    if urls.isEmpty || targets == .manyURLs { return [expand(urls, entry)] }
    return urls.map { expand([$0], entry) }
  }

  private func expand(_ urls: [String], _ entry: DesktopEntry) -> [String] {
    let arguments = words.flatMap { word -> [String] in
      switch word.soleCode {
      case .url, .urls: urls
      case .file, .files: []
      case .icon: entry.icon.map { ["--icon", $0] } ?? []
      default: [word.expanded(url: urls.first ?? "", entry)]
      }
    }
    return targets == .none ? arguments + urls : arguments
  }
}
