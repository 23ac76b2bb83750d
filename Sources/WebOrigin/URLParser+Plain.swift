extension URLParser {
  /// The parts of an http(s) URL whose host is an ASCII name that needs no more than lower case,
  /// found in one pass that allocates nothing and ends with the authority.
  ///
  /// - Returns: `nil` for anything else, valid or not; then only ``parse(_:_:)`` can tell. Where
  ///   there are parts, ``parse(_:_:)`` finds the same.
  package static func plainHTTP(_ bytes: UnsafeBufferPointer<UInt8>) -> URLParts? {
    guard let base = bytes.baseAddress, bytes.count > 8 else { return nil }
    let head = UnsafeRawPointer(base).loadUnaligned(as: UInt64.self).littleEndian
    let scheme: Scheme
    let start: Int
    // "https://" and "http://" as integers; bit 0x20 makes both letter cases equal.
    if head | 0x20_2020_2020 == 0x2F2F_3A73_7074_7468 {
      scheme = .https
      start = 8
    } else if (head | 0x2020_2020) & 0xFF_FFFF_FFFF_FFFF == 0x2F_2F3A_7074_7468 {
      scheme = .http
      start = 7
    } else {
      return nil
    }

    let table = ByteClass.table
    var end = start
    var seen: UInt16 = 0
    while end < bytes.count {
      let found = table[Int(base[end])]
      if found == ByteClass.endsAuthority.rawValue { break }
      seen |= found
      end += 1
    }

    var hostEnd = end
    var port: UInt16?
    if seen != 0 {
      guard seen == ByteClass.colon.rawValue else { return nil }
      var value: UInt32 = 0
      var unit: UInt32 = 1
      while hostEnd > start, base[hostEnd - 1].isASCIIDigit {
        guard end - hostEnd < 5 else { return nil }
        hostEnd -= 1
        value += UInt32(base[hostEnd] - 0x30) * unit
        unit *= 10
      }
      guard hostEnd > start, base[hostEnd - 1] == UInt8(ascii: ":"),
        let number = UInt16(exactly: value)
      else { return nil }
      let isDefault = hostEnd == end || number == scheme.defaultPort
      hostEnd -= 1
      port = isDefault ? nil : number
      for index in start..<hostEnd where base[index] == UInt8(ascii: ":") { return nil }
    }
    guard hostEnd > start, !mayEndInNumber(base, start, hostEnd) else { return nil }
    return URLParts(
      scheme: scheme, userinfo: start..<start, host: start..<hostEnd, port: port, rest: end)
  }

  /// A label that the IPv4 parser takes begins with a digit, and ends with one or, if it is
  /// hexadecimal, with a letter up to `f` or the `x` of its prefix.
  private static func mayEndInNumber(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Bool
  {
    let last = base[end - 1]
    if last == UInt8(ascii: ".") { return true }
    guard last.hexadecimalValue != nil || last | 0x20 == UInt8(ascii: "x") else { return false }
    var label = end - 1
    while label > start, base[label - 1] != UInt8(ascii: ".") { label -= 1 }
    return base[label].isASCIIDigit
  }
}
