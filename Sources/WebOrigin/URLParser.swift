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
    guard stripped.contains(where: \.isTabOrNewline) else { return parse(clean: stripped, body) }
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
    guard let colon = schemeEnd(of: bytes) else { return body(.failure) }
    let scheme = Scheme(bytes[part: 0..<colon])
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

  /// Source: <https://url.spec.whatwg.org/#scheme-start-state> and the state after it.
  private static func schemeEnd(of bytes: Bytes) -> Int? {
    guard let first = bytes.first, first.isASCIILetter else { return nil }
    for index in 1..<bytes.count {
      switch Unicode.Scalar(bytes[index]) {
      case "a"..."z", "A"..."Z", "0"..."9", "+", "-", ".": continue
      case ":": return index
      default: return nil
      }
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
    loop: while end < bytes.count {
      switch Unicode.Scalar(bytes[end]) {
      case "/", "?", "#": break loop
      case "\\" where scheme.isSpecial: break loop
      case "@": hostStart = end + 1
      default: break
      }
      end += 1
    }
    var hostEnd = hostStart
    var isInBrackets = false
    scan: while hostEnd < end {
      switch Unicode.Scalar(bytes[hostEnd]) {
      case ":" where !isInBrackets: break scan
      case "[": isInBrackets = true
      case "]": isInBrackets = false
      default: break
      }
      hostEnd += 1
    }

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
