/// An http(s) URL whose host is an ASCII name that needs no more than lower case: nearly all URLs.
///
/// One is found in a single pass that allocates nothing, eight bytes at a time, and ends with the
/// authority. What is no plain URL, valid or not, is for ``URLParser`` to parse; of a plain one it
/// says the same.
package struct PlainURL {
  let scheme: Scheme
  /// The scheme's default port where none is named.
  let port: UInt16
  let hostEnd: Int

  var hostStart: Int { scheme == .https ? 8 : 7 }

  package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress, bytes.count > 8 else { return nil }
    let head = UnsafeRawPointer(base).loadUnaligned(as: UInt64.self).littleEndian
    let start: Int
    var port: UInt16
    // "https://" and "http://" as integers; bit 0x20 makes both letter cases equal.
    if head | 0x20_2020_2020 == 0x2F2F_3A73_7074_7468 {
      scheme = .https
      port = 443
      start = 8
    } else if (head | 0x2020_2020) & 0xFF_FFFF_FFFF_FFFF == 0x2F_2F3A_7074_7468 {
      scheme = .http
      port = 80
      start = 7
    } else {
      return nil
    }

    var end = start
    while true {
      end = Self.endOfName(base, from: end, count: bytes.count)
      if end == bytes.count || base[end] == UInt8(ascii: "/") { break }
      let found = ByteClass(of: base[end])
      if found == .endsAuthority { break }
      if found == .colon {
        guard let named = Self.port(base, from: end + 1, count: bytes.count) else { return nil }
        port = named ?? port
        break
      }
      guard found.isEmpty else { return nil }
      end += 1
    }
    guard end > start, !Self.mayEndInNumber(base, start, end) else { return nil }
    hostEnd = end
    self.port = port
  }

  /// The origin; `bytes` are those that the URL was found in.
  func origin(in bytes: UnsafeBufferPointer<UInt8>) -> Origin {
    let host = bytes[part: hostStart..<hostEnd]
    let name = String(unsafeUninitializedCapacity: host.count) { name in
      for index in host.indices { name[index] = host[index].lowercased }
      return host.count
    }
    return Origin(
      scheme: scheme.name, host: name, port: port == scheme.defaultPort ? nil : port)
  }

  /// Appends the serialized origin; `bytes` are those that the URL was found in.
  func appendOrigin(in bytes: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
    // Up to the end of the host the URL is its origin already, but for the case of its letters.
    let start = text.count
    text.append(contentsOf: bytes[part: 0..<hostEnd])
    text.withUnsafeMutableBufferPointer { text in
      for index in start..<text.count { text[index] = text[index].lowercased }
    }
    if port != scheme.defaultPort { text += ":\(port)".utf8 }
  }

  /// Where the letters, digits, dots and hyphens end.
  @inline(__always)
  private static func endOfName(_ base: UnsafePointer<UInt8>, from: Int, count: Int) -> Int {
    var index = from
    while index + 8 <= count {
      let other = otherThanName(base + index)
      if other != 0 { return index + other.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < count, isInName(base[index]) { index += 1 }
    return index
  }

  /// Looks at eight bytes in one integer: the top bit of each is set in the result if the byte is
  /// no letter, digit, dot or hyphen.
  ///
  /// With the top bits out of the way, adding 0x80 - n to every byte sets those of the bytes that
  /// are n or more, and nothing is carried from one to the next.
  @inline(__always)
  private static func otherThanName(_ base: UnsafePointer<UInt8>) -> UInt64 {
    let bytes = UnsafeRawPointer(base).loadUnaligned(as: UInt64.self).littleEndian
    let low = bytes & (0x7F * each)
    let lowercased = low | (0x20 * each)
    let isLetter = (lowercased &+ (0x80 - 0x61) * each) & ~(lowercased &+ (0x80 - 0x7B) * each)
    let isFromHyphenToNine = (low &+ (0x80 - 0x2D) * each) & ~(low &+ (0x80 - 0x3A) * each)
    let isNoSlash = (low ^ (0x2F * each)) &+ (0x7F * each)
    let isInName = (isLetter | isFromHyphenToNine & isNoSlash) & ~bytes
    return ~isInName & (0x80 * each)
  }

  /// Times a byte, that byte eight times.
  private static var each: UInt64 { 0x0101_0101_0101_0101 }

  private static func isInName(_ byte: UInt8) -> Bool {
    byte.isASCIILetter || (byte &- 0x2D < 13 && byte != 0x2F)
  }

  /// The outer optional is `nil` if there is more than a short port, the inner one if there is none.
  private static func port(_ base: UnsafePointer<UInt8>, from: Int, count: Int) -> UInt16?? {
    var value: UInt32 = 0
    var index = from
    while index < count, base[index].isASCIIDigit {
      guard index - from < 5 else { return nil }
      value = value * 10 + UInt32(base[index] - 0x30)
      index += 1
    }
    guard index == count || ByteClass(of: base[index]) == .endsAuthority else { return nil }
    if index == from { return .some(nil) }
    return UInt16(exactly: value).map(Optional.some)
  }

  /// A label that the IPv4 parser takes begins with a digit, and ends with one or, if it is
  /// hexadecimal, with a letter up to `f` or the `x` of its prefix.
  private static func mayEndInNumber(
    _ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int
  ) -> Bool {
    let last = base[end - 1]
    if last == UInt8(ascii: ".") { return true }
    guard last.hexadecimalValue != nil || last | 0x20 == UInt8(ascii: "x") else { return false }
    var label = end - 1
    while label > start, base[label - 1] != UInt8(ascii: ".") { label -= 1 }
    return base[label].isASCIIDigit
  }
}
