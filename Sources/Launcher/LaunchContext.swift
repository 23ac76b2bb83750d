/// What a launch takes from the call that asked for it, and from nothing else.
package struct LaunchContext: Hashable, Sendable {
  /// The token that lets the application take the focus (xdg-activation-v1). Used once.
  package var activationToken: String?
  /// The startup-notification identifier. Used once.
  package var startupID: String?
  /// Variables of the caller, such as `DISPLAY`, that go over the user manager's.
  package var environment: [String: String]

  package init(
    activationToken: String? = nil, startupID: String? = nil, environment: [String: String] = [:]
  ) {
    self.activationToken = activationToken
    self.startupID = startupID
    self.environment = environment
  }

  /// How many launches without the service led to this process, each by the application that the one before
  /// started.
  package static let chainVariable = "SOVEREIGN_NAVIGATION_CHAIN"

  /// The variables of `environment` that a caller may set.
  package static let allowedVariables: Set<String> = [
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP", "SWAYSOCK",
  ]
}
