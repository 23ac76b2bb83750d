import Testing

@testable import Launcher

@Suite struct ChildEnvironmentTests {
  private func applied(
    _ base: [String: String], _ context: LaunchContext = LaunchContext()
  ) -> [String] {
    let lines = Session(environment: base, hasManager: false).lines
    return ChildEnvironment(base: base, context: context).applied(to: lines)
      .map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  @Test func whatDescribesOurselvesIsLeftOut() {
    let ours = [
      "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
      "LISTEN_PIDFDID", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "XDG_ACTIVATION_TOKEN",
      "DESKTOP_STARTUP_ID", "GIO_LAUNCHED_DESKTOP_FILE", "GIO_LAUNCHED_DESKTOP_FILE_PID",
      "BAMF_DESKTOP_FILE_HINT", "CHROME_DESKTOP", "ELECTRON_RUN_AS_NODE",
      "SOVEREIGN_NAVIGATION_CHAIN",
    ]
    let base = Dictionary(uniqueKeysWithValues: ours.map { ($0, "x") })
      .merging(["HOME": "/home/a", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/b"]) { $1 }
    #expect(applied(base) == ["DBUS_SESSION_BUS_ADDRESS=unix:path=/b", "HOME=/home/a"])
  }

  @Test(arguments: [
    (LaunchContext(), [] as [String]),
    (
      LaunchContext(activationToken: "t"),
      ["DESKTOP_STARTUP_ID=t", "XDG_ACTIVATION_TOKEN=t"]
    ),
    (LaunchContext(startupID: "i"), ["DESKTOP_STARTUP_ID=i", "XDG_ACTIVATION_TOKEN=i"]),
    (
      LaunchContext(activationToken: "t", startupID: "i"),
      ["DESKTOP_STARTUP_ID=i", "XDG_ACTIVATION_TOKEN=t"]
    ),
    (LaunchContext(environment: ["DISPLAY": ":1"]), ["DISPLAY=:1"]),
    (
      LaunchContext(activationToken: "t", environment: ["XDG_ACTIVATION_TOKEN": "stale"]),
      ["DESKTOP_STARTUP_ID=t", "XDG_ACTIVATION_TOKEN=t"]
    ),
  ])
  func theCallersTokenReplacesAStaleOne(_ context: LaunchContext, _ expected: [String]) {
    let stale = ["XDG_ACTIVATION_TOKEN": "stale", "DESKTOP_STARTUP_ID": "stale"]
    #expect(applied(stale, context) == expected)
    // For a unit, too: removals come after assignments there.
    let child = ChildEnvironment(base: stale, context: context)
    #expect(child.removals.isDisjoint(with: child.assignments.keys))
    #expect(child.assignments.map { "\($0.key)=\($0.value)" }.sorted() == expected)
  }

  @Test func theCallersDisplayGoesOverTheSessions() {
    let context = LaunchContext(environment: ["DISPLAY": ":1"])
    #expect(applied(["DISPLAY": ":0", "A": "b"], context) == ["A=b", "DISPLAY=:1"])
  }

  /// Xlib takes `XAUTHORITY` for whatever display, and toolkits look at `WAYLAND_DISPLAY` before `DISPLAY`.
  @Test(
    arguments: [
      (["DISPLAY": ":93"], true), (["DISPLAY": ":93", "XAUTHORITY": "/b"], true),
      (["DISPLAY": ":93", "WAYLAND_DISPLAY": ""], true), (["DISPLAY": "localhost:0.0"], true),
      (["DISPLAY": "a.example:0"], true), (["DISPLAY": "0"], true),
      (["WAYLAND_DISPLAY": "wayland-9"], true),
      (["DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-9"], true),
      (["DISPLAY": ":93", "WAYLAND_DISPLAY": "wayland-0"], true),
      // The session's own, of which a caller may know less.
      (["DISPLAY": ":0"], false), (["DISPLAY": ":0.0", "WAYLAND_DISPLAY": ""], false),
      (["WAYLAND_DISPLAY": "wayland-0", "XAUTHORITY": "/b"], false),
      (["DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"], false),
      // None.
      ([:], false), (["XAUTHORITY": "/b"], false), (["DISPLAY": "", "SWAYSOCK": "/b"], false),
      (["XDG_CURRENT_DESKTOP": "X"], false),
    ] as [([String: String], Bool)])
  func nothingLeadsFromTheCallersDisplayToTheSessions(
    _ callers: [String: String], _ isAnother: Bool
  ) {
    let base = [
      "DISPLAY": ":0", "SWAYSOCK": "/s", "WAYLAND_DISPLAY": "wayland-0", "XAUTHORITY": "/a",
    ]
    let expected = isAnother ? callers : base.merging(callers) { $1 }
    #expect(
      applied(base, LaunchContext(environment: callers))
        == expected.map { "\($0.key)=\($0.value)" }.sorted())
  }

  @Test(arguments: [
    ("wayland", ["DISPLAY": ":93"], false), ("wayland", ["DISPLAY": ":0"], true),
    ("wayland", ["WAYLAND_DISPLAY": "wayland-9"], true),
    ("wayland", ["DISPLAY": ":93", "WAYLAND_DISPLAY": "wayland-9"], true),
    ("wayland", [:], true), ("x11", ["DISPLAY": ":93"], true),
  ])
  func aSessionsTypeStaysWhereItIsTheDisplays(
    _ type: String, _ callers: [String: String], _ stays: Bool
  ) {
    let base = ["DISPLAY": ":0", "XDG_SESSION_TYPE": type]
    let lines = applied(base, LaunchContext(environment: callers))
    #expect(lines.contains("XDG_SESSION_TYPE=\(type)") == stays)
  }

  @Test(arguments: ["APPDIR", "APPIMAGE"])
  func anAppImageKeepsItsLibrariesToItself(_ mark: String) {
    let base = [
      mark: "/x", "ARGV0": "x", "OWD": "/", "LD_LIBRARY_PATH": "/x/lib", "LD_PRELOAD": "/x.so",
      "PATH": "/bin",
    ]
    #expect(applied(base) == ["PATH=/bin"])
  }

  @Test func aLibraryPathOfTheUsersStays() {
    #expect(applied(["LD_LIBRARY_PATH": "/opt/lib"]) == ["LD_LIBRARY_PATH=/opt/lib"])
  }

  @Test func aValueMayHoldAnything() {
    #expect(applied(["A": "", "B": "=x\ny"]) == ["A=", "B==x\ny"])
  }

  /// environ(7) knows bytes only.
  @Test func whatIsNoTextIsHandedOnAsItIs() {
    let lines =
      [
        "A=\u{301}x", "B=b", "DISPLAY=:0", "DISPLAYS=:0", "LISTEN_FDS=\u{301}", "C", "=d", "E==",
      ].map { Array($0.utf8) } + [
        [0x46, 0x3D, 0xE9, 0x20], [0xE9, 0x3D, 0x78], [0xE8, 0x3D, 0x79],
      ]
    let session = Session(ownLines: lines)
    #expect(session.environment["A"] == "\u{301}x")
    #expect(session.environment["E"] == "=")
    #expect(session.environment["C"] == nil)
    let child = ChildEnvironment(
      base: session.environment, context: LaunchContext(environment: ["DISPLAY": ":1"]))
    let left = lines.filter { ![lines[2], lines[4]].contains($0) }
    #expect(child.applied(to: session.lines) == left + [Array("DISPLAY=:1".utf8)])
  }
}
