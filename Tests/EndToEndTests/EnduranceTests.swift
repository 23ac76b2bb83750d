import Bus
import Glibc
import TestSupport
import Testing

extension EndToEnd {
  @Suite struct EnduranceTests {
    /// systemd takes ten times as long for each.
    private static let opens = TestSession.hasSystemd ? 1_000 : 10_000

    @Test func thousandsOfOpensLeakNothing() throws {
      let session = try TestSession()
      try writeFile(
        session.home + "/.local/share/applications/true.desktop",
        "[Desktop Entry]\nType=Application\nName=True\nExec=/bin/true %u\n")
      _ = try session.call("SetOption", "ss", "Browser", "true.desktop")
      let pid = try session.servicePID()
      let idle = try descriptors(of: pid)
      // What is remembered of a minute's links has its full size after the first half.
      try open(0..<Self.opens / 2)
      let before = try memory(of: pid)
      try open(Self.opens / 2..<Self.opens)
      let after = try memory(of: pid)
      #expect(after - before < 1 << 20, "\(before) bytes became \(after)")
      _ = try poll { try descriptors(of: pid) <= idle + 2 ? true : nil }
      let inUse = try descriptors(of: pid)
      #expect(inUse <= idle + 2, "\(idle) descriptors became \(inUse)")
      _ = try poll { try EndToEnd.zombies(of: pid) == 0 ? true : nil }
      #expect(try EndToEnd.zombies(of: pid) == 0)
      #expect(try session.servicePID() == pid)
    }

    /// Opens as many links as the numbers, 50 at a time, each lot as another caller.
    private func open(_ numbers: Range<Int>) throws {
      for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 50) {
        let connection = try Connection()
        var (answered, failures) = (0, 0)
        for number in start..<min(start + 50, numbers.upperBound) {
          let call = try connection.makeCall(
            to: "fs.sovereign.Navigation", path: "/fs/sovereign/Navigation",
            interface: "fs.sovereign.Navigation", member: "Open")
          try call.append("\(EndToEnd.foreign)/\(number)")
          try call.append(options: [])
          try connection.send(call) { reply in
            answered += 1
            if reply.error != nil { failures += 1 }
          }
        }
        while answered < 50 { try connection.wait() }
        #expect(failures == 0)
      }
    }

    private func descriptors(of pid: pid_t) throws -> Int {
      try entries(of: "/proc/\(pid)/fd").count
    }

    /// What is resident, in bytes.
    private func memory(of pid: pid_t) throws -> Int {
      let fields = String(decoding: try readFile("/proc/\(pid)/statm"), as: UTF8.self)
        .split(separator: " ")
      return try #require(Int(fields[1])) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
  }
}

extension EndToEnd.WithoutSystemd {
  /// Whatever started the service may never read what it logs.
  @Test func aLogThatNobodyReadsDelaysNobody() throws {
    let session = try TestSession()
    let service = (Installation.prefix ?? "") + "/libexec/sovereign-navigationd"
    let log = session.home + "/log"
    let child = try session.start([
      "sh", "-c",
      // Only what dd itself opens does not wait: the service's standard error does.
      "mkfifo \(log); exec 2<>\(log); dd if=/dev/zero of=\(log) oflag=nonblock bs=4096 2>/dev/null; "
        + "exec \(service)",
    ])
    let hasName = try poll {
      try session.run(["busctl", "--user", "status", "fs.sovereign.Navigation"]).status == 0
        ? true : nil
    }
    #expect(hasName == true)
    #expect(try session.servicePID() == child.pid)
    for number in 1...3 {
      let refusal = try session.busctl("Open", "sa{sv}", ["javascript:\(number)", "0"])
      #expect(refusal.errorText.contains("links of this scheme are never opened"), "\(refusal)")
    }
    #expect(try session.call("Decide", "s", "javascript:") == "s \"blocked\"")
  }
}
