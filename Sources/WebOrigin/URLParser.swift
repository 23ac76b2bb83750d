import CByteScan

/// The basic URL parser of the URL Standard, without a base URL, up to the end of the authority.
///
/// It works in four phases over the bytes as they came:
///
/// 1. *Clean*: C0 controls and spaces go from both ends, TAB, LF and CR from everywhere. Nothing
///    can fail. ``PlainURL`` leaves this out and gives up when it meets such a byte.
/// 2. *Scheme*: fails if the string has none.
/// 3. *Authority*: ends at `/`, `?`, `#`, and at `\` in a special URL; split into user info at its
///    last `@`, then host and port at the first colon outside brackets. Fails on a port that is no
///    number or over 65535, and where a host must not be missing.
/// 4. *Host*: see ``Host/parse(_:_:)``. Everything else about a host fails here.
///
/// What stands behind the authority can make no URL invalid and is not looked at, but for the
/// URL inside a `blob:` URL. Bytes that are not UTF-8 count as U+FFFD: failure in a special URL's
/// host, harmless elsewhere.
///
/// Source: <https://url.spec.whatwg.org/#concept-basic-url-parser>, as of July 2026.
package enum URLParser {
  /// Parses any bytes and calls `body` with the result.
  package static func parse<Result>(
    _ input: UnsafeBufferPointer<UInt8>, _ body: (ParsedURL) -> Result
  ) -> Result {
    let stripped = strip(input)
    guard byte_scan_summarize(stripped.baseAddress, stripped.count).tab_or_newline else {
      return parse(clean: stripped, body)
    }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: stripped.count) { copy in
      var count = 0
      for index in stripped.indices {
        if !stripped[index].isTabOrNewline {
          copy[count] = stripped[index]
          count += 1
        } else if Unicode.UTF8.isContinuation(stripped[index + 1]) {
          // What was not UTF-8 must not become UTF-8: the last byte is never one to be dropped.
          copy[count] = 0xFF
          count += 1
        }
      }
      return parse(clean: Bytes(start: copy.baseAddress, count: count), body)
    }
  }

  /// Parses any bytes and calls `body` with the result, which no other module has to specialize.
  package static func visit(_ input: UnsafeBufferPointer<UInt8>, _ body: (ParsedURL) -> Void) {
    parse(input, body)
  }

  private static func strip(_ input: Bytes) -> Bytes {
    var start = 0
    var end = input.count
    while start < end, input[start].isC0ControlOrSpace { start += 1 }
    while end > start, input[end - 1].isC0ControlOrSpace { end -= 1 }
    return input[part: start..<end]
  }

  private static func parse<Result>(
    clean bytes: Bytes, _ body: (ParsedURL) -> Result
  ) -> Result {
    guard let (scheme, colon) = scheme(of: bytes) else { return body(.failure) }
    switch scheme {
    case .http, .https, .ws, .wss, .ftp:
      var start = colon + 1
      while start < bytes.count, isSlash(bytes[start]) { start += 1 }
      guard let parts = authority(of: bytes, from: start, scheme: scheme) else {
        return body(.failure)
      }
      return Host.parse(bytes[part: parts.host]) { host in
        guard let host else { return body(.failure) }
        return body(.tuple(TupleURL(bytes: bytes, parts: parts, host: host)))
      }
    case .file:
      guard isValidFile(bytes, from: colon + 1) else { return body(.failure) }
    case .blob, .other:
      guard isValidOpaque(bytes, from: colon + 1) else { return body(.failure) }
    }
    return body(.opaque(OpaqueURL(bytes: bytes, scheme: scheme, colon: colon)))
  }

  /// The scheme and where its colon is.
  ///
  /// Source: <https://url.spec.whatwg.org/#scheme-start-state> and the state after it.
  private static func scheme(of bytes: Bytes) -> (Scheme, colon: Int)? {
    if bytes.count >= 8 {
      // "https:" and "http:" as integers; bit 0x20 makes both letter cases equal.
      let head = bytes.word(at: 0)
      if (head | 0x20_2020_2020) & 0xFFFF_FFFF_FFFF == 0x3A73_7074_7468 { return (.https, 5) }
      if (head | 0x2020_2020) & 0xFF_FFFF_FFFF == 0x3A_7074_7468 { return (.http, 4) }
    }
    guard let first = bytes.first, first.isASCIILetter else { return nil }
    for index in 1..<bytes.count {
      if bytes[index].continuesScheme { continue }
      return bytes[index] == UInt8(ascii: ":") ? (Scheme(bytes[part: 0..<index]), index) : nil
    }
    return nil
  }

  private static func isSlash(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
  }

  /// Source: <https://url.spec.whatwg.org/#authority-state>, and the host and port states.
  private static func authority(of bytes: Bytes, from start: Int, scheme: Scheme) -> URLParts? {
    var end = start
    var hostStart = start
    var colon: Int?
    var isInBrackets = false
    let classes = ByteClass.table
    loop: while end < bytes.count {
      if classes[Int(bytes[end])] & ByteClass.separators.rawValue != 0 {
        switch Unicode.Scalar(bytes[end]) {
        case "@":
          hostStart = end + 1
          colon = nil
          isInBrackets = false
        case ":" where !isInBrackets && colon == nil: colon = end
        case "[": isInBrackets = true
        case "]": isInBrackets = false
        case ":": break
        case "\\" where !scheme.isSpecial: break
        default: break loop
        }
      }
      end += 1
    }
    let hostEnd = colon ?? end

    var port: UInt16?
    if hostEnd < end {
      guard let value = self.port(bytes[part: (hostEnd + 1)..<end]) else { return nil }
      if let value, value != scheme.defaultPort { port = value }
    }
    // Only a URL that is not special may lack a host, if neither user info nor port needs one.
    if hostStart == hostEnd, scheme.isSpecial || hostStart > start || hostEnd < end { return nil }
    return URLParts(
      scheme: scheme, userinfo: start..<max(start, hostStart - 1), host: hostStart..<hostEnd,
      port: port, rest: end)
  }

  /// The outer optional is `nil` for failure, the inner one for no digits at all.
  private static func port(_ digits: Bytes) -> UInt16?? {
    guard !digits.isEmpty else { return .some(nil) }
    var value: UInt32 = 0
    for digit in digits {
      guard digit.isASCIIDigit else { return nil }
      value = min(value * 10 + UInt32(digit - 0x30), 1 << 16)
    }
    return UInt16(exactly: value).map(Optional.some)
  }

  /// Source: <https://url.spec.whatwg.org/#file-host-state>.
  private static func isValidFile(_ bytes: Bytes, from start: Int) -> Bool {
    guard start + 1 < bytes.count, isSlash(bytes[start]), isSlash(bytes[start + 1]) else {
      return true
    }
    let hostStart = start + 2
    var end = hostStart
    while end < bytes.count, !ByteClass(of: bytes[end]).contains(.endsAuthority) { end += 1 }
    let host = bytes[part: hostStart..<end]
    let isDriveLetter =
      host.count == 2 && host[0].isASCIILetter
      && (host[1] == UInt8(ascii: ":") || host[1] == UInt8(ascii: "|"))
    return host.isEmpty || isDriveLetter || Host.parse(host) { $0 != nil }
  }

  private static func isValidOpaque(_ bytes: Bytes, from start: Int) -> Bool {
    guard start + 1 < bytes.count, bytes[start] == UInt8(ascii: "/"),
      bytes[start + 1] == UInt8(ascii: "/")
    else { return true }
    guard let parts = authority(of: bytes, from: start + 2, scheme: .other) else { return false }
    return parts.host.isEmpty || Host.isValidOpaque(bytes[part: parts.host])
  }

  /// The origin of a `blob:` URL is that of the http(s) URL that is its path.
  ///
  /// Source: <https://url.spec.whatwg.org/#concept-url-origin>
  static func originInside(_ blob: OpaqueURL) -> Origin? {
    let bytes = blob.bytes
    var start = blob.colon + 1
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: "?"), bytes[end] != UInt8(ascii: "#") {
      end += 1
    }
    // Of what would be stripped at the ends, the path's serialization keeps only leading spaces.
    while start < end, bytes[start] == UInt8(ascii: " ") { start += 1 }
    return parse(clean: bytes[part: start..<end]) { inner in
      guard case .tuple(let url) = inner, url.parts.scheme.isHTTP else { return nil }
      return url.origin
    }
  }
}
