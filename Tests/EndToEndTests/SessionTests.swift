import Bus
import Glibc
import TestSupport
import Testing

/// Focus, environment and processes, as only a user manager has them.
extension EndToEnd.WithSystemd {
  @Suite struct SessionTests {
    // MARK: Focus

    @Test func aTokenGoesToAnApplicationOnTheBusOnce() throws {
      let session = try TestSession()
      let browser = try session.installBusApplication("org.example.Tokens")
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      let client = try Client(session)
      _ = try client.open(
        EndToEnd.foreign + "/1", options: [("activation-token", .string("token-1"))])
      _ = try client.open(EndToEnd.foreign + "/2")
      #expect(try browser.links == [EndToEnd.foreign + "/1", EndToEnd.foreign + "/2"])
      #expect(try browser.tokens == ["token-1", ""])
    }

    // MARK: Environment

    @Test func whatAppearsInTheManagersEnvironmentCountsAtOnce() throws {
      let session = try TestSession()
      _ = try session.servicePID()
      let late = try session.installApplication("late")
      let directory = session.home + "/.local/share/test/elsewhere"
      try makeDirectories(directory + "/share/applications")
      try makeDirectories(directory + "/bin")
      symlink(late.program, directory + "/bin/late-browser")
      unlink("\(session.home)/.local/share/applications/\(late.id)")
      try writeFile(
        "\(directory)/share/applications/\(late.id)",
        "[Desktop Entry]\nType=Application\nName=Late\nExec=late-browser %u\n"
          + "MimeType=x-scheme-handler/https;\n")
      try session.makeUsTheDefault()
      try writeFile(
        session.home + "/.config/latedesktop-mimeapps.list",
        "[Default Applications]\nx-scheme-handler/https=\(late.id)\n")
      defer { unlink(session.home + "/.config/latedesktop-mimeapps.list") }

      let variables = [
        "XDG_CURRENT_DESKTOP=LateDesktop", "XDG_DATA_DIRS=\(directory)/share:/usr/share",
        "PATH=\(directory)/bin:/usr/bin:/bin", "WAYLAND_DISPLAY=wayland-late",
      ]
      let before = try session.managerEnvironment()
      _ = try session.run(["systemctl", "--user", "set-environment"] + variables)
      defer {
        let names = variables.map { String($0.prefix { $0 != "=" }) }
        _ = try? session.run(["systemctl", "--user", "unset-environment"] + names)
        _ = try? session.run(
          ["systemctl", "--user", "set-environment"]
            + before.filter { line in names.contains { line.hasPrefix($0 + "=") } })
      }
      #expect(try session.property("Browser") == "s \"\(late.id)\"")
      _ = try session.call("Open", "sa{sv}", EndToEnd.foreign, "0")
      let launch = try #require(try late.launches(1)?.first)
      for variable in variables { #expect(launch.environment.contains(variable)) }
    }

    @Test func theCallersDisplayIsForItsLinkAlone() throws {
      let (session, _, browser) = try TestSession.withApplications()
      let display = ["DISPLAY": ":78", "WAYLAND_DISPLAY": "wayland-9", "XAUTHORITY": "/x"]
      #expect(
        try session.managerEnvironment().allSatisfy { line in
          display.keys.allSatisfy { !line.hasPrefix($0 + "=") }
        })
      _ = try session.run(["xdg-open", EndToEnd.foreign + "/1"], adding: display)
      let first = try #require(try browser.launches(1)?.first)
      for (name, value) in display { #expect(first.environment.contains("\(name)=\(value)")) }

      _ = try session.call("Open", "sa{sv}", EndToEnd.foreign + "/2", "0")
      let second = try #require(try browser.launches(2)?.last)
      for name in display.keys {
        #expect(second.environment.allSatisfy { !$0.hasPrefix(name + "=") }, "\(name)")
      }
    }

    struct Terminal: Sendable {
      var manager: [String] = Self.session
      let variables: [String]
      let expected: [String]

      static let session = [
        "DISPLAY=:0", "SWAYSOCK=/s", "WAYLAND_DISPLAY=wayland-0", "XAUTHORITY=/a",
        "XDG_SESSION_TYPE=wayland",
      ]
    }

    @Test(
      arguments: [true, false],
      [
        Terminal(variables: ["DISPLAY=:93"], expected: ["DISPLAY=:93"]),
        // Which is not the session's only because the session has none.
        Terminal(
          manager: ["WAYLAND_DISPLAY=wayland-0", "XDG_SESSION_TYPE=wayland"],
          variables: ["DISPLAY=:93"], expected: ["DISPLAY=:93"]),
        Terminal(
          variables: ["WAYLAND_DISPLAY=wayland-9"],
          expected: ["WAYLAND_DISPLAY=wayland-9", "XDG_SESSION_TYPE=wayland"]),
        Terminal(variables: ["DISPLAY=:0"], expected: Terminal.session),
        Terminal(variables: ["XAUTHORITY=/b"], expected: Terminal.session),
        Terminal(variables: ["DISPLAY=", "XAUTHORITY=/b"], expected: Terminal.session),
      ])
    func nothingLeadsToAnotherDisplayThanTheTerminals(
      _ hasService: Bool, _ terminal: Terminal
    ) throws {
      let (session, _, browser) = try TestSession.withApplications()
      let names = Terminal.session.map { String($0.prefix { $0 != "=" }) }
      func systemctl(_ arguments: [String]) throws {
        let result = try session.run(["systemctl", "--user"] + arguments)
        guard result.status == 0 else { throw SessionError(result.errorText) }
      }
      try systemctl(["unset-environment"] + names)
      try systemctl(["set-environment"] + terminal.manager)
      defer { try? systemctl(["unset-environment"] + names) }
      let unit = "sovereign-navigation.service"
      if !hasService {
        try systemctl(["stop", unit])
        try systemctl(["mask", "--runtime", unit])
      }
      defer { if !hasService { try? systemctl(["unmask", "--runtime", unit]) } }

      let result = try session.run(
        ["env"] + names.flatMap { ["-u", $0] } + terminal.variables
          + ["sovereign-navigation", "open", EndToEnd.foreign])
      #expect(result.status == 0, "\(result)")
      let launch = try #require(try browser.launches(1)?.first)
      let found = launch.environment.filter { line in
        names.contains { line.hasPrefix($0 + "=") }
      }
      #expect(found.sorted() == terminal.expected)
    }

    @Test func aBrowserHasTheManagersEnvironmentAndNothingOfOurs() throws {
      let (session, _, browser) = try TestSession.withApplications()
      let client = try Client(session)
      _ = try client.open(EndToEnd.foreign)
      let launch = try #require(try browser.launches(1)?.first)
      // systemd.exec(5): what a unit of any kind gets.
      let own: Set = [
        "INVOCATION_ID", "JOURNAL_STREAM", "MANAGERPID", "MANAGERPIDFDID", "SYSTEMD_EXEC_PID",
        "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE",
      ]
      let others = launch.environment.filter { line in !own.contains { line.hasPrefix($0 + "=") } }
      #expect(Set(others) == Set(try session.managerEnvironment()))
    }

    // MARK: Processes

    /// As one that a terminal starts.
    @Test func aBrowserIgnoresNoSignal() throws {
      let session = try TestSession()
      let record = session.home + "/.local/share/test/ignored"
      let browser = try session.installApplication(
        "signals",
        then: "grep ^SigIgn: /proc/$$/status >'\(record).part'; mv '\(record).part' '\(record)'")
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      _ = try session.call("Open", "sa{sv}", EndToEnd.foreign, "0")
      let ignored = try #require(poll { try? readFile(record) })
      let mask = String(decoding: ignored, as: UTF8.self).split(whereSeparator: \.isWhitespace).last
      let signals = try #require(mask.flatMap { UInt64($0, radix: 16) })
      // 32 and 33 are glibc's own; what it starts with posix_spawn(3) ignores them, and so do its children.
      #expect(signals & ~(3 << 31) == 0, "\(String(signals, radix: 16))")
    }

    @Test(arguments: ["crash", "restart", "stop"])
    func aBrowserOutlivesOurs(_ end: String) throws {
      let session = try TestSession()
      let browser = try session.installApplication("long-running", then: "exec sleep 60")
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      _ = try session.call("Open", "sa{sv}", EndToEnd.foreign, "0")
      let launch = try #require(try browser.launches(1)?.first)
      if end == "crash" {
        try session.endService(SIGKILL)
      } else {
        _ = try session.run(["systemctl", "--user", end, "sovereign-navigation.service"])
      }
      _ = try session.servicePID()
      #expect(kill(launch.pid, 0) == 0)
      let unit = launch.controlGroup.split(separator: "/").last.map(String.init) ?? ""
      #expect(try session.run(["systemctl", "--user", "is-active", unit]).text == "active")
    }

    /// As a browser that takes long to start does, too.
    @Test(arguments: ["", "SystemdService=there-is-none.service\n"])
    func aBrowserThatDoesNotComeUpKeepsNobodyElseWaiting(_ more: String) throws {
      let session = try TestSession()
      let name = "org.example.Slow" + (more.isEmpty ? "" : "Unit")
      try session.installBusService(name, command: "/bin/sleep 8", more: more)
      try writeFile(
        "\(session.home)/.local/share/applications/\(name).desktop",
        "[Desktop Entry]\nType=Application\nName=Slow\nDBusActivatable=true\n")
      _ = try session.call("SetOption", "ss", "Browser", name + ".desktop")
      let connection = try Connection()
      let call = try connection.makeCall(
        to: "fs.sovereign.Navigation", path: "/fs/sovereign/Navigation",
        interface: "fs.sovereign.Navigation", member: "Open")
      try call.append(EndToEnd.foreign)
      try call.append(options: [])
      var error: BusError?
      try connection.send(call) { error = $0.error }
      connection.flush()
      let client = try Client(session)
      for _ in 1...100 { #expect(try client.decide(EndToEnd.foreign) == "browser") }
      while try connection.process() {}
      // Without a unit of that name some buses say so at once.
      #expect(error == nil || error?.name == "fs.sovereign.Navigation.Error.LaunchFailed")
      if more.isEmpty { #expect(error == nil, "it was not waited for") }
    }
  }
}

extension TestSession {
  fileprivate func managerEnvironment() throws -> [String] {
    try run(["systemctl", "--user", "show-environment"]).text.split(separator: "\n")
      .map(String.init)
  }
}
