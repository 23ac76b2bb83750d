public import WebOrigin

/// How an origin that is not the active one nearly is.
public enum Hint: String, Sendable, CaseIterable {
  /// Only the scheme differs.
  case scheme
  /// Only the port differs.
  case port
  /// Only a dot at the end of the host differs.
  case trailingDot = "trailing-dot"
  /// Only a leading `www.` differs.
  case www
  /// The host is a sub-domain of the active origin's host.
  case subdomain = "sub-domain"

  /// Compares two origins; `nil` if they are the same or have nothing to do with each other.
  public init?(_ origin: Origin, near active: Origin) {
    let hasSameSchemeAndPort = origin.scheme == active.scheme && origin.port == active.port
    switch (origin.host, active.host) {
    case (let host, let other) where host == other:
      if origin.scheme != active.scheme, origin.port == active.port {
        self = .scheme
      } else if origin.scheme == active.scheme, origin.port != active.port {
        self = .port
      } else {
        return nil
      }
    case (let host, let other)
    where hasSameSchemeAndPort && (host == other + "." || other == host + "."):
      self = .trailingDot
    case (let host, let other)
    where hasSameSchemeAndPort && (host == "www." + other || other == "www." + host):
      self = .www
    case (let host, let other) where host.hasSuffix("." + other):
      self = .subdomain
    default:
      return nil
    }
  }
}
