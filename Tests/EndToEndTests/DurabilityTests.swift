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

    /// After a moment without free descriptors, what was changed meanwhile is seen, and so is what is
    /// changed later.
    @Test(arguments: [true, false])
    func aLackOfDescriptorsPasses(_ isShellsChange: Bool) throws {
      let session = try TestSession()
      let (first, second) = ("https://first.example", "https://second.example")
      let third = "https://third.example"
      let file = session.home + "/.config/sovereign/navigation.conf"
      let store = session.home + "/.local/share/fs.sovereign.desktop/instances.json"
      for path in [file, store] {
        try makeDirectories(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)))
      }
      func choose(_ origin: String, end: String = "") throws {
        let groups = [first, second, third].enumerated()
          .map { "[Instance \($0)]\nOrigin=\($1)\nAddedAt=1\n" }
        try Self.replaceText(
          of: file, "[Navigation]\nActiveOrigin=\(origin)\n" + groups.joined() + end)
      }
      func chooseInShell(_ origin: String, end: String = "") throws {
        let list = [first, second, third].map { #"{"url":"\#($0)","label":"","addedAt":1}"# }
        try Self.replaceText(
          of: store,
          #"{"instances":[\#(list.joined(separator: ","))],"activeUrl":"\#(origin)"}\#(end)"#)
      }
      func expect(_ origin: String, _ comment: Comment) throws {
        try #require(
          poll(limit: .seconds(20)) {
            (try? session.property("ActiveOrigin")) == "s \"\(origin)\"" ? true : nil
          } != nil, comment)
      }
      try choose(first)
      try chooseInShell(first)
      try expect(first, "at the start")
      try choose(second)
      try expect(second, "an edit")
      let pid = try session.servicePID()
      let limit = try session.run([
        "prlimit", "--pid=\(pid)", "--nofile", "--noheadings", "--output=SOFT",
      ]).text
      let count = try entries(of: "/proc/\(pid)/fd").count
      // Enough for none of the watches, for some, or for all and not for the file.
      for spare in 0...8 {
        let scarce = try session.run(["prlimit", "--pid=\(pid)", "--nofile=\(count + spare):"])
        #expect(scarce.status == 0)
        try choose(isShellsChange ? second : first, end: "# \(spare)\n")
        try chooseInShell(isShellsChange ? third : first, end: " ")
        // Longer than the quiet time: nothing else says that it is over.
        usleep(300_000)
        let ample = try session.run(["prlimit", "--pid=\(pid)", "--nofile=\(limit):"])
        #expect(ample.status == 0)
        try expect(isShellsChange ? third : first, "a change with \(spare) descriptors")
        try chooseInShell(second)
        try expect(second, "a change in the shell, after \(spare)")
        try choose(first)
        try expect(first, "an edit, after \(spare)")
        try choose(second)
        try expect(second, "another edit, after \(spare)")
        try chooseInShell(first)
        try expect(first, "another change in the shell, after \(spare)")
        try choose(second)
        try expect(second, "the last edit, after \(spare)")
      }
      #expect(try session.servicePID() == pid)
    }

    private static func replaceText(of path: String, _ text: String) throws {
      try writeFile(path + ".new", text)
      #expect(rename(path + ".new", path) == 0)
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
