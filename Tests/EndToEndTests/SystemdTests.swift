import Bus
import Glibc
import TestSupport
import Testing

extension EndToEnd {
  /// What only a systemd user session can show.
  @Suite struct WithSystemd {
    @Test func aBrowserHasAUnitOfItsOwnAndOutlivesARestartOfOurs() throws {
      let (session, _, _) = try TestSession.withApplications()
      let browser = try session.installApplication("long-running", then: "exec sleep 60")
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      let before = try session.servicePID()
      _ = try session.run(["xdg-open", EndToEnd.foreign])
      let launch = try #require(try browser.launches(1)?.first)
      #expect(launch.controlGroup.contains(#"/app.slice/app-sovereign-long\x2drunning@"#))
      #expect(launch.controlGroup.hasSuffix(".service"))

      _ = try session.run(["systemctl", "--user", "restart", "sovereign-navigation.service"])
      #expect(try session.servicePID() != before)
      #expect(kill(launch.pid, 0) == 0)
      let unit = launch.controlGroup.split(separator: "/").last.map(String.init) ?? ""
      #expect(try session.run(["systemctl", "--user", "is-active", unit]).text == "active")
      let description = try session.run([
        "systemctl", "--user", "show", "--property=Description", "--value", unit,
      ])
      #expect(description.text == "long-running")
    }

    /// systemd writes what it is told of a unit into a file, and reads that again when it is reloaded.
    @Test(arguments: [
      #"/tmp\n[Service]\nExecStopPost=true"#, #"/tmp\r[Service]\rExecStopPost=true"#, "/%h",
    ])
    func nothingThatAnEntrySaysIsASettingOfItsUnit(_ path: String) throws {
      let session = try TestSession()
      let browser = try session.installApplication("settings", then: "exec sleep 60")
      let directory = session.home + "/.local/share/test/%h\n[Install]\na"
      try makeDirectories(directory)
      #expect(symlink(browser.program, directory + "/program") == 0)
      let program = directory.replacing("\n", with: #"\n"#).replacing("%", with: "%%") + "/program"
      try writeFile(
        "\(session.home)/.local/share/applications/\(browser.id)",
        #"""
        [Desktop Entry]
        Type=Application
        Name=A\n[Service]\nExecStopPost=true\r[Service]\rExecStopPost=true\r\n%h
        Path=\#(path)
        Exec="\#(program)" "%%h\n[Service]\nExecStopPost=true" %u

        """#)
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      _ = try session.call(
        "Open", "sa{sv}", EndToEnd.foreign + "/%h", "1", "environment", "a{ss}", "1", "DISPLAY",
        #":7%h\"#)
      let launch = try #require(try browser.launches(1)?.first)
      #expect(
        launch.arguments == ["%h\n[Service]\nExecStopPost=true", EndToEnd.foreign + "/%h"])
      #expect(launch.environment.contains(#"DISPLAY=:7%h\"#))
      let unit = launch.controlGroup.split(separator: "/").last.map(String.init) ?? ""
      func properties() throws -> [String] {
        try session.run([
          "systemctl", "--user", "show", unit,
          "--property=Description,Slice,ExecStopPost,WorkingDirectory,Environment,ExitType,OOMPolicy",
        ]).text.split(separator: "\n").map(String.init).sorted()
      }
      let before = try properties()
      #expect(
        before == [
          "Description=A [Service] ExecStopPost=true [Service] ExecStopPost=true  %h",
          #"Environment="DISPLAY=:7%h\\""#, "ExitType=cgroup", "OOMPolicy=continue",
          "Slice=app.slice",
          "WorkingDirectory=!\(path == "/%h" ? path : session.home)",
        ])
      #expect(try session.run(["systemctl", "--user", "daemon-reload"]).status == 0)
      #expect(try properties() == before)
      let file = try session.run(["systemctl", "--user", "cat", unit]).text
      #expect(!file.split(separator: "\n").contains("[Install]"), "\(file)")
    }

    @Test func aBrowserWithALongNameThatSendsALinkBackIsALoop() throws {
      let session = try TestSession()
      let browser = try session.installApplication(
        String(repeating: "long-", count: 40) + "name",
        then: """
          busctl --user call fs.sovereign.Navigation /fs/sovereign/Navigation fs.sovereign.Navigation \
            Open 'sa{sv}' "$1" 0 >"$HOME/.local/share/test/returned" 2>&1
          """)
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      _ = try session.call("Open", "sa{sv}", EndToEnd.foreign, "0")
      let returned = session.home + "/.local/share/test/returned"
      #expect(
        poll { (try? readFile(returned)).flatMap { $0.isEmpty ? nil : true } } != nil)
      #expect(String(decoding: try readFile(returned), as: UTF8.self).contains("sent it back"))
      #expect(try browser.launches.count == 1)
    }

    @Test func aShellThatTellsTheServiceItselfIsFollowedNoMore() throws {
      let session = try TestSession()
      let shell = try session.installStandInShell()
      try shell.click(.connect("https://a.example", label: "A"))
      session.expectToBecomeActive("https://a.example")
      // Somebody else's change does not end it.
      _ = try session.call("SetActive", "s", "mine.example")
      try shell.click(.connect("https://b.example", label: "B"))
      session.expectToBecomeActive("https://b.example")

      let unit = try shell.startKnowingTheService(activating: "https://own.example")
      defer { _ = try? session.run(["systemctl", "--user", "stop", unit]) }
      session.expectToBecomeActive("https://own.example")
      let memory = session.home + "/.local/state/sovereign/followed.conf"
      #expect(
        poll {
          let text = String(decoding: (try? readFile(memory)) ?? [], as: UTF8.self)
          return text.contains("\nFollow=false\n") ? true : nil
        } != nil)
      try shell.click(.switch("https://a.example"))
      // A service that starts looks at once.
      try session.endService(SIGTERM)
      #expect(try session.property("ActiveOrigin") == #"s "https://own.example""#)
      #expect(
        try session.run(["sovereign-navigation", "explain", "https://a.example"]).text
          .contains("active-source: \(session.home)/.config/sovereign/navigation.conf\n"))
    }

    /// The bus starts it, in no unit of ours, and what it starts is told by the process above it.
    @Test(arguments: [("org.example.Back", "link"), ("org.example.Another", "link + '?again'")])
    func aBrowserOnTheBusThatSendsALinkBackIsALoop(_ name: String, _ returned: String) throws {
      let session = try TestSession()
      let server = try NotificationServer()
      defer { try? server.end() }
      let browser = try session.installBusApplication(
        name, whenGiven: "subprocess.Popen(['env', 'DISPLAY=:77', 'xdg-open', \(returned)])")
      try session.makeUsTheDefault()
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      _ = try session.call("Open", "sa{sv}", EndToEnd.foreign + "/", "0")
      let notice = try #require(try poll { try server.notifications.first })
      #expect(notice.body.hasPrefix("\(name).desktop was given"), "\(notice.body)")
      #expect(try browser.links == [EndToEnd.foreign + "/"])
    }

    @Test func theServiceRunsInTheSessionSlice() throws {
      let session = try TestSession()
      let group = try readFile("/proc/\(session.servicePID())/cgroup")
      #expect(
        String(decoding: group, as: UTF8.self)
          .contains("/session.slice/sovereign-navigation.service"))
    }

    @Test func aMissingProgramIsNamedAHundredTimesOutOfAHundred() throws {
      let (session, _, _) = try TestSession.withApplications()
      let browser = try session.installApplication("vanished")
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      unlink(browser.program)
      try expectLaunchFailed(browser, in: session)
    }

    // The file is there, so that only the exec itself can find out: exit status 203.
    @Test func aProgramThatCannotRunIsNamedAHundredTimesOutOfAHundred() throws {
      let (session, _, _) = try TestSession.withApplications()
      let browser = try session.installApplication("uninterpreted")
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      try writeFile(browser.program, "#!/nonexistent/interpreter\n")
      try expectLaunchFailed(browser, in: session)
    }

    @Test func aProgramThatEndsAtOnceIsASuccessAHundredTimesOutOfAHundred() throws {
      for exit in ["exit 0", "exit 1"] {
        let (session, _, _) = try TestSession.withApplications()
        let browser = try session.installApplication("brief", then: exit)
        _ = try session.call("SetOption", "ss", "Browser", browser.id)
        for round in 1...100 {
          // One caller may open no more than fifty links in ten seconds.
          let client = try Client(session)
          #expect(try client.open("\(EndToEnd.foreign)/\(round)") == "browser")
        }
        let launches = try #require(try browser.launches(100))
        #expect(
          launches.flatMap(\.arguments).sorted()
            == (1...100).map { "\(EndToEnd.foreign)/\($0)" }.sorted())
      }
    }

    private func expectLaunchFailed(
      _ application: RecordingApplication, in session: TestSession
    ) throws {
      for round in 1...100 {
        let client = try Client(session)
        do {
          let destination = try client.open("\(EndToEnd.foreign)/\(round)")
          Issue.record("round \(round): \(destination)")
        } catch {
          #expect(error.name == "fs.sovereign.Navigation.Error.LaunchFailed", "round \(round)")
          #expect(error.message.contains(application.program), "round \(round)")
        }
      }
    }
  }
}
