import TestSupport
import Testing

extension EndToEnd.WithoutSystemd {
  /// A user manager that is on the bus and never answers, as one that is stopped.
  @Suite struct HangingManagerTests {
    private static let ours = "fs.sovereign.Navigation"
    private static let application = "org.freedesktop.Application"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let link = EndToEnd.foreign + "/1"

    private static let calls: [[String]] = [
      [ours, "Explain", "s", link],
      [ours, "Open", "sa{sv}", link, "0"],
      [ours, "SetOption", "ss", "Browser", "test-browser.desktop"],
      [ours, "SetOption", "ss", "Shell", "test-shell.desktop"],
      [ours, "SetOption", "ss", "Schemes", "x-test"],
      [ours, "Register"],
      [ours, "Unregister"],
      [application, "Activate", "a{sv}", "0"],
      [application, "ActivateAction", "sava{sv}", "shell", "0", "0"],
      [application, "Open", "asa{sv}", "1", EndToEnd.foreign + "/2", "0"],
      [properties, "Get", "ss", ours, "Browser"],
      [properties, "Get", "ss", ours, "Shell"],
      [properties, "Get", "ss", ours, "Registered"],
      [properties, "GetAll", "s", ours],
    ]

    /// Clients give up after five seconds: our library, and who else has no time.
    private func call(_ words: [String], in session: TestSession) throws -> Child {
      try session.start(
        ["busctl", "--user", "--timeout=5", "call", Self.ours, "/fs/sovereign/Navigation"] + words)
    }

    @Test func nobodyWaitsForItForLong() throws {
      let (session, _, browser) = try TestSession.withApplications()
      let manager = try FakeService(
        "org.freedesktop.systemd1", at: "/org/freedesktop/systemd1", answer: { _ in })
      // A second later, so that they come while the service waits for the first.
      let first = try call(Self.calls[0], in: session)
      let pause = try session.run(["sleep", "1"])
      #expect(pause.status == 0)
      let others = try Self.calls.map { try call($0, in: session) }
      for (words, child) in zip([Self.calls[0]] + Self.calls, [first] + others) {
        let result = try child.wait(limit: .seconds(20))
        #expect(result.status == 0, "\(words): \(result.errorText)")
      }
      // What the links belong to is started by the service itself.
      #expect(try browser.launches(3)?.count == 3)
      try manager.end()
    }
  }
}
