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

    /// Of a directory whose name an address may not hold as it is.
    @Test func withoutAnAddressTheBusOfTheRuntimeDirectoryIsUsed() throws {
      let session = try TestSession()
      let address = try #require(session.environment["DBUS_SESSION_BUS_ADDRESS"])
      let directory = session.home + "/a\u{1} b%;,=é\u{7F}"
      try makeDirectories(directory)
      symlink(String(address.dropFirst("unix:path=".count)), directory + "/bus")
      let result = try session.run([
        "env", "--unset=DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR=\(directory)",
        "sovereign-navigation", "active", EndToEnd.instance,
      ])
      #expect(result.status == 0, "\(result)")
      #expect(try session.property("ActiveOrigin") == "s \"\(EndToEnd.instance)\"")
    }

    @Test func theServiceEndsWithItsBus() throws {
      let session = try TestSession()
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      let pid = try session.servicePID()
      try session.endBus()
      #expect(EndToEnd.hasEnded(pid))
      let line = "the service ends: the connection to the session bus is lost"
      #expect(try session.journal().filter { $0.hasPrefix("the service ends") } == [line])
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
