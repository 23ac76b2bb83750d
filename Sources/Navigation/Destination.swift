/// Where a URL belongs; the raw values are the words of the bus contract.
public enum Destination: String, Sendable, CaseIterable {
  /// The shell: the URL has the active origin, or is a `sovereign:` link.
  case shell
  /// The system's web browser.
  case browser
  /// The shell, after the instance the URL belongs to was made the active one.
  case `switch`
  /// The desktop's own handler of the URL's scheme.
  case handler
  /// Nowhere.
  case blocked
}
