/// A tuple origin: scheme, host and port, as the URL Standard and HTML define them.
///
/// Two origins are the same if, and only if, all three are equal. Opaque origins have no value of
/// this type, so that none can ever compare equal to another.
///
/// Source: <https://html.spec.whatwg.org/multipage/browsers.html#concept-origin>
public struct Origin: Hashable, Sendable {
  /// The scheme, in lower case: `https`.
  public let scheme: String
  /// The host as the host serializer writes it, in ASCII; IPv6 addresses stand in brackets.
  public let host: String
  /// The port, or `nil` where it is the scheme's default.
  public let port: UInt16?

  package init(scheme: String, host: String, port: UInt16?) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }
}

extension Origin: CustomStringConvertible {
  /// The ASCII serialization: `https://my.sovereign.example:8443`.
  public var description: String {
    guard let port else { return "\(scheme)://\(host)" }
    return "\(scheme)://\(host):\(port)"
  }
}
