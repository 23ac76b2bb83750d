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

  /// What a caller asks for, without what no program could be started with: nothing is lost over that.
  package init(
    asked activationToken: String?, startupID: String?, environment: [String: String]
  ) {
    func token(_ value: String?) -> String? {
      value.flatMap { $0.isEmpty || !$0.canBeAVariable ? nil : $0 }
    }
    self.init(
      activationToken: token(activationToken), startupID: token(startupID),
      environment: environment.filter {
        Self.allowedVariables.contains($0.key) && $0.value.canBeAVariable
      })
  }

  /// How many launches without the service led to this process, each by the application that the one before
  /// started.
  package static let chainVariable = "SOVEREIGN_NAVIGATION_CHAIN"

  /// The variables of `environment` that a caller may set.
  package static let allowedVariables: Set<String> = [
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_CURRENT_DESKTOP", "SWAYSOCK",
  ]

  /// Of a variable's value or a token, in bytes. Nothing that is meant is longer than a path.
  package static let longestValue = 4096
}

extension String {
  /// Whether a program can be started with it as the value of a variable: systemd refuses a unit over a
  /// control character, the kernel a string over 128 KiB.
  fileprivate var canBeAVariable: Bool {
    utf8.count <= LaunchContext.longestValue && utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
