import WebOrigin

extension Decision {
  /// What a shell gets, or why it has no link that names this instance and no other.
  ///
  /// A shell that understands web URLs gets one, for a deep link too. Any other gets
  /// `sovereign://HOST/…`, which it matches by host name alone. What the shell handles itself, its
  /// sign-in and instances not stored yet, is passed on unchanged.
  ///
  /// - Parameter known: The instances in the store of a shell that does not understand web URLs, as far
  ///   as that is known. It would not find another one, and take one with the same host for it.
  package func shellAddress(
    understandsWeb: Bool, in policy: Policy, known: ShellInstances? = nil
  ) -> Result<String, AddressingObstacle> {
    guard let webURL, !understandsWeb else { return .success(webURL ?? url) }
    var bytes = webURL
    return bytes.withUTF8 { bytes in
      URLParser.parse(bytes) { parsed in
        guard case .tuple(let page) = parsed else { return .success(webURL) }
        let origin = page.origin
        guard origin.host != DeepLink.callbackHost else { return .failure(.reservedHost) }
        if let known {
          guard known.contains(origin) else { return .failure(.missingInStore) }
          guard !known.hasAnother(withHostOf: origin) else { return .failure(.otherInStore) }
        }
        for instance in policy.instancesAndActive
        where instance.origin.host == origin.host && instance.origin != origin {
          return .failure(.other(instance.origin))
        }
        var rest = page.rest[...]
        if let first = rest.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "\\") {
          rest = rest.dropFirst()
        }
        let path = String(decoding: rest, as: UTF8.self)
        return .success("\(DeepLink.scheme)://\(origin.host)/\(path)")
      }
    }
  }

  /// What a shell gets, or `nil` if there is no such link; see `shellAddress`.
  package func shellURL(
    understandsWeb: Bool, in policy: Policy, known: ShellInstances? = nil
  ) -> String? {
    try? shellAddress(understandsWeb: understandsWeb, in: policy, known: known).get()
  }

  /// What a browser gets, or `nil` if it can do nothing with the URL.
  package var browserURL: String? { webURL }
}
