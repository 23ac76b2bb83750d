import CICU

/// The host of a special URL, serialized, as long as the closure runs that was given it.
package struct Host {
  /// What the host serializer writes: a lower-case ASCII name, an IPv4 address, or an IPv6 address
  /// in brackets.
  package let name: UnsafeBufferPointer<UInt8>
  /// Whether engines read different hosts here: `*`, which Chromium writes `%2A`, and U+1E9E, for
  /// which older Unicode data has another mapping.
  package let isAmbiguous: Bool

  /// A non-ASCII host over this many bytes is refused: ICU takes seconds for megabytes.
  package static let maximumLengthForICU = 4096

  /// Runs the host parser for special URLs and hands over its result, `nil` for failure.
  ///
  /// Source: <https://url.spec.whatwg.org/#concept-host-parser>
  package static func parse<Result>(
    _ input: UnsafeBufferPointer<UInt8>, _ body: (Host?) -> Result
  ) -> Result {
    if input.first == UInt8(ascii: "[") {
      return IPv6Address.parse(inBrackets: input, body)
    }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: input.count) { decoded in
      let (count, isASCII) = percentDecodeLowercasing(input, into: decoded)
      let domain = UnsafeBufferPointer(start: decoded.baseAddress, count: count)
      if isASCII {
        return finish(domain, isAmbiguous: false, body)
      }
      guard count <= maximumLengthForICU, !escapesCompleteIllFormedText(input) else {
        return body(nil)
      }
      let isAmbiguous = containsCapitalSharpS(domain)
      return toASCII(domain, capacity: 512) { ascii in
        guard let ascii else { return body(nil) }
        return finish(ascii, isAmbiguous: isAmbiguous, body)
      }
    }
  }

  private static func percentDecodeLowercasing(
    _ input: Bytes, into output: UnsafeMutableBufferPointer<UInt8>
  ) -> (count: Int, isASCII: Bool) {
    var count = 0
    var seen: UInt8 = 0
    var index = 0
    while index < input.count {
      var byte = input[index]
      index += 1
      if byte == UInt8(ascii: "%"), index + 1 < input.count,
        let high = input[index].hexadecimalValue, let low = input[index + 1].hexadecimalValue
      {
        byte = high << 4 | low
        index += 2
      }
      seen |= byte
      output[count] = byte.lowercased
      count += 1
    }
    return (count, seen < 0x80)
  }

  /// Whether an escape could make well-formed what was not, before it was decoded.
  private static func escapesCompleteIllFormedText(_ input: Bytes) -> Bool {
    input.contains(UInt8(ascii: "%")) && String(validating: input, as: UTF8.self) == nil
  }

  private static func containsCapitalSharpS(_ domain: Bytes) -> Bool {
    guard domain.count >= 3 else { return false }
    for index in 0..<(domain.count - 2)
    where domain[index] == 0xE1 && domain[index + 1] == 0xBA && domain[index + 2] == 0x9E {
      return true
    }
    return false
  }

  /// Ill-formed UTF-8 becomes U+FFFD inside ICU, which is a disallowed code point.
  private static func toASCII<Result>(
    _ domain: Bytes, capacity: Int, _ body: (Bytes?) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { ascii in
      let length = ascii.withMemoryRebound(to: CChar.self) { result in
        domain.withMemoryRebound(to: CChar.self) { name in
          Int(
            cicu_domain_to_ascii(
              name.baseAddress, Int32(name.count), result.baseAddress, Int32(capacity)))
        }
      }
      if length < 0 { return body(nil) }
      if length > capacity { return toASCII(domain, capacity: length, body) }
      return body(UnsafeBufferPointer(start: ascii.baseAddress, count: length))
    }
  }

  private static func finish<Result>(
    _ domain: Bytes, isAmbiguous: Bool, _ body: (Host?) -> Result
  ) -> Result {
    let seen = domain.reduce(into: ByteClass()) { $0.formUnion(ByteClass(of: $1)) }
    guard !domain.isEmpty, seen.isDisjoint(with: .forbiddenInDomain) else { return body(nil) }
    if IPv4Address.endsInNumber(domain) {
      return IPv4Address.parse(domain, body)
    }
    return body(Host(name: domain, isAmbiguous: isAmbiguous || seen.contains(.asterisk)))
  }

  /// Whether the host of a URL that is not special can be parsed.
  ///
  /// Source: <https://url.spec.whatwg.org/#concept-opaque-host-parser>
  static func isValidOpaque(_ input: Bytes) -> Bool {
    if input.first == UInt8(ascii: "[") {
      return IPv6Address(inBrackets: input) != nil
    }
    return !input.contains { byte in
      // The forbidden host code points are the forbidden domain code points but for % and the
      // control characters other than NUL, TAB, LF and CR; the parser dropped the last three.
      byte == 0
        || (byte > 0x1F && byte < 0x7F && byte != UInt8(ascii: "%")
          && !ByteClass(of: byte).isDisjoint(with: .forbiddenInDomain))
    }
  }
}
