import Bus
import Glibc
import TestSupport
import Testing

extension EndToEnd {
  /// Links do not go round in circles, whatever leads them back: with the openers that desktops have.
  @Suite struct LoopTests {
    /// Opens the link in `$1` with the desktop's default application, in shell.
    enum Opener: String, CaseIterable {
      case xdgOpen = "xdg-open \"$1\""
      case gioOpen = "gio open \"$1\""
      /// It needs what the machine's own directories define.
      case kdeOpen = """
        XDG_CONFIG_DIRS=$XDG_CONFIG_DIRS:/etc/xdg XDG_DATA_DIRS=$XDG_DATA_DIRS:/usr/share \
          QT_QPA_PLATFORM=offscreen kde-open "$1"
        """
      case browserVariable = "BROWSER=/usr/bin/xdg-open; $BROWSER \"$1\""
      case commandLine = "\"$PREFIX/bin/sovereign-navigation\" open \"$1\""
      case direct = """
        busctl --user call fs.sovereign.Navigation /fs/sovereign/Navigation \
          org.freedesktop.Application Open 'asa{sv}' 1 "$1" 0
        """
    }

    /// Commands of entries that would only ask for the default application, which is us.
    private func openers(_ session: TestSession) throws -> [String] {
      let directory = session.home + "/.local/share/test/links"
      try makeDirectories(directory)
      for (name, target) in [
        ("browser", "/usr/bin/xdg-open"),
        ("router", (Installation.prefix ?? "") + "/bin/sovereign-navigation"),
        ("again", directory + "/browser"),
      ] { symlink(target, "\(directory)/\(name)") }
      return [
        "xdg-open %u", "/usr/bin/xdg-open %u", "gio open %u", "kde-open %u", "kde-open5 %u",
        "kioclient exec %u", "sensible-browser %u", "env BROWSER=/usr/bin/xdg-open xdg-open %u",
        "sh -c \"exec xdg-open \\\\\"\\\\$1\\\\\"\" sh %u", "env -u A sh -c \"gio open $0\" %u",
        "\(directory)/browser %u", "\(directory)/again %u", "env A=b \(directory)/again %u",
        "sovereign-navigation open %u", "\(directory)/router open %u",
        "env \(directory)/router open %u", "gapplication open fs.sovereign.Navigation %u",
        "busctl --user call fs.sovereign.Navigation /x y z s %u", "gtk-launch x-www-browser %u",
      ]
    }

    @Test func whatOnlyOpensTheDefaultApplicationIsNoBrowser() throws {
      let session = try TestSession()
      let browser = try session.installApplication(
        "test-browser", keys: ["MimeType=x-scheme-handler/http;x-scheme-handler/https;"])
      var ids: [String] = []
      for (number, command) in try openers(session).enumerated() {
        let id = "opener-\(number).desktop"
        ids.append(id)
        try writeFile(
          "\(session.home)/.local/share/applications/\(id)",
          """
          [Desktop Entry]
          Type=Application
          Name=Opener
          Exec=\(command)
          MimeType=x-scheme-handler/http;x-scheme-handler/https;

          """)
        let refusal = try session.busctl("SetOption", "ss", ["Browser", id])
        #expect(
          refusal.errorText.contains("\(id) cannot be the browser"), "\(command): \(refusal)")
      }
      let defaults = (["fs.sovereign.Navigation.desktop"] + ids + [browser.id])
        .joined(separator: ";")
      try writeFile(
        session.home + "/.config/mimeapps.list",
        """
        [Default Applications]
        x-scheme-handler/http=\(defaults)
        x-scheme-handler/https=\(defaults)

        """)
      let result = try session.run(["xdg-open", EndToEnd.foreign + "/1"])
      #expect(result.status == 0, "\(result)")
      #expect(try browser.launches(1)?.map(\.arguments) == [[EndToEnd.foreign + "/1"]])
    }

    @Test func theShellIsNoBrowser() throws {
      let (session, shell, browser) = try TestSession.withApplications()
      let refusal = try session.busctl("SetOption", "ss", ["Browser", shell.id])
      #expect(refusal.errorText.contains("it is a Sovereign shell"), "\(refusal)")
      #expect(try session.property("Browser") == "s \"\(browser.id)\"")
    }

    @Test(arguments: Opener.allCases.filter { $0 != .kdeOpen })
    func aBrowserThatThrowsTheLinkBackGetsItOnce(_ opener: Opener) throws {
      try expectLoop(browser: opener.rawValue, "was given this link", count: 1)
    }

    @Test(
      .enabled(if: access("/usr/bin/kde-open", X_OK) == 0, "kde-open is not installed"))
    func aBrowserThatThrowsTheLinkBackWithKDEGetsItOnce() throws {
      try aBrowserThatThrowsTheLinkBackGetsItOnce(.kdeOpen)
    }

    @Test(arguments: [Opener.xdgOpen, .gioOpen])
    func aBrowserThatThrowsAnotherLinkBackGetsItOnce(_ opener: Opener) throws {
      try expectLoop(
        browser: "set -- \"$1?again\"; " + opener.rawValue, "was given a link a moment ago",
        count: 1)
    }

    /// Where nothing tells any more who sent a link: from units of their own, or, where what is started is
    /// known by its session, from a session of its own.
    private static let shedding: [String] =
      TestSession.hasSystemd
      ? [
        "systemd-run --user --quiet gio open \"$1?x=$$\"",
        "systemd-run --user --quiet gio open \"https://other.example/secret?x=$$\"",
        "systemd-run --user --quiet --setenv=DISPLAY=:77 xdg-open \"https://other.example/secret?x=$$\"",
        "systemd-run --user --quiet --scope setsid -f gio open \"https://other.example/secret?x=$$\"",
      ]
      : [
        "setsid -f xdg-open \"$1&x=$$\"", "setsid -f gio open \"$1?x=$$\"",
        "setsid -f xdg-open \"https://other.example/secret?x=$$\"",
        "setsid -f gio open \"https://other.example/secret?x=$$\"",
      ]

    @Test(arguments: shedding)
    func aBrowserThatShedsItsLaunchAndSendsAnotherLinkIsStopped(_ script: String) throws {
      try expectLoop(browser: script, "was given 30 links", count: 30)
    }

    /// As a reader of feeds opens its tabs, a script its list, and an application a link now and then that
    /// starts the opener in a session of its own.
    @Test(
      arguments: [
        "seq 64 | xargs -P 8 -I{} gio open https://other.example/{}",
        "seq 64 | xargs -I{} gio open https://other.example/{}",
        "seq 64 | xargs -P 64 -I{} setsid -f gio open https://other.example/{}",
        "seq 64 | xargs -I{} setsid -w gio open https://other.example/{}",
        "sovereign-navigation open $(seq -f https://other.example/%g 48)",
      ]
        + (TestSession.hasSystemd
          ? [
            "systemd-run --user --quiet --wait sh -c "
              + "'seq 64 | xargs -I{} gio open https://other.example/{}'"
          ] : []))
    func manyLinksToOneHostAreNoLoop(_ script: String) throws {
      let (session, _, browser) = try TestSession.withApplications()
      let result = try session.run(["sh", "-c", script], limit: .seconds(60))
      #expect(result.status == 0, "\(result)")
      let count = script.hasPrefix("sovereign") ? 48 : 64
      #expect(try browser.launches(count, limit: .seconds(30))?.count == count)
    }

    /// Opens a link in a browser that runs `script`, and expects that it gets it `count` times.
    private func expectLoop(browser script: String, _ reason: String, count: Int) throws {
      let (session, _, _) = try TestSession.withApplications()
      let server = try NotificationServer()
      defer { try? server.end() }
      let browser = try session.installApplication(
        "culprit", then: "PREFIX='\(Installation.prefix ?? "")'; " + script)
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      let result = try session.run(["xdg-open", EndToEnd.foreign + "/secret"])
      #expect(result.status == 0, "\(result)")
      let notice = try #require(try poll(limit: .seconds(60)) { try server.notifications.first })
      #expect(notice.body.hasPrefix("culprit.desktop \(reason)"), "\(notice.body)")
      #expect(try browser.launches.count == count)
      try expectJournal(session, "culprit.desktop \(reason)")
      let service = try session.servicePID()
      #expect(try poll { try EndToEnd.zombies(of: service) == 0 ? true : nil } != nil)
    }

    /// Waits until the journal names who is at fault, and looks that it names no path.
    private func expectJournal(_ session: TestSession, _ text: String) throws {
      guard TestSession.hasSystemd else { return }
      let journal = try session.journal(.notOpened, untilItHas: text)
      #expect(try #require(journal, "no line in the journal").contains("secret") == false)
    }

    @Test func twoBrowsersThatNameEachOtherGetOneLinkEach() throws {
      let (session, _, _) = try TestSession.withApplications()
      let server = try NotificationServer()
      defer { try? server.end() }
      let second = try session.installApplication("second", then: "xdg-open \"$1&back\"")
      let first = try session.installApplication(
        "first", then: "exec '\(second.program)' \"$1?there\"")
      _ = try session.call("SetOption", "ss", "Browser", first.id)
      _ = try session.run(["xdg-open", EndToEnd.foreign + "/"])
      let notice = try #require(try poll { try server.notifications.first })
      #expect(notice.body.hasPrefix("first.desktop was given a link a moment ago"))
      #expect(try first.launches.map(\.arguments) == [[EndToEnd.foreign + "/"]])
      #expect(try second.launches.map(\.arguments) == [[EndToEnd.foreign + "/?there"]])
    }

    @Test func aShellAndABrowserThatSendEachOtherOtherLinksGetOneEach() throws {
      let (session, _, _) = try TestSession.withApplications()
      let server = try NotificationServer()
      defer { try? server.end() }
      let shell = try session.installApplication(
        "pair-shell", keys: ["X-Sovereign-Shell=true", "MimeType=x-scheme-handler/sovereign;"],
        then: "xdg-open '\(EndToEnd.foreign)/'")
      let browser = try session.installApplication(
        "pair-browser", then: "xdg-open '\(EndToEnd.instance)/back'")
      _ = try session.call("SetOption", "ss", "Shell", shell.id)
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      _ = try session.run(["xdg-open", EndToEnd.instance + "/there"])
      let notice = try #require(try poll { try server.notifications.first })
      #expect(notice.body.hasPrefix("pair-browser.desktop was given a link a moment ago"))
      #expect(notice.body.contains("pair-shell.desktop"))
      #expect(try shell.launches.map(\.arguments) == [[EndToEnd.instance + "/there"]])
      #expect(try browser.launches.map(\.arguments) == [[EndToEnd.foreign + "/"]])
    }

    /// It may not know the link as its own until it has started; the browser gets it then.
    @Test(arguments: [true, false])
    func aSlowShellThatSendsItsOwnLinkOnGetsItOnce(_ takesWebLinks: Bool) throws {
      let (session, _, browser) = try TestSession.withApplications()
      let shell = try session.installApplication(
        "slow-shell",
        keys: ["MimeType=x-scheme-handler/sovereign;", "X-Sovereign-Shell=\(takesWebLinks)"],
        then: "sleep 1.5; xdg-open \"https://${1#*://}\"")
      _ = try session.call("SetOption", "ss", "Shell", shell.id)
      _ = try session.run(["xdg-open", EndToEnd.instance + "/x"])
      #expect(try browser.launches(1)?.map(\.arguments) == [[EndToEnd.instance + "/x"]])
      let first = (takesWebLinks ? "https" : "sovereign") + "://my.sovereign.example/x"
      #expect(try shell.launches.map(\.arguments) == [[first]])
    }

    @Test func aSlowShellThatSendsADeepLinkBackGetsItOnce() throws {
      let (session, _, browser) = try TestSession.withApplications()
      let server = try NotificationServer()
      defer { try? server.end() }
      let shell = try session.installApplication(
        "slow-shell", keys: ["MimeType=x-scheme-handler/sovereign;"],
        then: "sleep 1.5; xdg-open \"$1\"")
      _ = try session.call("SetOption", "ss", "Shell", shell.id)
      _ = try session.run(["xdg-open", EndToEnd.instance + "/x"])
      let notice = try #require(try poll { try server.notifications.first })
      #expect(notice.body.hasPrefix("slow-shell.desktop was given this link"))
      #expect(try shell.launches.count == 1)
      #expect(try browser.launches.isEmpty)
    }

    @Test func aShellAndABrowserThatBothSendALinkBackGetItOnceEach() throws {
      let (session, _, _) = try TestSession.withApplications()
      let server = try NotificationServer()
      defer { try? server.end() }
      let shell = try session.installApplication(
        "pair-shell", keys: ["X-Sovereign-Shell=true", "MimeType=x-scheme-handler/sovereign;"],
        then: "xdg-open \"$1\"")
      let browser = try session.installApplication("pair-browser", then: "xdg-open \"$1\"")
      _ = try session.call("SetOption", "ss", "Shell", shell.id)
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      _ = try session.run(["xdg-open", EndToEnd.instance + "/"])
      let notice = try #require(try poll { try server.notifications.first })
      #expect(notice.body.hasPrefix("pair-browser.desktop was given this link"))
      #expect(try shell.launches.count == 1)
      #expect(try browser.launches.count == 1)
    }

    @Test func instancesThatDifferOnlyInSchemeDoNotTakeTurns() throws {
      let (session, _, browser) = try TestSession.withApplications()
      let server = try NotificationServer()
      defer { try? server.end() }
      let plain = "http" + EndToEnd.instance.dropFirst("https".count)
      _ = try session.call("AddInstance", "ssa{sv}", plain, "", "1", "activate", "b", "false")
      // As where a server redirects from each to the other.
      let shell = try session.installApplication(
        "turning-shell", keys: ["X-Sovereign-Shell=true", "MimeType=x-scheme-handler/sovereign;"],
        then: """
          case $1 in
            https:*) xdg-open "http:${1#https:}" ;;
            http:*) xdg-open "https:${1#http:}" ;;
          esac
          """)
      _ = try session.call("SetOption", "ss", "Shell", shell.id)
      _ = try session.run(["xdg-open", EndToEnd.instance + "/1"])
      #expect(try browser.launches(1)?.map(\.arguments) == [[plain + "/1"]])
      #expect(try shell.launches.map(\.arguments) == [[EndToEnd.instance + "/1"]])

      _ = try session.call("SetOption", "ss", "KnownInstances", "switch")
      _ = try session.run(["xdg-open", EndToEnd.instance + "/2"])
      let notice = try #require(try poll { try server.notifications.first })
      #expect(notice.body.hasPrefix("turning-shell.desktop was given "))
      #expect(
        try shell.launches.dropFirst().map(\.arguments)
          == [[EndToEnd.instance + "/2"], [plain + "/2"]])
      // A link that goes round switches nothing.
      #expect(try session.property("ActiveOrigin") == "s \"\(plain)\"")
    }

    /// A session with a shell and a browser that run these scripts; the shell gets web links, or else
    /// `sovereign:` links.
    private func pair(
      _ takesWebLinks: Bool, shell: String, browser: String
    ) throws -> (session: TestSession, shell: RecordingApplication, browser: RecordingApplication) {
      let (session, _, _) = try TestSession.withApplications()
      let shell = try session.installApplication(
        "pair-shell",
        keys: ["MimeType=x-scheme-handler/sovereign;", "X-Sovereign-Shell=\(takesWebLinks)"],
        then: shell)
      let browser = try session.installApplication("pair-browser", then: browser)
      _ = try session.call("SetOption", "ss", "Shell", shell.id)
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      return (session, shell, browser)
    }

    @Test(arguments: [true, false])
    func aShellGetsTheLinkToAnotherInstanceThatItSendsOn(_ takesWebLinks: Bool) throws {
      let (session, shell, browser) = try pair(
        takesWebLinks,
        shell: "case $1 in *//my.sovereign.example/r) xdg-open https://second.example/x ;; esac",
        browser: "")
      _ = try session.call(
        "AddInstance", "ssa{sv}", "https://second.example", "", "1", "activate", "b", "false")
      _ = try session.call("SetOption", "ss", "KnownInstances", "switch")
      _ = try session.run(["xdg-open", EndToEnd.instance + "/r"])
      let scheme = takesWebLinks ? "https" : "sovereign"
      #expect(
        try shell.launches(2)?.map(\.arguments)
          == [["\(scheme)://my.sovereign.example/r"], ["\(scheme)://second.example/x"]])
      #expect(try session.property("ActiveOrigin") == "s \"https://second.example\"")
      #expect(try browser.launches.isEmpty)
    }

    @Test(arguments: [true, false])
    func aLoginInTheBrowserComesBackToTheShell(_ takesWebLinks: Bool) throws {
      let (session, shell, browser) = try pair(
        takesWebLinks, shell: "case $1 in */login) xdg-open https://provider.example/ ;; esac",
        browser: "xdg-open sovereign://my.sovereign.example/done")
      _ = try session.run(["xdg-open", EndToEnd.instance + "/login"])
      let scheme = takesWebLinks ? "https" : "sovereign"
      #expect(
        try shell.launches(2)?.map(\.arguments)
          == ["login", "done"].map { ["\(scheme)://my.sovereign.example/\($0)"] })
      #expect(try browser.launches.map(\.arguments) == [["https://provider.example/"]])
    }

    @Test(arguments: [true, false])
    func whatIsOpenedInTheBrowserDoesNotComeBackToTheShell(_ takesWebLinks: Bool) throws {
      let (session, shell, browser) = try pair(
        takesWebLinks, shell: "", browser: "gio open \"$1\"")
      let server = try NotificationServer()
      defer { try? server.end() }
      _ = try session.call(
        "Open", "sa{sv}", EndToEnd.instance + "/q", "1", "destination", "s", "browser")
      let notice = try #require(try poll { try server.notifications.first })
      #expect(notice.body.hasPrefix("pair-browser.desktop was given this link"))
      #expect(try browser.launches.map(\.arguments) == [[EndToEnd.instance + "/q"]])
      #expect(try shell.launches.isEmpty)
    }

    /// A service counts by itself; what was started without one may live for hours.
    @Test func theMarkOfAChainEndsAtTheService() throws {
      let (session, _, browser) = try TestSession.withApplications()
      let mark = "SOVEREIGN_NAVIGATION_CHAIN"
      let result = try session.run(
        ["sovereign-navigation", "open", EndToEnd.foreign + "/1"], adding: [mark: "8"])
      #expect(result.status == 0, "\(result)")
      let launch = try #require(try browser.launches(1)?.first)
      #expect(!launch.environment.contains { $0.hasPrefix(mark) })
    }
  }
}
