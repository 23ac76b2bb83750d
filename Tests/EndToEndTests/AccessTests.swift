import Glibc
import TestSupport
import Testing

/// A sandbox as Flatpak makes one: another root directory, with `.flatpak-info` in it.
private struct Sandbox {
  enum Info {
    case text(String)
    /// A file, or what else there is at this path.
    case bound(String)
    case link(String)
    case none
  }

  let session: TestSession
  private let arguments: [String]

  init(_ session: TestSession, _ info: Info) throws {
    self.session = session
    var arguments = [
      "bwrap", "--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin", "--symlink", "usr/lib",
      "/lib", "--symlink", "usr/lib64", "/lib64", "--ro-bind", "/etc", "/etc", "--bind", "/tmp",
      "/tmp", "--bind", "/run", "/run", "--proc", "/proc", "--dev", "/dev",
    ]
    if access("/home", R_OK) == 0 { arguments += ["--bind", "/home", "/home"] }
    switch info {
    case .text(let text):
      let path = session.home + "/.local/share/test/flatpak-info"
      try makeDirectories(session.home + "/.local/share/test")
      try writeFile(path, text)
      arguments += ["--ro-bind", path, "/.flatpak-info"]
    case .bound(let path): arguments += ["--ro-bind", path, "/.flatpak-info"]
    case .link(let target): arguments += ["--symlink", target, "/.flatpak-info"]
    case .none: break
    }
    self.arguments = arguments + ["--"]
  }

  func run(_ command: [String]) throws -> CommandResult {
    try session.run(arguments + command)
  }

  func call(_ member: String, _ values: String...) throws -> CommandResult {
    try run(gdbus(member, values))
  }
}

private func gdbus(_ member: String, _ values: [String]) -> [String] {
  [
    "gdbus", "call", "--session", "--timeout", "10", "--dest", "fs.sovereign.Navigation",
    "--object-path", "/fs/sovereign/Navigation", "--method", member,
  ] + values
}

private let navigation = "fs.sovereign.Navigation."
private let application = "org.freedesktop.Application."
private let notAllowed = "fs.sovereign.Navigation.Error.NotAllowed"
private let flatpak = "[Application]\nname=org.example.Chat\n"

private struct Refused: Sendable, CustomTestStringConvertible {
  let member: String
  let values: [String]

  init(_ member: String, _ values: String...) {
    self.member = member
    self.values = values
  }

  var testDescription: String { member }

  static let all = [
    Refused(navigation + "SetActive", "https://evil.example"),
    Refused(navigation + "SetActive", "''"),
    Refused(navigation + "AddInstance", "https://evil.example", "x", "{}"),
    Refused(navigation + "RemoveInstance", "https://my.sovereign.example"),
    Refused(navigation + "SetOption", "Browser", "evil.desktop"),
    Refused(navigation + "SetOption", "KnownInstances", "switch"),
    Refused(navigation + "Register"),
    Refused(navigation + "Unregister"),
    Refused(navigation + "NoSuchMember"),
    Refused(application + "Activate", "{}"),
    Refused(application + "ActivateAction", "browser", "[]", "{}"),
    Refused("org.freedesktop.DBus.Properties.GetAll", "fs.sovereign.Navigation"),
    Refused("org.freedesktop.DBus.Properties.Get", "fs.sovereign.Navigation", "ActiveOrigin"),
    Refused("org.freedesktop.DBus.Properties.Get", "fs.sovereign.Navigation", "Version"),
    Refused(navigation + "Open", "mailto:a@b.example", "{}"),
    Refused(application + "Open", "['tel:1']", "{}"),
  ]
}

extension EndToEnd {
  @Suite struct AccessTests {
    @Test func sandboxMayDecideAndOpenWebLinksAndNothingElse() throws {
      let (session, shell, browser) = try TestSession.withApplications()
      let sandbox = try Sandbox(session, .text(flatpak))
      #expect(try sandbox.call(navigation + "Decide", EndToEnd.instance).text == "('shell',)")
      #expect(
        try sandbox.call(navigation + "DecideMany", "['x:', 'https://a.example']").text
          == "(['blocked', 'browser'],)")

      for refused in Refused.all {
        let result = try sandbox.run(gdbus(refused.member, refused.values))
        #expect(
          result.status != 0 && result.errorText.contains(notAllowed), "\(refused): \(result)")
      }
      #expect(try session.property("ActiveOrigin") == "s \"\(EndToEnd.instance)\"")

      // What it may not open is handed to nobody.
      #expect(try sandbox.call(navigation + "Explain", "mailto:a").text.contains("'url': <''>"))
      let explanation = try sandbox.call(navigation + "Explain", EndToEnd.foreign).text
      #expect(explanation.contains("'destination': <'browser'>"))
      #expect(!explanation.contains("my.sovereign.example"))
      #expect(!explanation.contains("test-"))

      let display = "{'environment': <{'DISPLAY': ':666'}>}"
      #expect(
        try sandbox.call(navigation + "Open", EndToEnd.foreign + "/a", display).text
          == "('browser',)")
      #expect(
        try sandbox.call(application + "Open", "['\(EndToEnd.instance)/b']", display).text == "()")
      let shown = try shell.launches(1)?.last
      #expect(shown?.arguments == [EndToEnd.instance + "/b"])
      #expect(shown?.environment.contains("DISPLAY=:666") == false)
      let launch = try browser.launches(1)?.last
      #expect(launch?.arguments == [EndToEnd.foreign + "/a"])
      #expect(launch?.environment.contains("DISPLAY=:666") == false)
    }

    @Test func sandboxLearnsNothingFromErrors() throws {
      let (session, shell, browser) = try TestSession.withApplications()
      let sandbox = try Sandbox(session, .text(flatpak))
      unlink(browser.program)
      unlink(shell.program)
      // What is looked up is passed over, and there is no other shell on any machine.
      _ = try session.call("SetOption", "ss", "Shell", "")
      for (link, error) in [
        (EndToEnd.foreign, "LaunchFailed"), ("sovereign://oauth/done", "NoShell"),
      ] {
        for call in [
          [navigation + "Open", link, "{}"], [application + "Open", "['\(link)']", "{}"],
        ] {
          let result = try sandbox.run(gdbus(call[0], Array(call[1...])))
          #expect(result.errorText.contains("Error.\(error)"), "\(result)")
          #expect(!result.errorText.contains("test-"), "\(result)")
          #expect(!result.errorText.contains(session.home), "\(result)")
        }
      }
    }

    /// It may start the browser, and learns no more than a sandbox does.
    @Test func callerThatIsUnknownLearnsNothingFromErrors() throws {
      let (session, shell, browser) = try TestSession.withApplications()
      let sandbox = try Sandbox(session, .text("name=org.example.Chat"))
      unlink(browser.program)
      unlink(shell.program)
      for call in [("Activate", ["{}"]), ("ActivateAction", ["browser", "[]", "{}"])] {
        let result = try sandbox.run(gdbus(application + call.0, call.1))
        #expect(result.errorText.contains("Error.LaunchFailed"), "\(result)")
        #expect(!result.errorText.contains("test-"), "\(result)")
      }
    }

    @Test func sandboxCannotSwitchTheActiveOrigin() throws {
      let (session, _, browser) = try TestSession.withApplications()
      _ = try session.call(
        "AddInstance", "ssa{sv}", "https://second.example", "", "1", "activate", "b", "false")
      _ = try session.call("SetOption", "ss", "KnownInstances", "switch")
      let sandbox = try Sandbox(session, .text(flatpak))
      #expect(
        try sandbox.call(navigation + "Open", "https://second.example/", "{}").text
          == "('browser',)")
      #expect(try browser.launches(1)?.count == 1)
      #expect(try session.property("ActiveOrigin") == "s \"\(EndToEnd.instance)\"")
    }

    /// What cannot be read for what it is counts as a sandbox, however it is made.
    @Test(arguments: ["link", "FIFO", "directory", "1 GB", "no key file", "of no application"])
    func strangeSandboxIsOne(_ kind: String) throws {
      let (session, _, _) = try TestSession.withApplications()
      let directory = session.home + "/.local/share/test"
      let path = directory + "/info"
      let info: Sandbox.Info
      switch kind {
      case "link": info = .link("/etc/hostname")
      case "FIFO":
        #expect(mkfifo(path, 0o644) == 0)
        info = .bound(path)
      case "directory": info = .bound(directory)
      case "1 GB":
        try writeFile(path, flatpak)
        #expect(truncate(path, 1 << 30) == 0)
        info = .bound(path)
      case "no key file": info = .text("name=org.example.Chat")
      default: info = .text("[Runtime]\nname=org.example.Runtime\n")
      }
      let sandbox = try Sandbox(session, info)
      let result = try sandbox.call(navigation + "SetActive", "https://evil.example")
      #expect(result.errorText.contains(notAllowed), "\(result)")
      #expect(try sandbox.call(navigation + "Decide", "https://a.example").text == "('browser',)")
      #expect(try session.property("ActiveOrigin") == "s \"\(EndToEnd.instance)\"")
    }

    /// As `gtk-launch` does; a change by somebody unknown is another matter.
    @Test func launcherThatIsGoneAlreadyStartsTheBrowser() throws {
      let (session, _, browser) = try TestSession.withApplications()
      let pid = try session.servicePID()
      kill(pid, SIGSTOP)
      for (member, values) in [
        (navigation + "SetActive", ["string:https://evil.example"]),
        (application + "Activate", []),
      ] {
        let sent = try session.run(
          [
            "dbus-send", "--session", "--type=method_call", "--dest=fs.sovereign.Navigation",
            "/fs/sovereign/Navigation", member,
          ] + values)
        #expect(sent.status == 0, "\(sent)")
      }
      kill(pid, SIGCONT)
      #expect(try browser.launches(1)?.count == 1)
      #expect(try session.property("ActiveOrigin") == "s \"\(EndToEnd.instance)\"")
    }

    @Test func anotherRootDirectoryAloneIsNoSandbox() throws {
      let session = try TestSession()
      let sandbox = try Sandbox(session, .none)
      #expect(
        try sandbox.call(navigation + "SetActive", EndToEnd.instance).text
          == "('\(EndToEnd.instance)',)")
    }

    @Test func sandboxedShellThatTheUserNamedHasAShellsRights() throws {
      let (session, _, _) = try TestSession.withApplications()
      let shell = try session.installApplication(
        "org.example.Chat",
        keys: ["MimeType=x-scheme-handler/sovereign;", "X-Flatpak=org.example.Chat"])
      let sandbox = try Sandbox(session, .text(flatpak))
      // It handles sovereign links, and is not found by that.
      _ = try session.call("SetOption", "ss", "Shell", "")
      #expect(try session.property("Shell") == "s \"test-shell.desktop\"")
      #expect(
        try sandbox.call(navigation + "SetActive", "https://second.example").errorText
          .contains(notAllowed))

      _ = try session.call("SetOption", "ss", "Shell", shell.id)
      #expect(
        try sandbox.call(navigation + "SetActive", "https://second.example").text
          == "('https://second.example',)")
      #expect(
        try sandbox.call("org.freedesktop.DBus.Properties.Get", "fs.sovereign.Navigation", "Shell")
          .text == "(<'\(shell.id)'>,)")
      for (member, values) in [
        ("SetOption", ["Browser", "evil.desktop"]), ("Register", []), ("Unregister", []),
      ] {
        let result = try sandbox.run(gdbus(navigation + member, values))
        #expect(result.errorText.contains("\(notAllowed): a shell in a sandbox"), "\(result)")
      }
      let other = try Sandbox(session, .text("[Application]\nname=org.example.Chat2\n"))
      #expect(try other.call(navigation + "SetActive", "''").errorText.contains(notAllowed))
    }

    /// Flatpak may export several entries of one application, and anybody may give a Flatpak the id of
    /// an application of the host's.
    @Test(arguments: [
      ("org.example.Chat", "", false),
      ("org.example.Chat", "X-Flatpak=org.example.Chat2", false),
      ("org.example.Chat", "X-SnapInstanceName=org.example.Chat", false),
      ("org.example.Chat.Shell", "X-Flatpak=org.example.Chat", true),
    ])
    func sandboxIsTheShellIfItsEntrySaysSo(_ id: String, _ key: String, _ may: Bool) throws {
      let (session, _, _) = try TestSession.withApplications()
      let shell = try session.installApplication(
        id, keys: ["MimeType=x-scheme-handler/sovereign;", key])
      _ = try session.call("SetOption", "ss", "Shell", shell.id)
      let result = try Sandbox(session, .text(flatpak))
        .call(navigation + "SetActive", "https://second.example")
      #expect(result.errorText.contains(notAllowed) != may, "\(result)")
      #expect(
        try session.property("ActiveOrigin")
          == "s \"\(may ? "https://second.example" : EndToEnd.instance)\"")
    }

    /// Links go to the one of the same id that is there; rights only to the one that stands first.
    @Test(arguments: [("", "X-Flatpak=org.example.Chat"), ("X-Flatpak=org.example.Chat", "")])
    func sandboxIsNoShellBehindAStaleCopyNorByOne(_ stale: String, _ good: String) throws {
      let (session, _, _) = try TestSession.withApplications()
      let keys = ["MimeType=x-scheme-handler/sovereign;", "X-Sovereign-Shell=true"]
      let shell = try session.installApplication("org.example.Chat", keys: keys + [good])
      let flatpaks = session.home + "/.local/share/flatpak/exports/share/applications"
      defer { removeTree(session.home + "/.local/share/flatpak") }
      try makeDirectories(flatpaks)
      let copy = "\(session.home)/.local/share/applications/\(shell.id)"
      try #require(rename(copy, "\(flatpaks)/\(shell.id)") == 0)
      try writeFile(
        copy,
        (["[Desktop Entry]", "Type=Application", "Name=x", "Exec=/nowhere/shell %u"] + keys
          + [stale]).joined(separator: "\n") + "\n")
      _ = try session.call("SetOption", "ss", "Shell", shell.id)
      _ = try session.call("Open", "sa{sv}", EndToEnd.instance + "/x", "0")
      #expect(try shell.launches(1)?.count == 1)
      let result = try Sandbox(session, .text(flatpak))
        .call(navigation + "SetActive", "https://second.example")
      #expect(result.errorText.contains(notAllowed), "\(result)")
    }

    /// Flatpak runs the proxy in the application's sandbox.
    @Test(arguments: [
      ("", "ServiceUnknown", "ServiceUnknown"),
      (
        "--call=fs.sovereign.Navigation=fs.sovereign.Navigation.Decide@/fs/sovereign/Navigation",
        "('browser',)", "AccessDenied"
      ),
      ("--talk=fs.sovereign.Navigation", "('browser',)", notAllowed),
    ])
    func behindFlatpaksProxy(_ filter: String, _ decided: String, _ set: String) throws {
      let session = try TestSession()
      _ = try session.servicePID()
      let sandbox = try Sandbox(session, .text(flatpak))
      let script = """
        socket=\(session.home)/.local/share/test/proxy
        xdg-dbus-proxy "$DBUS_SESSION_BUS_ADDRESS" "$socket" --filter \(filter) &
        proxy=$!
        while [ ! -S "$socket" ]; do sleep 0.01; done
        export DBUS_SESSION_BUS_ADDRESS=unix:path=$socket
        \(gdbus(navigation + "Decide", ["https://a.example"]).joined(separator: " ")) 2>&1
        \(gdbus(navigation + "SetActive", ["https://a.example"]).joined(separator: " ")) 2>&1
        kill $proxy
        """
      let lines = try sandbox.run(["sh", "-c", script]).text.split(separator: "\n")
      #expect(lines.first?.contains(decided) == true, "\(lines)")
      #expect(lines.contains { $0.contains(set) }, "\(lines)")
      #expect(try session.property("ActiveOrigin") == "s \"\"")
    }
  }
}

extension EndToEnd.WithSystemd {
  @Suite struct AccessTests {
    @Test func snapIsKnownByItsControlGroup() throws {
      let session = try TestSession()
      let result = try session.run(
        ["systemd-run", "--user", "--scope", "--quiet", "--unit=snap.chat.chat-1.scope"]
          + gdbus(navigation + "SetActive", ["https://evil.example"]))
      #expect(result.errorText.contains(notAllowed), "\(result)")
      #expect(result.errorText.contains("the snap chat"), "\(result)")
      #expect(try session.property("ActiveOrigin") == "s \"\"")
    }

    @Test func callerWhoseRootCannotBeReadIsRefused() throws {
      let session = try TestSession()
      // prctl(2): PR_SET_DUMPABLE.
      let result = try session.run([
        "/usr/bin/python3", "-c",
        """
        import ctypes
        from gi.repository import Gio, GLib
        ctypes.CDLL(None).prctl(4, 0)
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        def call(member, url):
            try:
                print(bus.call_sync("fs.sovereign.Navigation", "/fs/sovereign/Navigation",
                    "fs.sovereign.Navigation", member, GLib.Variant("(s)", (url,)), None, 0, 9000, None))
            except GLib.Error as error:
                print(error.message)
        call("Decide", "https://a.example")
        call("SetActive", "https://evil.example")
        """,
      ])
      let lines = result.text.split(separator: "\n")
      #expect(lines.first == "('browser',)", "\(result)")
      #expect(lines.last?.contains(notAllowed) == true, "\(result)")
      #expect(try session.property("ActiveOrigin") == "s \"\"")
    }
  }
}
