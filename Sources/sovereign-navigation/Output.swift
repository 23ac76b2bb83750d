internal import Glibc

/// What the program writes.
enum Output {
  /// Writes one line to standard output.
  static func line(_ text: String) {
    answer(Array(text.utf8) + [UInt8(ascii: "\n")])
  }

  /// Writes a diagnostic, on one line, to standard error.
  static func error(_ subject: String?, _ message: String) {
    // A blank one would not be seen.
    let subject =
      subject.map {
        $0.allSatisfy { $0 == " " } ? "`\($0)`: " : "\(printable($0)): "
      } ?? ""
    // Nobody is left to be told that a diagnostic cannot be written.
    _ = write(STDERR_FILENO, Array("\(Tool.name): \(subject)\(printable(message))\n".utf8))
  }

  /// Asks for a line, on standard error and standard input; `nil` at the end of input.
  static func answer(to question: String) -> String? {
    _ = write(STDERR_FILENO, Array("\(question) ".utf8))
    return readLine()
  }

  /// Text from outside, without what would break a line, move a terminal's cursor or change the
  /// order in which it shows a line; cut, visibly, where it is long.
  static func printable(_ text: String) -> String {
    let isLong = text.unicodeScalars.count > printableLength
    return isLong ? whole(text.unicodeScalars.prefix(printableLength)) + "…" : whole(text)
  }

  /// The same, not cut: what is said to be exact.
  static func whole(_ text: String) -> String { whole(text.unicodeScalars) }

  private static func whole(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var result = ""
    for scalar in scalars {
      result.unicodeScalars.append(isHarmless(scalar) ? scalar : "\u{FFFD}")
    }
    return result
  }

  private static let printableLength = 2048

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x20, 0x7F...0x9F: false
    // Line and paragraph separator; marks, embeddings, overrides and isolates of the bidirectional
    // algorithm.
    case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: false
    default: true
    }
  }

  /// Writes to standard output, or ends the program: without its answers it has failed.
  fileprivate static func answer(_ bytes: [UInt8]) {
    let code = write(STDOUT_FILENO, bytes)
    guard code != 0 else { return }
    error("standard output", "it cannot be written to: \(String(cString: strerror(code)))")
    exit(ExitStatus.failure.rawValue)
  }

  /// Returns 0, or the errno of a write that failed.
  private static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        return errno
      }
      if count == 0 { return EIO }
      rest = rest.dropFirst(count)
    }
    return 0
  }
}

/// Standard output, written in large pieces.
struct OutputBuffer {
  private var bytes: [UInt8] = []
  private static let size = 64 << 10

  init() {
    bytes.reserveCapacity(Self.size + 4096)
  }

  mutating func append(byte: UInt8) {
    append { $0.append(byte) }
  }

  mutating func append(_ text: some Sequence<UInt8>) {
    append { $0.append(contentsOf: text) }
  }

  /// Appends what `body` appends.
  mutating func append(_ body: (inout [UInt8]) -> Void) {
    body(&bytes)
    if bytes.count >= Self.size { flush() }
  }

  mutating func flush() {
    Output.answer(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}
