internal import Glibc

/// What the program writes.
enum Output {
  /// Writes one line to standard output.
  static func line(_ text: String) {
    var buffer = OutputBuffer()
    buffer.append(text.utf8)
    buffer.append(byte: UInt8(ascii: "\n"))
    buffer.flush()
  }

  /// Writes a diagnostic, on one line, to standard error.
  static func error(_ subject: String?, _ message: String) {
    let subject = subject.map { "\(printable($0)): " } ?? ""
    write(STDERR_FILENO, Array("\(Tool.name): \(subject)\(printable(message))\n".utf8))
  }

  /// Text from outside, without what would break a line or move a terminal's cursor.
  static func printable(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars.prefix(2048) {
      let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
      result.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
    }
    return result
  }

  fileprivate static func write(_ descriptor: Int32, _ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        // Full disk or closed terminal: the answers cannot be delivered.
        exit(ExitStatus.failure.rawValue)
      }
      rest = rest.dropFirst(count)
    }
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
    bytes.append(byte)
    if bytes.count >= Self.size { flush() }
  }

  mutating func append(_ text: some Sequence<UInt8>) {
    bytes.append(contentsOf: text)
  }

  mutating func flush() {
    Output.write(STDOUT_FILENO, bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}
