import Glibc
import TestSupport

/// A Wayland compositor without a screen: sway(1). It refuses root.
final class Compositor {
  /// Where its clients find it.
  let environment: [String: String]
  private let session: TestSession
  private let sway: Child

  static let isInstalled = ["sway", "swaymsg", "wtype"].allSatisfy { program in
    access("/usr/bin/\(program)", X_OK) == 0
  }

  init(_ session: TestSession) throws {
    let directory = session.home + "/.local/share/test/sway"
    try makeDirectories(directory)
    try writeFile(
      directory + "/config",
      """
      focus_on_window_activation focus
      exec printf %s "$WAYLAND_DISPLAY" >'\(directory)/part' && mv '\(directory)/part' '\(directory)/display'

      """)
    let socket = directory + "/socket"
    sway = try session.start(
      ["sway", "--config", directory + "/config"],
      adding: [
        "WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman",
        "SWAYSOCK": socket,
      ])
    guard let display = poll({ try? readFile(directory + "/display") }) else {
      throw SessionError("sway did not start")
    }
    self.session = session
    environment = [
      "SWAYSOCK": socket, "WAYLAND_DISPLAY": String(decoding: display, as: UTF8.self),
      "GDK_BACKEND": "wayland",
    ]
  }

  /// The application whose window has the focus.
  func focused() throws -> String? {
    let tree = try run(["swaymsg", "--raw", "-t", "get_tree"]).text
    // A node's own fields come before its children.
    return tree.firstMatch(of: /"focused":\s*true.*?"app_id":\s*"([^"]*)"/.dotMatchesNewlines())
      .map { String($0.output.1) }
  }

  func waitForFocus(_ application: String) throws -> Bool {
    try poll { try focused() == application ? true : nil } != nil
  }

  func focus(_ application: String) throws {
    _ = try run(["swaymsg", "[app_id=\"\(application)\"] focus"])
  }

  /// Presses the return key in the focused window, and lets it go, on a keyboard that is there as long.
  func pressReturn() throws {
    _ = try run(["wtype", "-s", "200", "-k", "Return", "-s", "200"])
  }

  private func run(_ arguments: [String]) throws -> CommandResult {
    try session.run(arguments, adding: environment)
  }
}
