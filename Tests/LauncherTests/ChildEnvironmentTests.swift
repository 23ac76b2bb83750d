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
