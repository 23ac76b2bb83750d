extension TupleURL {
  /// The URL as it is handed to a browser or a shell; parsing it gives what parsing the input gave.
  ///
  /// The authority is written `scheme://[userinfo@]host[:port]`, the host in its canonical form if
  /// it was written with percent-escapes or outside ASCII, and what ends it is never a `\`: programs
  /// that do not know that a `\` does, or which `@` is the last one, would find another host. Of the rest
  /// only what the URL parser percent-encodes in every place is percent-encoded: a signature over the
  /// query stays valid.
  package var outgoing: String {
    var text = Array(parts.scheme.name.utf8) + "://".utf8
    text.reserveCapacity(bytes.count + 16)
    if !parts.userinfo.isEmpty {
      text.appendPercentEncoding(
        bytes[part: parts.userinfo],
        where: { $0.isEncodedInHTTP || $0 == UInt8(ascii: "@") })
      text.append(UInt8(ascii: "@"))
    }
    let written = bytes[part: parts.host]
    let isPlain = written.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "%") }
    text.append(contentsOf: isPlain ? written : host.name)
    if parts.host.upperBound + 1 < parts.rest {
      text.append(contentsOf: bytes[parts.host.upperBound..<parts.rest])
    }
    let end = text.count
    text.appendPercentEncoding(rest, where: { $0.isEncodedInHTTP })
    if end < text.count, text[end] == UInt8(ascii: "\\") { text[end] = UInt8(ascii: "/") }
    return String(decoding: text, as: UTF8.self)
  }

  /// Path, query and fragment.
  package var rest: UnsafeBufferPointer<UInt8> { bytes[part: parts.rest..<bytes.count] }
}

extension OpaqueURL {
  /// The URL as it is handed to the desktop's handler of its scheme; parsing it gives what parsing
  /// the input gave.
  package var outgoing: String {
    var text = bytes[0..<colon].map { $0.lowercased }
    text.reserveCapacity(bytes.count)
    text.appendPercentEncoding(bytes[part: colon..<bytes.count], where: { $0.isControlOrNonASCII })
    return String(decoding: text, as: UTF8.self)
  }

  /// The scheme in lower case.
  package var schemeName: String {
    String(decoding: bytes[0..<colon].map { $0.lowercased }, as: UTF8.self)
  }
}

extension UInt8 {
  package var isControlOrNonASCII: Bool { self < 0x20 || self > 0x7E }

  /// What the path, query and fragment percent-encode sets of special URLs have in common.
  package var isEncodedInHTTP: Bool {
    switch Unicode.Scalar(self) {
    case " ", "\"", "<", ">": true
    default: isControlOrNonASCII
    }
  }
}

extension [UInt8] {
  package mutating func appendPercentEncoding(
    _ bytes: UnsafeBufferPointer<UInt8>, where isEncoded: (UInt8) -> Bool
  ) {
    for byte in bytes {
      guard isEncoded(byte) else {
        append(byte)
        continue
      }
      append(UInt8(ascii: "%"))
      append(Self.hexadecimalDigit(byte >> 4))
      append(Self.hexadecimalDigit(byte & 0xF))
    }
  }

  private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x37 + value
  }
}
