import CByteScan
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
  package static let maximumLengthForICU = Int(CICU_LONGEST_NAME)

  /// Runs the host parser for special URLs and hands over its result, `nil` for failure.
  ///
  /// Source: <https://url.spec.whatwg.org/#concept-host-parser>
  package static func parse<Result>(
    _ input: UnsafeBufferPointer<UInt8>, _ body: (Host?) -> Result
  ) -> Result {
    if input.first == UInt8(ascii: "[") {
      return IPv6Address.parse(inBrackets: input, body)
    }
    let summary = byte_scan_summarize(input.baseAddress, input.count)
    if summary.non_ascii, !summary.percent {
      return parse(nonASCII: input, capacity: capacity(for: input), body)
    }

    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: input.count) { domain in
      guard summary.percent else {
        for index in input.indices { domain[index] = input[index].lowercased }
        return finish(Bytes(domain), isAmbiguous: false, body)
      }
      let (count, isASCII) = percentDecodeLowercasing(input, into: domain)
      let decoded = Bytes(rebasing: domain[..<count])
      if isASCII { return finish(decoded, isAmbiguous: false, body) }
      // An escape must not make well-formed what was not, before it was decoded.
      guard !summary.non_ascii || String(validating: input, as: UTF8.self) != nil else {
        return body(nil)
      }
      return parse(nonASCII: decoded, capacity: capacity(for: decoded), body)
    }
  }

  /// What nearly all results fit into: ICU would begin again for a longer one, and it is slow.
  private static func capacity(for domain: Bytes) -> Int { max(256, 4 * domain.count) }

  /// - Parameter capacity: How long a result there is room for.
  private static func parse<Result>(
    nonASCII domain: Bytes, capacity: Int, _ body: (Host?) -> Result
  ) -> Result {
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: capacity) { text in
      var hasSharpS = false
      let length = Int(
        cicu_domain_to_ascii(
          domain.baseAddress, Int32(domain.count), text.baseAddress, Int32(capacity), &hasSharpS))
      if length < 0 { return body(nil) }
      if length > capacity { return parse(nonASCII: domain, capacity: length, body) }
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { ascii in
        for index in 0..<length { ascii[index] = UInt8(truncatingIfNeeded: text[index]) }
        return finish(Bytes(ascii), isAmbiguous: hasSharpS, body)
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

  private static func finish<Result>(
    _ domain: Bytes, isAmbiguous: Bool, _ body: (Host?) -> Result
  ) -> Result {
    guard !domain.isEmpty else { return body(nil) }
    var isAmbiguous = isAmbiguous
    if byte_scan_summarize(domain.baseAddress, domain.count).no_name {
      let seen = domain.reduce(into: ByteClass()) { $0.formUnion(ByteClass(of: $1)) }
      guard seen.isDisjoint(with: .forbiddenInDomain) else { return body(nil) }
      if seen.contains(.asterisk) { isAmbiguous = true }
    }
    if IPv4Address.endsInNumber(domain) {
      return IPv4Address.parse(domain, body)
    }
    return body(Host(name: domain, isAmbiguous: isAmbiguous))
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
