internal import Bus

/// What a caller may say about how a link is opened.
public struct OpenOptions: Hashable, Sendable {
  /// The caller's xdg-activation token; it lets the application take the focus, once.
  public var activationToken: String?
  /// The caller's startup-notification identifier.
  public var startupID: String?
  /// Open in the browser, whatever the decision is: a shell's "open in browser".
  public var forcesBrowser: Bool
  /// The caller's display variables, for this launch: `DISPLAY`, `WAYLAND_DISPLAY`, `XAUTHORITY`,
  /// `XDG_CURRENT_DESKTOP`, `SWAYSOCK`. Others are ignored. Those of a display go with a `DISPLAY` or a
  /// `WAYLAND_DISPLAY`: if that is not the session's, nothing else of the session's display is used.
  public var environment: [String: String]
  /// Show a notification on the desktop if the link cannot be opened: where nobody sees the error.
  public var notifies: Bool

  /// Makes options; by default none.
  public init(
    activationToken: String? = nil, startupID: String? = nil, forcesBrowser: Bool = false,
    environment: [String: String] = [:], notifies: Bool = false
  ) {
    self.activationToken = activationToken
    self.startupID = startupID
    self.forcesBrowser = forcesBrowser
    self.environment = environment
    self.notifies = notifies
  }

  var values: [(String, Variant)] {
    var values: [(String, Variant)] = []
    if let activationToken { values.append(("activation-token", .string(activationToken))) }
    if let startupID { values.append(("desktop-startup-id", .string(startupID))) }
    if forcesBrowser { values.append(("destination", .string("browser"))) }
    if !environment.isEmpty { values.append(("environment", .stringDictionary(environment))) }
    // Said either way: where nothing is to be opened, the service's default is the other one.
    values.append(("notify", .bool(notifies)))
    return values
  }
}
