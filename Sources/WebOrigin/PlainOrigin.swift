/// What of a plain URL's origin is compared, without a branch.
struct PlainOrigin {
  private let port: PortDigits
  private let length: Int
  /// Scheme and host, `https://my.sovereign.example`, with bit 0x20 set in every byte: the first
  /// and the last two words, which overlap.
  private let words: (UInt64, UInt64, UInt64, UInt64)

  /// Of a longer scheme and host the words leave bytes out.
  static let longest = 32

  /// - Parameters:
  ///   - text: Begins with scheme and host.
  ///   - length: How many bytes they have, 8 at least.
  @inline(__always)
  init(_ text: Bytes, length: Int, port: PortDigits) {
    self.length = length
    self.port = port
    let last = length &- 8
    words = (
      text.lowercasedWord(at: 0), text.lowercasedWord(at: min(8, last)),
      text.lowercasedWord(at: max(8, last) &- 8), text.lowercasedWord(at: last)
    )
  }

  @inline(__always)
  static func == (one: PlainOrigin, other: PlainOrigin) -> Bool {
    let words =
      (one.words.0 ^ other.words.0) | (one.words.1 ^ other.words.1)
      | (one.words.2 ^ other.words.2) | (one.words.3 ^ other.words.3)
    let numbers = UInt64(truncatingIfNeeded: one.length ^ other.length) | (one.port ^ other.port)
    return words | numbers == 0
  }
}
