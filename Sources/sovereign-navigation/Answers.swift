/// Answers to a list of URLs: one a line, or JSON: one object, or an array of them.
struct Answers {
  let isJSON: Bool
  private let isArray: Bool
  private let terminator: UInt8
  private var buffer = OutputBuffer()
  private var count = 0

  init(_ arguments: Arguments, isList: Bool) {
    isJSON = arguments.has(.json)
    isArray = isJSON && isList
    terminator = arguments.has(.nul) ? 0 : UInt8(ascii: "\n")
  }

  mutating func add(_ answer: some Sequence<UInt8>) {
    add { $0.append(contentsOf: answer) }
  }

  /// Adds what `body` appends.
  mutating func add(_ body: (inout [UInt8]) -> Void) {
    buffer.append { bytes in
      body(&bytes)
      bytes.append(terminator)
    }
  }

  mutating func add(json: JSON) {
    if isArray { buffer.append(count == 0 ? "[".utf8 : ",\n".utf8) }
    count += 1
    buffer.append { json.append(to: &$0) }
  }

  mutating func flush() {
    buffer.flush()
  }

  mutating func finish() {
    if isArray { buffer.append(count == 0 ? "[]".utf8 : "]".utf8) }
    if isJSON, isArray || count > 0 { buffer.append(byte: UInt8(ascii: "\n")) }
    buffer.flush()
  }
}
