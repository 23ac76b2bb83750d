import Glibc
import TestSupport
import Testing

extension EndToEnd.WithSystemd {
  @Test func theServiceEndsWithTheGraphicalSessionAndComesBack() throws {
    let session = try TestSession()
    _ = try session.call("SetActive", "s", EndToEnd.instance)
    // It cannot be started by itself, and ends when nothing needs it; systemd.special(7).
    let units = session.home + "/.config/systemd/user"
    try makeDirectories(units)
    try writeFile(
      units + "/test-session.target", "[Unit]\nBindsTo=graphical-session.target\n")
    defer {
      unlink(units + "/test-session.target")
      _ = try? session.run(["systemctl", "--user", "daemon-reload"])
    }
    _ = try session.run(["systemctl", "--user", "daemon-reload"])
    _ = try session.run(["systemctl", "--user", "start", "test-session.target"])
    let pid = try session.servicePID()
    _ = try session.run(["systemctl", "--user", "stop", "test-session.target"])
    #expect(EndToEnd.hasEnded(pid))
    try expectAnother(than: pid, in: session)
  }

  private func expectAnother(than pid: pid_t, in session: TestSession) throws {
    #expect(
      poll {
        (try? session.call("Decide", "s", EndToEnd.instance)) == #"s "shell""# ? true : nil
      } != nil)
    #expect(try session.servicePID() != pid)
  }
}
