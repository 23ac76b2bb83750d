public import WebOrigin

/// Where a URL belongs, and all that helps a person understand why.
public struct Decision: Hashable, Sendable {
  /// Where the URL belongs.
  public let destination: Destination
  /// Why.
  public let reason: Reason
  /// What is handed over, unless the application needs another form; empty if it is blocked.
  public let url: String
  /// The URL's origin; `nil` if it is opaque or the string is no URL.
  public let origin: Origin?
  /// The stored instance that the URL belongs to, if there is one.
  public let instance: Instance?
  /// How the URL's origin nearly is the active one.
  public let hint: Hint?
  /// The URL as a browser understands it; `nil` unless it is http(s) or a link to a stored instance.
  package let webURL: String?
}
