internal import Glibc
internal import Navigation

/// The URLs that a command answers for: its operands, or what standard input holds.
struct URLInput {
  private let operands: [String]
  private let terminator: UInt8

  /// A longer line is no URL; more of it is not kept.
  private static let limit = Limits.length + 1
  private static let chunk = 256 << 10

  init(_ arguments: Arguments) {
    operands = arguments.operands
    terminator = arguments.has(.nul) ? 0 : UInt8(ascii: "\n")
  }

  /// Whether there can be more than one answer.
  var isList: Bool { operands.count != 1 }

  /// Calls `body` for each URL in turn, and `pause` whenever no more input has arrived yet.
  func forEach(
    _ body: (UnsafeBufferPointer<UInt8>) throws(ToolError) -> Void,
    pause: () throws(ToolError) -> Void
  ) throws(ToolError) {
    guard operands.isEmpty else {
      for operand in operands {
        let bytes = Array(operand.utf8)
        try bytes.withUnsafeBufferPointer { (bytes) throws(ToolError) in try body(bytes) }
      }
      return try pause()
    }
    var pending: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: Self.chunk)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw ToolError(
          .failure, about: "standard input",
          "it cannot be read: \(String(cString: strerror(errno)))")
      }
      if count == 0 { break }
      try buffer.withUnsafeBufferPointer { (bytes) throws(ToolError) in
        try lines(UnsafeBufferPointer(rebasing: bytes[..<count]), &pending, body)
      }
      try pause()
    }
    // The last line may lack its end.
    guard !pending.isEmpty else { return }
    try pending.withUnsafeBufferPointer { (bytes) throws(ToolError) in try body(bytes) }
    try pause()
  }

  private func lines(
    _ bytes: UnsafeBufferPointer<UInt8>, _ pending: inout [UInt8],
    _ body: (UnsafeBufferPointer<UInt8>) throws(ToolError) -> Void
  ) throws(ToolError) {
    var start = 0
    while let end = find(terminator, in: bytes, from: start) {
      let line = UnsafeBufferPointer(rebasing: bytes[start..<end])
      if pending.isEmpty {
        try body(line)
      } else {
        pending += line.prefix(Self.limit - pending.count)
        try pending.withUnsafeBufferPointer { (bytes) throws(ToolError) in try body(bytes) }
        pending.removeAll(keepingCapacity: pending.count < Self.chunk)
      }
      start = end + 1
    }
    pending += bytes[start...].prefix(Self.limit - pending.count)
  }

  private func find(_ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
    guard start < bytes.count, let base = bytes.baseAddress,
      let found = memchr(base + start, Int32(byte), bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - UnsafeRawPointer(base)
  }
}
