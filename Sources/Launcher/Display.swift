/// The display that an environment names: an X server, a Wayland compositor, or both.
package struct Display {
  /// As in `DISPLAY`, without the screen. X(7).
  private let server: String?
  private let compositor: String?

  /// `nil` if `environment` names none.
  package init?(_ environment: [String: String]) {
    func value(_ name: String) -> String? {
      environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
    compositor = value("WAYLAND_DISPLAY")
    server = value("DISPLAY").map { name in
      let number = name.lastIndex(of: ":") ?? name.startIndex
      return String(name[..<(name[number...].firstIndex(of: ".") ?? name.endIndex)])
    }
    if server == nil && compositor == nil { return nil }
  }

  /// What names a display and says how it is reached. Of two displays, they do not go together.
  package static let variables: Set<String> = [
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "SWAYSOCK",
  ]

  /// Whether all it names is what `other` names, which may name more: a terminal from before the X server
  /// started, or one that was told of nothing else.
  func isPart(of other: Display?) -> Bool {
    (server == nil || server == other?.server)
      && (compositor == nil || compositor == other?.compositor)
  }

  /// Of `session`, what would lead an application from this display to another one.
  func misleading(of session: [String: String]) -> Set<String> {
    guard !isPart(of: Display(session)) else { return [] }
    // Qt looks for a compositor wherever the session has this type.
    return compositor == nil && session["XDG_SESSION_TYPE"] == "wayland"
      ? Self.variables.union(["XDG_SESSION_TYPE"]) : Self.variables
  }
}
