import Bus
import TestSupport
import Testing

extension EndToEnd {
  /// org.freedesktop.Application as launchers call it.
  @Suite struct ApplicationTests {
    private static let entry =
      (Installation.prefix ?? "") + "/share/applications/fs.sovereign.Navigation.desktop"

    /// GLib, with the installed entry as `application` and the arguments as `arguments`.
    private func glib(_ script: String, _ arguments: [String]) -> [String] {
      [
        "python3", "-c",
        """
        import sys
        import gi
        from gi.repository import Gio
        class Context(Gio.AppLaunchContext):
            def do_get_startup_notify_id(self, application, files):
                return "token-of-glib"
        application = Gio.DesktopAppInfo.new_from_filename(sys.argv[1])
        arguments = sys.argv[2:]
        \(script)
        Gio.bus_get_sync(Gio.BusType.SESSION).flush_sync()
        """, Self.entry,
      ] + arguments
    }

    private func makeCall(_ member: String, on connection: Connection) throws(BusError) -> Message {
      try connection.makeCall(
        to: "fs.sovereign.Navigation", path: "/fs/sovereign/Navigation",
        interface: "org.freedesktop.Application", member: member)
    }

    @Test func glibHandsOverSeveralLinksForSeveralApplications() throws {
      let (session, shell, _) = try TestSession.withApplications()
      let browser = try session.installApplication("test-many", fieldCode: "%U")
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      let links = [
        EndToEnd.foreign + "/1", EndToEnd.instance + "/2", "javascript:3", EndToEnd.foreign + "/4",
      ]
      let result = try session.run(glib("application.launch_uris(arguments, Context())", links))
      #expect(result.status == 0, "\(result)")
      let browsed = try #require(try browser.launches(1))
      #expect(browsed.map(\.arguments) == [[links[0], links[3]]])
      #expect(browsed[0].environment.contains("XDG_ACTIVATION_TOKEN=token-of-glib"))
      #expect(try shell.launches(1)?.map(\.arguments) == [[links[1]]])
    }

    /// Each link is decided when those before it are opened, and one call makes one instance active at most.
    @Test func oneCallWithLinksOfSeveralInstancesSwitchesOnce() throws {
      let (session, _, _) = try TestSession.withApplications()
      let shell = try session.installApplication(
        "test-many-shell", fieldCode: "%U",
        keys: ["MimeType=x-scheme-handler/sovereign;", "X-Sovereign-Shell=true"])
      let browser = try session.installApplication("test-many", fieldCode: "%U")
      for (name, value) in [
        ("Shell", shell.id), ("Browser", browser.id), ("KnownInstances", "switch"),
      ] { _ = try session.call("SetOption", "ss", name, value) }
      let others = ["https://one.example", "https://two.example"]
      for origin in others { _ = try session.call("AddInstance", "ssa{sv}", origin, "", "0") }
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      let links = [
        EndToEnd.instance + "/0", others[0] + "/1", EndToEnd.instance + "/2", others[0] + "/3",
        others[1] + "/4",
      ]
      // Who has gone when its call is seen might be in a sandbox, and makes no instance the active one.
      let launch = """
        application.launch_uris(arguments, Context())
        Gio.bus_get_sync(Gio.BusType.SESSION).call_sync(
            "fs.sovereign.Navigation", "/", "org.freedesktop.DBus.Peer", "Ping",
            None, None, Gio.DBusCallFlags.NONE, -1, None)
        """
      let result = try session.run(glib(launch, links))
      #expect(result.status == 0, "\(result)")
      let inShell = try #require(try shell.launches(2)).map(\.arguments)
      // Which of them notes first what it got is up to the machine.
      #expect(Set(inShell) == [[links[0]], [links[1], links[3]]])
      #expect(try browser.launches(1)?.map(\.arguments) == [[links[2], links[4]]])
      #expect(try session.property("ActiveOrigin") == "s \"\(others[0])\"")
    }

    @Test func everyActionOfTheEntryStartsItsApplication() throws {
      let (session, shell, browser) = try TestSession.withApplications()
      let entry = String(decoding: try readFile(Self.entry), as: UTF8.self)
      #expect(entry.contains("\nActions=browser;shell;\n"))
      for (count, (action, application)) in [("browser", browser), ("shell", shell)].enumerated() {
        let result = try session.run(
          glib("application.launch_action(arguments[0], Context())", [action]))
        #expect(result.status == 0, "\(result)")
        let launch = try #require(try application.launches(1), "\(action)").last
        #expect(launch?.arguments == [])
        #expect(launch?.environment.contains("XDG_ACTIVATION_TOKEN=token-of-glib") == true)

        // Where a launcher knows no D-Bus.
        let group = "[Desktop Action \(action)]"
        let line = entry.split(separator: "\n").drop { $0 != group }
          .first { $0.hasPrefix("Exec=") }
        let command = try #require(line).dropFirst("Exec=".count).split(separator: " ")
        #expect(try session.run(command.map(String.init)).status == 0)
        #expect(try application.launches(2)?.last?.arguments == [])
        #expect(try [browser, shell][1 - count].launches.count == 2 * count)
      }
    }

    /// Where it starts something, as where it opens something.
    @Test func theCallersDisplayIsTheOneThatIsUsed() throws {
      let (session, shell, browser) = try TestSession.withApplications()
      for (arguments, application) in [
        ([], browser), (["--browser"], browser), (["--shell"], shell),
        ([EndToEnd.foreign], browser),
      ] {
        let before = try application.launches.count
        let result = try session.run(
          ["sovereign-navigation", "open"] + arguments,
          adding: ["DISPLAY": ":99", "XDG_ACTIVATION_TOKEN": "token"])
        #expect(result.status == 0, "\(result)")
        let launch = try #require(try application.launches(before + 1)?.last)
        for line in ["DISPLAY=:99", "XDG_ACTIVATION_TOKEN=token"] {
          #expect(launch.environment.contains(line), "\(arguments): \(line)")
        }
      }
    }

    @Test func anActionThatThereIsNotIsAnInvalidArgument() throws {
      let session = try TestSession()
      let connection = try Connection()
      let call = try makeCall("ActivateAction", on: connection)
      try call.append("reboot")
      try call.appendContainer("a", "v") {}
      try call.append(options: [])
      do throws(BusError) {
        _ = try connection.call(call)
        Issue.record("it was accepted")
      } catch {
        #expect(error.name == BusError.invalidArguments)
        #expect(error.message.contains("browser and shell"))
      }
      withExtendedLifetime(session) {}
    }

    /// KDE's launcher sends no platform data where it has neither X11 nor Wayland, and asks for the process
    /// once it is answered; then an owner that has gone is an error to it.
    @Test func kdeSendsNoPlatformDataAndAsksForTheProcessAfterTheAnswer() throws {
      let (session, shell, browser) = try TestSession.withApplications()
      let pid = try session.servicePID()
      let connection = try Connection()
      for (member, application, arguments) in [
        ("Open", browser, [EndToEnd.foreign + "/1"]), ("ActivateAction", shell, []),
        ("Activate", browser, []),
      ] {
        let call = try makeCall(member, on: connection)
        if member == "Open" { try call.append(arguments) }
        if member == "ActivateAction" {
          try call.append("shell")
          try call.appendContainer("a", "v") {}
        }
        let before = try application.launches.count
        _ = try connection.call(call)
        let question = try connection.makeBusCall("GetConnectionUnixProcessID")
        try question.append("fs.sovereign.Navigation")
        #expect(try Int32(connection.call(question).readUInt32()) == pid)
        #expect(try application.launches(before + 1)?.last?.arguments == arguments, "\(member)")
      }
    }
  }
}
