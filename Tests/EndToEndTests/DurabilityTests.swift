import Glibc
import TestSupport
import Testing

extension EndToEnd {
  @Suite struct DurabilityTests {
    @Test func aHundredKillsInARowDoNotStopActivation() throws {
      let session = try TestSession()
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      for round in 1...100 {
        try session.endService(SIGKILL)
        #expect(
          try session.call("Decide", "s", EndToEnd.instance + "/x") == #"s "shell""#,
          "after kill \(round)")
      }
    }

    @Test func theActiveInstanceSurvivesAPlainRestart() throws {
      let session = try TestSession()
      _ = try session.call("AddInstance", "ssa{sv}", EndToEnd.instance, "My Workspace", "0")
      try session.endService(SIGTERM)
      #expect(try session.property("ActiveOrigin") == "s \"\(EndToEnd.instance)\"")
      #expect(try session.property("Instances").contains("\"My Workspace\""))
    }

    /// The kernel ends a process that does not expect this.
    @Test func aFileThatMayNotGrowIsAnError() throws {
      let session = try TestSession()
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      let pid = try session.servicePID()
      #expect(try session.run(["prlimit", "--pid=\(pid)", "--fsize=20:"]).status == 0)
      let refused = try session.run([
        "sovereign-navigation", "active", EndToEnd.foreign,
      ])
      #expect(refused.status == 1)
      #expect(refused.errorText.contains("File too large"), "\(refused)")
      #expect(try session.servicePID() == pid)
      #expect(try session.property("ActiveOrigin") == "s \"\(EndToEnd.instance)\"")
      #expect(try session.run(["prlimit", "--pid=\(pid)", "--fsize=unlimited:"]).status == 0)
      _ = try session.call("SetActive", "s", EndToEnd.foreign)
    }

    struct Damage: CustomTestStringConvertible {
      let testDescription: String
      let apply: @Sendable (String) throws -> Void
    }

    static let damages = [
      Damage(testDescription: "garbage") {
        try writeFile($0, [0, 0xFF, 0xFE, 0x5B] + Array("x".utf8))
      },
      Damage(testDescription: "empty") { try writeFile($0, "") },
      Damage(testDescription: "over 1 MiB") {
        try writeFile($0, [UInt8](repeating: UInt8(ascii: "#"), count: 1_048_577))
      },
      Damage(testDescription: "a directory") { try replace($0) { mkdir($0, 0o700) } },
      Damage(testDescription: "a pipe") { try replace($0) { mkfifo($0, 0o600) } },
      // Root can read everything; in a systemd session the tests run as an ordinary user.
      Damage(testDescription: "unreadable") { chmod($0, 0) },
    ]

    @Test(arguments: damages)
    func startsFromTheLastGoodStateWhereThePreferenceIs(_ damage: Damage) throws {
      let session = try TestSession()
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      try session.endService(SIGTERM)
      let file = session.home + "/.config/sovereign/navigation.conf"
      try damage.apply(file)
      #expect(try session.call("Decide", "s", EndToEnd.instance) == #"s "shell""#)
      #expect(try session.call("Decide", "s", EndToEnd.foreign) == #"s "browser""#)
      if TestSession.hasSystemd {
        #expect(try poll { try session.journal(about: file, .preferenceProblem).first } != nil)
      }
      _ = chmod(file, 0o600)
    }

    private static func replace(_ path: String, _ make: (String) -> Int32) throws {
      unlink(path)
      guard make(path) == 0 else { throw SystemError("replace \(path)") }
    }
  }
}
