import WebOrigin

extension Decision {
  /// What a shell gets, or `nil` if it has no link that names this instance and no other.
  ///
  /// A shell that understands web URLs gets one, for a deep link too. Any other gets
  /// `sovereign://HOST/…`, which it matches by host name alone. What the shell handles itself, its
  /// sign-in and instances not stored yet, is passed on unchanged.
  ///
  /// - Parameter known: The instances in the store of a shell that does not understand web URLs, as far
  ///   as that is known. It would not find another one, and take one with the same host for it.
  package func shellURL(
    understandsWeb: Bool, in policy: Policy, known: ShellInstances? = nil
  ) -> String? {
    guard let webURL else { return url }
    if understandsWeb { return webURL }
    var bytes = webURL
    return bytes.withUTF8 { bytes in
      URLParser.parse(bytes) { parsed in
        guard case .tuple(let page) = parsed else { return nil }
        let origin = page.origin
        guard origin.host != DeepLink.callbackHost else { return nil }
        if let known, !known.contains(origin) || known.hasAnother(withHostOf: origin) {
          return nil
        }
        guard policy.instancesAndActive.count(where: { $0.origin.host == origin.host }) == 1 else {
          return nil
        }
        var rest = page.rest[...]
        if let first = rest.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "\\") {
          rest = rest.dropFirst()
        }
        return "\(DeepLink.scheme)://\(origin.host)/\(String(decoding: rest, as: UTF8.self))"
      }
    }
  }

  /// What a browser gets, or `nil` if it can do nothing with the URL.
  package var browserURL: String? { webURL }
}
