import Bus
import Glibc
import TestSupport
import Testing

extension EndToEnd {
  /// A link that cannot be opened is seen.
  @Suite struct FailureTests {
    /// How a program that shows nothing itself hands a link over.
    enum Opener: String, CaseIterable {
      case xdgOpen, gioOpen, glib, commandLine, direct

      func command(_ url: String) -> [String] {
        switch self {
        case .xdgOpen: ["xdg-open", url]
        case .gioOpen: ["gio", "open", url]
        case .glib:
          [
            "python3", "-c",
            """
            import sys
            from gi.repository import Gio
            Gio.AppInfo.launch_default_for_uri(sys.argv[1])
            Gio.bus_get_sync(Gio.BusType.SESSION).flush_sync()
            """, url,
          ]
        case .commandLine: ["sovereign-navigation", "open", url]
        case .direct:
          [
            "busctl", "--user", "call", "fs.sovereign.Navigation", "/fs/sovereign/Navigation",
            "org.freedesktop.Application", "Open", "asa{sv}", "1", url, "0",
          ]
        }
      }
    }

    @Test(arguments: Opener.allCases)
    func aLinkThatCannotBeOpenedGivesOneNotification(_ opener: Opener) throws {
      let session = try TestSession.withoutItsBrowser()
      let server = try NotificationServer()
      let host = "\(opener.rawValue.lowercased()).example"
      let result = try session.run(
        opener.command("https://user:secret@\(host)/secret?secret#secret"))
      let shown = try #require(
        try poll { try server.notifications.first }, "no notification: \(result)")
      #expect(shown.application == "Sovereign Navigation")
      #expect(shown.icon == "fs.sovereign.Navigation")
      #expect(shown.desktopEntry == "fs.sovereign.Navigation")
      #expect(shown.summary == "The link to \(host) was not opened")
      #expect(shown.body.contains("vanished.desktop"))
      #expect(!shown.body.contains("secret"))
      if opener == .commandLine || opener == .direct { #expect(result.status == 1) }

      // Another one at once says nothing new.
      _ = try session.run(Opener.direct.command("https://another.example/"))
      #expect(try server.notifications == [shown])
      try server.end()

      guard TestSession.hasSystemd else { return }
      let journal = try session.journal(
        .notOpened, untilItHas: "https://\(host) → browser (no-active-origin)")
      #expect(try #require(journal, "no line in the journal").contains("secret") == false)
    }

    @Test func whoSeesTheErrorGetsNoNotification() throws {
      let session = try TestSession.withoutItsBrowser()
      let server = try NotificationServer()
      let call = try session.busctl("Open", "sa{sv}", ["https://a.example/", "0"])
      #expect(call.status == 1)
      // script(1) runs it in a terminal of its own.
      let inTerminal = try session.run([
        "script", "--quiet", "--return", "--command",
        "sovereign-navigation open https://a.example/", "/dev/null",
      ])
      #expect(inTerminal.status == 1, "\(inTerminal)")
      #expect(inTerminal.text.contains("vanished.desktop"))
      for option in ["", "--browser", "--shell"] {
        let result = try session.run([
          "script", "--quiet", "--return", "--command", "sovereign-navigation open \(option)",
          "/dev/null",
        ])
        #expect(result.status == 1, "\(result)")
      }
      #expect(try server.notifications == [])

      _ = try session.call("SetOption", "ss", "Notify", "false")
      for opener in [Opener.commandLine, .direct] {
        #expect(try session.run(opener.command("https://a.example/")).status == 1)
      }
      #expect(try server.notifications == [])

      _ = try session.call("SetOption", "ss", "Notify", "")
      #expect(try session.run(Opener.direct.command("https://a.example/")).status == 1)
      #expect(try server.notifications.count == 1)
      try server.end()
    }

    @Test func whatIsNotStartedGivesANotificationToo() throws {
      let session = try TestSession.withoutItsBrowser()
      let server = try NotificationServer()
      #expect(try session.run(["sovereign-navigation", "open", "--shell"]).status == 1)
      #expect(try server.notifications.map(\.summary) == ["The application did not start"])
      try server.end()
    }

    /// U+FFFF, which libsystemd does not read.
    @Test func aLinkThatCannotBeReadIsSeen() throws {
      let session = try TestSession.withoutItsBrowser()
      let server = try NotificationServer()
      let result = try session.run([
        "gdbus", "call", "--session", "--dest", "fs.sovereign.Navigation", "--object-path",
        "/fs/sovereign/Navigation", "--method", "org.freedesktop.Application.Open",
        #"["https://a.example/\uffff"]"#, "{}",
      ])
      #expect(result.status == 1)
      #expect(try server.notifications.map(\.summary) == ["The link was not opened"])
      try server.end()
      guard TestSession.hasSystemd else { return }
      let journal = try session.journal(.notOpened, untilItHas: "noncharacter")
      #expect(journal?.contains("a link → blocked") == true)
    }

    @Test func whatHasNoHostNamesNone() throws {
      let session = try TestSession.withoutItsBrowser()
      let server = try NotificationServer()
      _ = try session.run(Opener.direct.command("javascript:secret"))
      #expect(
        try server.notifications.map(\.summary) == ["The link was not opened"])
      try server.end()
    }

    @Test func anApplicationThatDoesNotStartGivesANotification() throws {
      let session = try TestSession.withoutItsBrowser()
      let server = try NotificationServer()
      let activation = try session.run([
        "busctl", "--user", "call", "fs.sovereign.Navigation", "/fs/sovereign/Navigation",
        "org.freedesktop.Application", "Activate", "a{sv}", "0",
      ])
      #expect(activation.errorText.contains("vanished.desktop"))
      #expect(
        try server.notifications.map(\.summary) == ["The application did not start"])
      try server.end()
    }

    /// Such an entry is what a shell leaves that registers itself at each start, once it is moved away.
    @Test func aLinkToTheInstanceOpensInTheBrowserWhereTheShellsProgramIsGone() throws {
      let (session, shell, browser) = try TestSession.withApplications()
      _ = try session.call("SetOption", "ss", "Shell", "")
      #expect(try session.property("Shell") == "s \"\(shell.id)\"")
      unlink(shell.program)
      #expect(try session.property("Shell") == "s \"\"")
      let link = EndToEnd.instance + "/x"
      let explained = try session.run(["sovereign-navigation", "explain", link])
      #expect(explained.text.contains("opens-because: no-shell"), "\(explained)")
      for command in [["sovereign-navigation", "open"], ["xdg-open"], ["gio", "open"]] {
        let result = try session.run(command + [link])
        #expect(result.status == 0, "\(command): \(result)")
      }
      try session.endService(SIGTERM)
      let broken = try FakeService { _ throws(BusError) in
        throw BusError(name: "org.freedesktop.DBus.Error.AccessDenied", message: "broken")
      }
      #expect(try session.run(["sovereign-navigation", "open", link]).status == 0)
      try broken.end()
      #expect(try browser.launches(4)?.map(\.arguments) == Array(repeating: [link], count: 4))

      let found = try session.run(["sovereign-navigation", "doctor"])
      #expect(found.text.contains("\(shell.id): its program \(shell.program) is not there"))
    }

    @Test func theShellStartsWhereTheBrowsersProgramIsGone() throws {
      let (session, shell, browser) = try TestSession.withApplications()
      unlink(browser.program)
      let result = try session.run([
        "busctl", "--user", "call", "fs.sovereign.Navigation", "/fs/sovereign/Navigation",
        "org.freedesktop.Application", "Activate", "a{sv}", "0",
      ])
      #expect(result.status == 0, "\(result)")
      #expect(try shell.launches(1)?.map(\.arguments) == [[]])
    }

    /// It was asked only whether it answers: what it has not seen yet is not opened late.
    @Test func aServiceThatIsStoppedForAWhileOpensNothingTwice() throws {
      let (session, _, browser) = try TestSession.withApplications()
      let service = try session.servicePID()
      kill(service, SIGSTOP)
      defer { kill(service, SIGCONT) }
      let links = [EndToEnd.foreign + "/1", EndToEnd.foreign + "/2"]
      let result = try session.run(["sovereign-navigation", "open"] + links)
      #expect(result.status == 0, "\(result)")
      // Both are started at once, and either may be the first to note that.
      #expect(Set(try browser.launches(2)?.map(\.arguments) ?? []) == Set(links.map { [$0] }))
      kill(service, SIGCONT)
      // Whatever was sent before comes before this one.
      _ = try session.call("Open", "sa{sv}", EndToEnd.foreign + "/3", "0")
      #expect(try browser.launches(3)?.map(\.arguments).last == [EndToEnd.foreign + "/3"])
      #expect(try browser.launches.count == 3)
    }

    @Test func theCommandLineNotifiesWhereTheServiceDoesNot() throws {
      let session = try TestSession.withoutItsBrowser()
      try session.endService(SIGTERM)
      let broken = try FakeService { _ throws(BusError) in
        throw BusError(name: "org.freedesktop.DBus.Error.AccessDenied", message: "broken")
      }
      let server = try NotificationServer()
      let links = ["https://a.example/secret", "https://b.example/"]
      let result = try session.run(["sovereign-navigation", "open"] + links)
      #expect(result.status == 1)
      #expect(
        try server.notifications.map(\.summary) == ["The link to a.example was not opened"])
      try server.end()
      try broken.end()
    }
  }
}

extension TestSession {
  /// A session whose browser's program is not there, and which has no active instance.
  fileprivate static func withoutItsBrowser() throws -> TestSession {
    let session = try TestSession()
    let browser = try session.installApplication("vanished")
    try session.makeUsTheDefault()
    _ = try session.call("SetOption", "ss", "Browser", browser.id)
    unlink(browser.program)
    return session
  }
}
