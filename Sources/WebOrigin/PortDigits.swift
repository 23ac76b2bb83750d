/// A port as URLs have it, in decimal digits, so that reading and comparing takes no arithmetic.
struct PortDigits: Equatable {
  /// A digit a byte, the last one in the highest byte.
  private let word: UInt64

  /// No port has more.
  static let most = 5

  private init(word: UInt64) { self.word = word }

  init(_ port: UInt16) {
    var word: UInt64 = 0
    var rest = port
    for place in 0..<Self.most {
      word |= UInt64(rest % 10) << UInt64(56 - 8 * place)
      rest /= 10
    }
    self.word = word
  }

  @inline(__always)
  static func ofScheme(isHTTPS: Bool) -> PortDigits {
    PortDigits(word: isHTTPS ? 0x03_0404 << 40 : 0x00_0800 << 40)
  }

  /// Reads what stands between the colon and the end of the authority.
  ///
  /// `nil` if that is nothing, no port, or a port with zeros in front that make it longer than five
  /// digits.
  @inline(__always)
  init?(after colon: Int, in url: Bytes) {
    // The colon and the seven bytes behind it, or zeros where there are fewer.
    let from = min(colon, url.count &- 8)
    let bytes = url.word(at: from) &>> UInt64(truncatingIfNeeded: 8 &* (colon &- from))
    // A digit becomes its number, the colon 0, everything else more than 9, which sets a top bit.
    let digits = bytes ^ 0x3030_3030_3030_303A
    let others = (digits &+ 0x7676_7676_7676_7676 | digits) & 0x8080_8080_8080_8080
    let bits = UInt64(truncatingIfNeeded: others.trailingZeroBitCount &- 7)
    guard 16...48 ~= bits else { return nil }
    let isSlashNext = bytes &>> bits & 0xFF == 0x2F
    guard isSlashNext || url.endsAuthority(at: colon &+ Int(truncatingIfNeeded: bits &>> 3)) else {
      return nil
    }
    word = digits &<< (64 &- bits)
    guard bits < 48 || word.byteSwapped <= 0x06_0505_0305 else { return nil }
  }

  /// Which bits are different: 0 if the ports are the same.
  @inline(__always)
  static func ^ (one: PortDigits, other: PortDigits) -> UInt64 {
    one.word ^ other.word
  }

  /// Without zeros in front.
  var digits: some RandomAccessCollection<UInt8> {
    let first = min(word.trailingZeroBitCount, 56) / 8
    return (first..<8).lazy.map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
  }

  var number: UInt16 { digits.reduce(0) { $0 * 10 + UInt16($1) } }
}
