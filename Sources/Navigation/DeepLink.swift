import WebOrigin

/// `sovereign://HOST[:PORT]…`, the links that the shell registers itself for.
///
/// `sovereign:` is not a special scheme, so that parsers differ on its authority: only what all
/// read alike is a deep link. HOST is parsed as in an http(s) URL; user info, `\`, an empty host
/// and an empty port make the link malformed.
struct DeepLink {
  let host: String
  let port: UInt16?
  /// Path, query and fragment.
  let rest: UnsafeBufferPointer<UInt8>

  static let scheme = "sovereign"
  /// Names the shell's sign-in, and thus no instance.
  static let callbackHost = "oauth"

  init?(_ url: OpaqueURL) {
    let bytes = url.bytes[part: (url.colon + 1)..<url.bytes.count]
    let slash = UInt8(ascii: "/")
    guard bytes.count > 2, bytes[0] == slash, bytes[1] == slash else { return nil }
    let end =
      bytes.dropFirst(2).firstIndex { byte in
        byte == slash || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
      } ?? bytes.count
    var hostEnd = 2
    if bytes[2] == UInt8(ascii: "[") {
      while hostEnd < end, bytes[hostEnd] != UInt8(ascii: "]") { hostEnd += 1 }
    }
    while hostEnd < end, bytes[hostEnd] != UInt8(ascii: ":") { hostEnd += 1 }

    if hostEnd < end {
      guard let port = Self.port(bytes[part: (hostEnd + 1)..<end]) else { return nil }
      self.port = port
    } else {
      port = nil
    }
    let host = Host.parse(bytes[part: 2..<hostEnd]) { host in
      host.map { String(decoding: $0.name, as: UTF8.self) }
    }
    guard let host else { return nil }
    self.host = host
    rest = bytes[part: end..<bytes.count]
  }

  private static func port(_ digits: UnsafeBufferPointer<UInt8>) -> UInt16? {
    // UInt16 would also take a sign.
    guard digits.allSatisfy(\.isASCIIDigit) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self))
  }

  /// Whether this is what the shell's sign-in waits for.
  var isShellCallback: Bool { host == Self.callbackHost && port == nil }

  /// Which stored instance the link names: the active one if several have its host.
  func instance(among instances: [Instance], active: Origin?) -> Int? {
    let matching = instances.indices.filter { index in
      let origin = instances[index].origin
      return origin.host == host && (port == nil || port == origin.effectivePort)
    }
    return matching.first { instances[$0].origin == active } ?? matching.first
  }

  /// The same page at the instance.
  func webURL(at instance: Instance) -> String {
    var text = Array(instance.origin.description.utf8)
    text.appendPercentEncoding(rest, where: { $0.isEncodedInHTTP })
    return String(decoding: text, as: UTF8.self)
  }
}

extension OpaqueURL {
  /// A `sovereign:` link as it came; control characters alone are percent-encoded, for none of them
  /// gets through a process's arguments and an application's parser alike.
  var unchanged: String {
    var text: [UInt8] = []
    text.appendPercentEncoding(bytes) { $0 < 0x20 || $0 == 0x7F }
    return String(decoding: text, as: UTF8.self)
  }
}
