import Bus
import Glibc
import TestSupport
import Testing

extension EndToEnd {
  /// What another program of the user may try on the bus.
  @Suite struct TrustTests {
    /// Neither the name nor a place in the queue behind it.
    @Test func nobodyTakesTheNameFromTheRunningService() throws {
      let session = try TestSession()
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      let pid = try session.servicePID()
      // REPLACE_EXISTING, with and without DO_NOT_QUEUE: 2 is IN_QUEUE, 3 is EXISTS.
      for (flags, answer) in [("6", "u 3"), ("2", "u 2")] {
        #expect(try session.bus("RequestName", "su", Self.name, flags) == answer)
      }
      #expect(try session.servicePID() == pid)
      #expect(try session.property("ActiveOrigin") == "s \"\(EndToEnd.instance)\"")
    }

    /// Who has the name before the service runs answers for it. No link is lost by that, nothing is
    /// written, and the user learns of it.
    @Test func aNameThatIsTakenBeforehandLosesNoLink() throws {
      let (session, shell, browser) = try TestSession.withApplications()
      try session.endService(SIGTERM)
      let thief = try FakeService { (call) throws(BusError) in
        throw BusError(
          name: "org.freedesktop.DBus.Error.UnknownMethod", message: "this is another service")
      }
      let before = try readFile(session.home + "/.config/sovereign/navigation.conf")
      let program = (Installation.prefix ?? "") + "/libexec/sovereign-navigationd"
      let service = try session.run([program])
      #expect(service.status == 17, "\(service)")
      #expect(service.errorText.contains("the bus name \(Self.name) is taken"), "\(service)")
      #expect(try readFile(session.home + "/.config/sovereign/navigation.conf") == before)

      let doctor = try session.run(["sovereign-navigation", "doctor"])
      #expect(doctor.status == 1 && doctor.text.contains("has the service's name on the bus"))
      #expect(doctor.text.contains("and is not \(program)"), "\(doctor)")
      for link in [EndToEnd.foreign, EndToEnd.instance + "/x"] {
        let opened = try session.run(["sovereign-navigation", "open", link])
        #expect(opened.status == 0, "\(opened)")
      }
      #expect(try browser.launches(1)?.count == 1)
      #expect(try shell.launches(1)?.count == 1)

      try thief.end()
      #expect(try session.property("ActiveOrigin") == "s \"\(EndToEnd.instance)\"")
    }

    /// Kept with calls that wait, they could be more than a process may have. What starts the service is
    /// no exception.
    @Test func theBusRefusesFileDescriptors() throws {
      let session = try TestSession()
      try session.endService(SIGTERM)
      for member in ["Decide", "DecideMany", "Explain"] {
        let error = try #require(try callWithDescriptor(member))
        // dbus-daemon's and dbus-broker's; ours would be another.
        #expect(
          ["org.freedesktop.DBus.Error.NotSupported", "org.freedesktop.DBus.Error.Failed"]
            .contains(error.name), "\(member): \(error)")
      }
      #expect(try session.call("Decide", "s", EndToEnd.foreign) == #"s "browser""#)
    }

    private static let name = "fs.sovereign.Navigation"
  }
}

extension TestSession {
  /// What `busctl` prints as the answer of the bus itself.
  fileprivate func bus(
    _ member: String, _ signature: String, _ arguments: String...
  ) throws -> String {
    try run(
      [
        "busctl", "--user", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
        "org.freedesktop.DBus", member, signature,
      ] + arguments
    ).text
  }
}

extension EndToEnd.WithSystemd {
  /// Any program can put variables into the environment of what the bus and the manager start.
  @Test func aLibraryThatSomebodyPutsIntoTheEnvironmentIsNotLoaded() throws {
    let session = try TestSession()
    _ = try session.run(["systemctl", "--user", "stop", "sovereign-navigation.service"])
    // Part of the C library's package, and of no program.
    let library = "libthread_db.so.1"
    let update = "dbus-update-activation-environment"
    defer {
      _ = try? session.run([update, "LD_PRELOAD="])
      _ = try? session.run(["systemctl", "--user", "unset-environment", "LD_PRELOAD"])
    }
    let updated = try session.run([update, "--systemd", "LD_PRELOAD=\(library)"])
    #expect(updated.status == 0, "\(updated)")
    let other = try session.run([
      "systemd-run", "--user", "--pipe", "--wait", "--quiet", "cat", "/proc/self/maps",
    ])
    #expect(other.text.contains(library), "\(other)")

    let pid = try session.servicePID()
    let maps = String(decoding: try readFile("/proc/\(pid)/maps"), as: UTF8.self)
    #expect(maps.contains("sovereign-navigationd") && !maps.contains(library))
    let variables = try readFile("/proc/\(pid)/environ").split(separator: 0)
    #expect(!variables.contains { $0.starts(with: "LD_".utf8) })
  }
}

extension EndToEnd.WithoutSystemd {
  /// Any program can take the service's name before it runs.
  @Test func whatAFalseServiceSaysReachesNoTerminal() throws {
    let session = try TestSession()
    let origin = "https://a.example\u{1B}[2J"
    let harmless = "https://a.example\u{FFFD}[2J"
    let service = try FakeService { (call) throws(BusError) in
      let reply = try call.makeReturn()
      guard call.isCall(of: "GetAll", in: "org.freedesktop.DBus.Properties") else {
        try reply.append(origin)
        return try reply.send()
      }
      try reply.appendContainer("a", "{sv}") { () throws(BusError) in
        try reply.appendContainer("e", "sv") { () throws(BusError) in
          try reply.append("ActiveOrigin")
          try reply.append(.string(origin))
        }
        try reply.appendContainer("e", "sv") { () throws(BusError) in
          try reply.append("Instances")
          try reply.appendContainer("v", "a(ssxa{sv})") { () throws(BusError) in
            try reply.appendContainer("a", "(ssxa{sv})") { () throws(BusError) in
              try reply.appendContainer("r", "ssxa{sv}") { () throws(BusError) in
                try reply.append(origin)
                try reply.append("label")
                try reply.append(Int64(0))
                try reply.append(options: [])
              }
            }
          }
        }
      }
      try reply.send()
    }
    for (command, answer) in [
      (["active"], harmless), (["active", "a.example"], harmless),
      (["instances"], harmless + "\tlabel\tactive"),
      (["instances", "add", "a.example", "--no-verify"], harmless),
    ] {
      let result = try session.run(["sovereign-navigation"] + command)
      #expect(result.status == 0 && result.text == answer, "\(command): \(result)")
    }
    let monitor = try session.start(["sovereign-navigation", "monitor"])
    let line = try poll { () -> String? in
      try service.announce(origin)
      let lines = String(decoding: monitor.output, as: UTF8.self).split(separator: "\n")
      return lines.first.map(String.init)
    }
    #expect(line == harmless)
    try service.end()
  }
}
