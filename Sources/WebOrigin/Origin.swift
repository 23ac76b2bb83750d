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

  /// Reads a serialized origin, exactly as ``description`` writes it.
  ///
  /// Accepted: `https://my.sovereign.example`, `https://[::1]:8443`. Refused: any URL whose origin
  /// is written otherwise, such as `https://my.sovereign.example/`, `HTTPS://my.sovereign.example`
  /// and `https://my.sovereign.example:443`; ``URLOrigin`` takes those.
  public init?(serialization: String) {
    guard case .tuple(let origin) = URLOrigin(of: serialization),
      origin.description == serialization
    else { return nil }
    self = origin
  }
}

extension Origin: CustomStringConvertible {
  /// The ASCII serialization: `https://my.sovereign.example:8443`.
  ///
  /// Source: <https://html.spec.whatwg.org/multipage/browsers.html#ascii-serialisation-of-an-origin>
  public var description: String {
    guard let port else { return "\(scheme)://\(host)" }
    return "\(scheme)://\(host):\(port)"
  }
}

extension Origin {
  /// The port, the scheme's default port where none is named.
  package var effectivePort: UInt16? {
    var scheme = scheme
    return port ?? scheme.withUTF8(Scheme.init).defaultPort
  }
}
