import Glibc
import TestSupport
import Testing

extension EndToEnd {
  /// What would end a systemd session along with its tests.
  @Suite struct WithoutSystemd {
    /// Whoever activates us may have such variables left from a unit of its own.
    @Test func anEnvironmentThatSystemdWouldNotMakeKeepsNobodyFromStarting() throws {
      let session = try TestSession()
      _ = try session.run([
        "dbus-update-activation-environment", "WATCHDOG_USEC=soon", "NOTIFY_SOCKET=nowhere",
      ])
      #expect(try session.call("Decide", "s", EndToEnd.foreign) == #"s "browser""#)
    }

    @Test func theServiceEndsWithItsBus() throws {
      let session = try TestSession()
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      let pid = try session.servicePID()
      try session.endBus()
      #expect(EndToEnd.hasEnded(pid))
    }

    @Test func theServiceEndsWithItsBusAfterALaunch() throws {
      let (session, _, browser) = try TestSession.withApplications()
      _ = try session.run(["gio", "open", EndToEnd.foreign])
      try #require(try browser.launches(1) != nil)
      let pid = try session.servicePID()
      try session.endBus()
      #expect(EndToEnd.hasEnded(pid))
    }
  }
}
