/// The IPv4 parser of the URL Standard: one to four parts, each decimal, octal or hexadecimal.
enum IPv4Address {
  /// Whether a host is to be read as an IPv4 address and fails if it is none.
  ///
  /// Source: <https://url.spec.whatwg.org/#ends-in-a-number-checker>
  static func endsInNumber(_ domain: Bytes) -> Bool {
    guard let label = lastLabel(of: domain), label[0].isASCIIDigit else { return false }
    return label.allSatisfy(\.isASCIIDigit) || number(label) != nil
  }

  /// The last label that is not empty only because of a final dot; `nil` if it is empty.
  private static func lastLabel(of domain: Bytes) -> Bytes? {
    var end = domain.count
    if end > 1, domain[end - 1] == UInt8(ascii: ".") { end -= 1 }
    var start = end
    while start > 0, domain[start - 1] != UInt8(ascii: ".") { start -= 1 }
    return start == end ? nil : domain[part: start..<end]
  }

  /// Source: <https://url.spec.whatwg.org/#concept-ipv4-parser>.
  static func parse<Result>(_ domain: Bytes, _ body: (Host?) -> Result) -> Result {
    guard let address = address(domain) else { return body(nil) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 15) { text in
      var count = 0
      for shift in stride(from: UInt32(24), through: 0, by: -8) {
        if count > 0 {
          text[count] = UInt8(ascii: ".")
          count += 1
        }
        let part = UInt8(truncatingIfNeeded: address >> shift)
        if part >= 100 {
          text[count] = 0x30 + part / 100
          count += 1
        }
        if part >= 10 {
          text[count] = 0x30 + part / 10 % 10
          count += 1
        }
        text[count] = 0x30 + part % 10
        count += 1
      }
      return body(
        Host(name: Bytes(start: text.baseAddress, count: count), isAmbiguous: false))
    }
  }

  private static func address(_ domain: Bytes) -> UInt32? {
    var end = domain.count
    if end > 1, domain[end - 1] == UInt8(ascii: ".") { end -= 1 }

    var address: UInt64 = 0
    var parts: UInt64 = 0
    var start = 0
    while true {
      var stop = start
      while stop < end, domain[stop] != UInt8(ascii: ".") { stop += 1 }
      guard parts < 4, let value = number(domain[part: start..<stop]) else { return nil }
      parts += 1
      if stop == end {
        let remaining = 5 - parts
        guard value < 1 << (8 * remaining) else { return nil }
        return UInt32(truncatingIfNeeded: address << (8 * remaining) | value)
      }
      guard value <= 255 else { return nil }
      address = address << 8 | value
      start = stop + 1
    }
  }

  /// Values beyond 32 bits are all the same to the caller: too large.
  ///
  /// Source: <https://url.spec.whatwg.org/#ipv4-number-parser>
  private static func number(_ text: Bytes) -> UInt64? {
    guard !text.isEmpty else { return nil }
    var digits = text
    var radix: UInt64 = 10
    if digits.count >= 2, digits[0] == UInt8(ascii: "0") {
      let isHexadecimal = digits[1].lowercased == UInt8(ascii: "x")
      radix = isHexadecimal ? 16 : 8
      digits = digits[part: (isHexadecimal ? 2 : 1)..<digits.count]
    }
    var value: UInt64 = 0
    for byte in digits {
      guard let digit = byte.hexadecimalValue, digit < radix else { return nil }
      value = min(value * radix + UInt64(digit), 1 << 32)
    }
    return value
  }
}
