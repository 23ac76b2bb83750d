public import WebOrigin

/// Everything a decision depends on besides the URL.
public struct Policy: Hashable, Sendable {
  /// What happens to a link to a stored instance that is not the active one.
  public enum KnownInstances: String, Sendable {
    /// It opens in the browser, like any other link.
    case browser
    /// The instance becomes the active one and the link opens in the shell.
    case `switch`
  }

  /// The active origin, or `nil` if there is none.
  public var active: Origin?
  /// The stored instances, in order.
  public var instances: [Instance]
  /// What happens to links to the instances that are not active.
  public var knownInstances: KnownInstances
  /// Schemes, in lower case, that are handed to the desktop's own handler besides the built-in ones.
  public var schemes: [String]

  /// Makes a policy; without arguments nothing is active and nothing is stored.
  public init(
    active: Origin? = nil, instances: [Instance] = [], knownInstances: KnownInstances = .browser,
    schemes: [String] = []
  ) {
    self.active = active
    self.instances = instances
    self.knownInstances = knownInstances
    self.schemes = schemes
  }
}
