import Glibc
import TestSupport
import Testing

private let us = "fs.sovereign.Navigation.desktop"
private let web = ["x-scheme-handler/http", "x-scheme-handler/https"]

extension EndToEnd {
  @Suite struct RegistrationTests {
    /// A desktop, and the only browser that is installed there.
    static let browsers = [
      ("GNOME", "google-chrome"), ("KDE", "org.mozilla.firefox"), ("", "vivaldi-stable"),
      ("XFCE", "firefox-esr"),
    ]

    @Test(arguments: ["usr", "usr/local"])
    func installingAloneChangesNoAnswer(_ place: String) throws {
      let session = try TestSession()
      let installed = try readFile(
        (Installation.prefix ?? "") + "/share/applications/" + us)
      for (desktop, browser) in Self.browsers {
        for directory in ["usr", "usr/local"] {
          let root = try Root(session, desktop)
          try root.install(browser, in: directory)
          // A Flatpak export comes before what the system has.
          if browser == "org.mozilla.firefox" { try root.install("a-browser", in: "usr") }
          let before = try web.map(root.answers)
          #expect(before.allSatisfy { $0.allSatisfy { $0 == browser + ".desktop" } })
          try root.add(us, installed, in: place)
          #expect(try web.map(root.answers) == before, "\(browser) in \(directory)")
        }
      }
    }

    static let odd = """
      # mine
      [Added Associations]
      text/plain=x.desktop;

      [Default Applications]\r
       text/html = test-browser.desktop
      x-scheme-handler/https=test-browser.desktop
      x-scheme-handler/http=test-browser.desktop;gone.desktop;
      """

    @Test(arguments: ["", "ubuntu:GNOME", "KDE"])
    func registersAndPutsBack(_ desktop: String) throws {
      let (session, browser) = try TestSession.withBrowsers(desktop)
      defer { session.forgetDesktop() }
      var lists = ["mimeapps.list": Self.odd]
      if !desktop.isEmpty {
        let name = desktop.split(separator: ":").last?.lowercased() ?? ""
        lists["\(name)-mimeapps.list"] = "[Default Applications]\n\(web[1])=test-browser.desktop\n"
      }
      for (name, text) in lists { try writeFile("\(session.home)/.config/\(name)", text) }
      #expect(try session.property("Registered") == "b false")
      #expect(try session.answers(desktop) == [browser.id, browser.id])

      for _ in 1...2 {
        #expect(try session.run(["sovereign-navigation", "register"]).description == silence)
        #expect(try session.answers(desktop) == [us, us])
        #expect(try session.property("Registered") == "b true")
      }
      let check = try session.run(["sovereign-navigation", "register", "--check"])
      #expect(check.status == 0)
      #expect(check.text.hasPrefix("https: this service, named by \(session.home)/.config/"))
      #expect(try session.run(["sovereign-navigation", "status"]).text.contains("this service"))
      #expect(
        try session.run(["sovereign-navigation", "status", "--json"]).text
          .contains("\"default-handler\":\"\(us)\",\"default\":true"))

      // The browser from before gets what is not ours.
      _ = try session.run(["gio", "open", EndToEnd.foreign + "/x"])
      #expect(try browser.launches(1)?.map(\.arguments) == [[EndToEnd.foreign + "/x"]])

      #expect(try session.run(["sovereign-navigation", "unregister"]).description == silence)
      for (name, text) in lists {
        #expect(try readFile("\(session.home)/.config/\(name)") == Array(text.utf8))
      }
      #expect(try session.property("Registered") == "b false")
      #expect(try session.answers(desktop) == [browser.id, browser.id])
      #expect(access(session.home + "/.local/state/sovereign/registration.conf", F_OK) != 0)
    }

    @Test func aListOfADesktopThatTheServiceDoesNotKnowIsNamed() throws {
      let (session, browser) = try TestSession.withBrowsers()
      let list = session.home + "/.config/sway-mimeapps.list"
      try writeFile(list, "[Default Applications]\n\(web[1])=\(browser.id)\n")
      defer { unlink(list) }
      let result = try session.run(
        ["sovereign-navigation", "register"], adding: ["XDG_CURRENT_DESKTOP": "sway"])
      #expect(result.status == 1)
      #expect(
        result.errorText
          == "sovereign-navigation: register: all is written, but here the default for https: links "
          + "is still \(browser.id), named by \(list); take it out there")
      #expect(try session.property("Registered") == "b true")
    }

    @Test func aFormerDefaultThatCannotBeUsedIsNamed() throws {
      let (session, browser) = try TestSession.withBrowsers()
      let other = try session.installBrowser("test-other")
      let entry = "\(session.home)/.local/share/applications/\(browser.id)"
      try writeFile(
        entry,
        """
        [Desktop Entry]
        Type=Application
        Name=Browser
        Exec=sh -c "exec \(browser.program) -P work '%u'"

        """)
      try writeFile(
        session.home + "/.config/mimeapps.list",
        "[Default Applications]\n" + web.map { "\($0)=\(browser.id);\(other.id)\n" }.joined())
      func expectWarning(_ what: String, _ remedy: String) throws {
        let result = try session.run(["sovereign-navigation", "register"])
        #expect(result.status == 0 && result.text.isEmpty, "\(result)")
        #expect(
          result.errorText
            == "sovereign-navigation: register: it is done, but \(browser.id), the default before "
            + "the service was registered, cannot be used: \(what); \(other.id) is used; "
            + "\(remedy), or name one with: sovereign-navigation browser ID")
        #expect(try session.property("Registered") == "b true")
      }
      let quoted = "%u stands in its Exec where it may not"
      try expectWarning(quoted, "correct its Exec= in \(entry)")
      _ = try session.run(["gio", "open", EndToEnd.foreign + "/z"])
      #expect(try other.launches(1)?.map(\.arguments) == [[EndToEnd.foreign + "/z"]])
      unlink(entry)
      try expectWarning("it is not installed", "install it again")
      // The remedies are some.
      #expect(try session.run(["sovereign-navigation", "browser", other.id]).status == 0)
      #expect(try session.run(["sovereign-navigation", "register"]).description == silence)
      _ = try session.run(["sovereign-navigation", "browser", "--reset"])
      _ = try session.installBrowser("test-browser")
      #expect(try session.run(["sovereign-navigation", "register"]).description == silence)
      _ = try session.call("Unregister")
    }

    @Test func leavesNothingWhereNothingWas() throws {
      let (session, _) = try TestSession.withBrowsers()
      let before = try session.answers()
      _ = try session.call("Register")
      #expect(try session.answers() == [us, us])
      _ = try session.call("Unregister")
      #expect(try session.answers() == before)
      #expect(access(session.home + "/.config/mimeapps.list", F_OK) != 0)
    }

    /// A list is read up to 1 MiB, and never made longer than it can be read.
    @Test(arguments: [
      ((1 << 20) - 4096, ""), (1 << 20, "would be longer than 1048576 bytes"),
      ((1 << 20) + 1, "is longer than 1048576 bytes"), (1 << 34, "is longer than 1048576 bytes"),
    ])
    func aLongListIsRefused(_ length: Int, _ reason: String) throws {
      let (session, browser) = try TestSession.withBrowsers()
      let list = session.home + "/.config/mimeapps.list"
      let text = "[Default Applications]\n\(web[1])=\(browser.id)\n#"
      try writeFile(list, text + String(repeating: "x", count: 1 << 20))
      try #require(truncate(list, length) == 0)
      defer { unlink(list) }
      let before = length > 8 << 20 ? [] : try readFile(list)
      let result = try session.run(["sovereign-navigation", "register"])
      #expect(result.status == (reason.isEmpty ? 0 : 1), "\(result)")
      if reason.isEmpty {
        #expect(try session.answers() == [us, us])
        _ = try session.call("Unregister")
      } else {
        let start = "sovereign-navigation: register: nothing is changed: \(list) "
        #expect(result.errorText.hasPrefix(start + reason), "\(result)")
        #expect(access(session.home + "/.local/state/sovereign/registration.conf", F_OK) != 0)
      }
      if !before.isEmpty { #expect(try readFile(list) == before) }
    }

    @Test func aBrowserThatTakesTheDefaultBackIsNamed() throws {
      let (session, browser) = try TestSession.withBrowsers()
      let other = try session.installBrowser("test-other")
      let list = session.home + "/.config/mimeapps.list"
      try writeFile(list, Self.odd)
      _ = try session.call("Register")
      // As Chromium does it.
      let taken = try session.run(
        ["xdg-settings", "set", "default-web-browser", other.id],
        adding: ["BROWSER": "", "XDG_CURRENT_DESKTOP": ""])
      #expect(taken.status == 0, "\(taken)")
      let changed = try readFile(list)

      session.expect("Registered", toBecome: "b false")
      let status = try session.run(["sovereign-navigation", "status"]).text
      #expect(status.contains("default    \(other.id), named by \(list)"), "\(status)")
      let check = try session.run(["sovereign-navigation", "register", "--check", "--json"])
      #expect(check.status == 1)
      #expect(
        check.text.hasPrefix(
          #"{"default":false,"handlers":[{"scheme":"https","handler":"test-other.desktop","#))

      _ = try session.call("Register")
      #expect(try session.answers() == [us, us])
      _ = try session.run(["gio", "open", EndToEnd.foreign + "/y"])
      #expect(try other.launches(1)?.map(\.arguments) == [[EndToEnd.foreign + "/y"]])
      #expect(try browser.launches.isEmpty)
      _ = try session.call("Unregister")
      #expect(try session.answers() == [other.id, other.id])
      let left = String(decoding: try readFile(list), as: UTF8.self)
      let added = "[Added Associations]\ntext/plain=x.desktop;\n"
      #expect(left.contains(added) && !left.contains(us), "\(left)")
      // Nothing but what is ours is gone from what the browser wrote.
      let kept = String(decoding: changed, as: UTF8.self).split(separator: "\n")
        .filter { !$0.contains(us) }
      #expect(left.split(separator: "\n") == kept)
    }

    @Test func theFormerBrowserStaysWhereWeAreRemovedWithoutAWord() throws {
      let (session, browser) = try TestSession.withBrowsers()
      try writeFile(
        session.home + "/.config/mimeapps.list",
        "[Default Applications]\n" + web.map { "\($0)=\(browser.id)\n" }.joined())
      _ = try session.call("Register")
      for type in web {
        for question in [["gio", "mime", type], ["xdg-mime", "query", "default", type]] {
          let answer = try session.withoutOurEntry { variables in
            try session.run(question, adding: variables).text
          }
          #expect(handler(answer) == browser.id)
        }
      }
      _ = try session.call("Unregister")
      #expect(access(session.home + "/.local/share/applications/mimeapps.list", F_OK) != 0)
    }

    /// Left behind by what was installed in the user's home before.
    @Test(arguments: [
      "[Desktop Entry]\nType=Application\nName=x\nExec=/nowhere/browser %u\n", "garbage\n",
    ])
    func theFormerDefaultIsTheOneBehindAStaleCopy(_ stale: String) throws {
      let (session, browser) = try TestSession.withBrowsers()
      let other = try session.installBrowser("a-browser")
      let flatpaks = session.home + "/.local/share/flatpak/exports/share"
      defer { removeTree(session.home + "/.local/share/flatpak") }
      try makeDirectories(flatpaks + "/applications")
      let copy = "\(session.home)/.local/share/applications/\(browser.id)"
      try #require(rename(copy, "\(flatpaks)/applications/\(browser.id)") == 0)
      try writeFile(copy, stale)
      let lists = web.map { "\($0)=\(browser.id)\n" }.joined()
      try writeFile(session.home + "/.config/mimeapps.list", "[Default Applications]\n" + lists)
      for type in web {
        let gio = try session.run(["gio", "mime", type], adding: ["XDG_DATA_DIRS": flatpaks])
        #expect(handler(gio.text) == browser.id, "\(gio)")
      }

      _ = try session.call("Register")
      let record = try readFile(session.home + "/.local/state/sovereign/registration.conf")
      for type in web {
        #expect(String(decoding: record, as: UTF8.self).contains("\n\(type)=\(browser.id)\n"))
      }
      #expect(try session.property("Browser") == "s \"\(browser.id)\"")
      _ = try session.run(["gio", "open", EndToEnd.foreign + "/z"])
      #expect(try browser.launches(1)?.map(\.arguments) == [[EndToEnd.foreign + "/z"]])
      // Named by the user, it is the same one.
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      _ = try session.call("Open", "sa{sv}", EndToEnd.foreign + "/zz", "0")
      #expect(try browser.launches(2)?.count == 2)
      #expect(try other.launches.isEmpty)
      _ = try session.call("Unregister")
    }

    @Test func leavingNeedsNoBus() throws {
      let (session, _) = try TestSession.withBrowsers()
      let list = session.home + "/.config/mimeapps.list"
      try writeFile(list, Self.odd)
      let nowhere = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]
      let refused = try session.run(["sovereign-navigation", "register"], adding: nowhere)
      #expect(refused.status == 3)
      #expect(try readFile(list) == Array(Self.odd.utf8))
      _ = try session.call("Register")
      let left = try session.run(["sovereign-navigation", "unregister"], adding: nowhere)
      #expect(left.description == silence)
      #expect(try readFile(list) == Array(Self.odd.utf8))
      // The service notices.
      session.expect("Registered", toBecome: "b false")
    }

    @Test func whatCannotBeWrittenChangesNothing() throws {
      let (session, _) = try TestSession.withBrowsers()
      try makeDirectories(session.home + "/.config/mimeapps.list")
      defer { removeTree(session.home + "/.config/mimeapps.list") }
      let refused = try session.run(["sovereign-navigation", "register"])
      #expect(refused.status == 1)
      #expect(
        refused.errorText
          == "sovereign-navigation: register: nothing is changed: \(session.home)/.config/"
          + "mimeapps.list is not a regular file; move it away")
      #expect(access(session.home + "/.local/state/sovereign/registration.conf", F_OK) != 0)
    }

    @Test func killedAtAnyMomentNothingIsLost() throws {
      let (session, browser) = try TestSession.withBrowsers()
      let list = session.home + "/.config/mimeapps.list"
      try writeFile(list, Self.odd)
      for round in 0..<20 {
        let pid = try session.servicePID()
        let member = round.isMultiple(of: 2) ? "Register" : "Unregister"
        let call = try session.start([
          "busctl", "--user", "call", "fs.sovereign.Navigation", "/fs/sovereign/Navigation",
          "fs.sovereign.Navigation", member,
        ])
        usleep(useconds_t(round) * 700)
        kill(pid, SIGKILL)
        _ = try call.wait()
        // The bus may take a moment to see that it has gone.
        if round % 4 == 3 {
          #expect(poll { try? session.call("Register") } != nil)
          #expect(try session.answers() == [us, us])
        }
        #expect(poll { try? session.call("Unregister") } != nil)
        #expect(try readFile(list) == Array(Self.odd.utf8), "round \(round)")
        #expect(try session.answers() == [browser.id, browser.id])
      }
    }
  }
}

// The machine's own applications do not count there.
extension EndToEnd.WithoutSystemd {
  @Suite struct RegistrationTests {
    private static let warning =
      "sovereign-navigation: register: it is done, but links to anything but your instance have "
      + "nowhere to go: "

    @Test func aDesktopWithoutABrowserIsWarnedOf() throws {
      let session = try TestSession()
      func expectWarning(_ text: String) throws {
        let result = try session.run(["sovereign-navigation", "register"])
        #expect(result.status == 0 && result.text.isEmpty, "\(result)")
        #expect(result.errorText == Self.warning + text)
        #expect(try session.property("Registered") == "b true")
      }
      try expectWarning(
        "no application that is installed can be the browser; install a web browser, or name one "
          + "with: sovereign-navigation browser ID")

      let browser = try session.installApplication(
        "test-browser", keys: ["MimeType=x-scheme-handler/http;x-scheme-handler/https;"])
      #expect(try session.run(["sovereign-navigation", "register"]).description == silence)
      #expect(try session.run(["sovereign-navigation", "browser", browser.id]).status == 0)
      #expect(try session.run(["sovereign-navigation", "register"]).description == silence)

      unlink(browser.program)
      let result = try session.run(["sovereign-navigation", "register"])
      #expect(result.errorText.hasPrefix(Self.warning + browser.id), "\(result)")
      #expect(result.errorText.contains("its program \(browser.program) is not there"))
    }
  }
}

private let silence = "exit status 0, “”, “”"

/// The id at the end of the first line that `gio mime` prints, or of the only one of `xdg-mime`.
private func handler(_ answer: String) -> String {
  answer.split(separator: "\n").first?.split(separator: " ").last.map(String.init) ?? ""
}

extension TestSession {
  /// A session of a desktop, with a browser that is the default nowhere.
  fileprivate static func withBrowsers(
    _ desktop: String = ""
  ) throws -> (session: TestSession, browser: RecordingApplication) {
    let session = try TestSession()
    let browser = try session.installBrowser("test-browser")
    if !desktop.isEmpty {
      _ = try session.run(
        ["dbus-update-activation-environment"] + (hasSystemd ? ["--systemd"] : [])
          + ["XDG_CURRENT_DESKTOP=\(desktop)"])
    }
    return (session, browser)
  }

  fileprivate func installBrowser(_ name: String) throws -> RecordingApplication {
    let types = ["text/html"] + web
    let browser = try installApplication(
      name, keys: ["MimeType=\(types.joined(separator: ";"));"])
    // Neither xdg-mime nor xdg-settings understands quotes.
    let entry = "\(home)/.local/share/applications/\(browser.id)"
    let text = String(decoding: try readFile(entry), as: UTF8.self)
    try writeFile(entry, text.replacing("\"", with: ""))
    return browser
  }

  /// The next test has the same user manager.
  fileprivate func forgetDesktop() {
    guard Self.hasSystemd else { return }
    _ = try? run(["systemctl", "--user", "unset-environment", "XDG_CURRENT_DESKTOP"])
    for name in ["gnome", "kde"] { unlink("\(home)/.config/\(name)-mimeapps.list") }
  }

  /// What `gio` and `xdg-mime` open http and https links with; where they differ, both.
  fileprivate func answers(_ desktop: String = "") throws -> [String] {
    let variables = ["XDG_CURRENT_DESKTOP": desktop]
    return try web.map { type in
      let gio = handler(try run(["gio", "mime", type], adding: variables).text)
      let xdg = try run(["xdg-mime", "query", "default", type], adding: variables).text
      return gio == xdg ? gio : "\(gio), \(xdg)"
    }
  }

  /// Runs `body` while our entry cannot be found, with variables that it needs for that.
  fileprivate func withoutOurEntry(
    _ body: ([String: String]) throws -> String
  ) throws -> String {
    guard Self.hasSystemd else { return try body(["XDG_DATA_DIRS": "/nowhere"]) }
    let entry = "\(home)/.local/share/applications/\(us)"
    rename(entry, entry + ".away")
    defer { rename(entry + ".away", entry) }
    return try body([:])
  }
}

/// A system of its own with applications, below a temporary directory.
private struct Root {
  private let directory: TemporaryDirectory
  private let session: TestSession
  private let desktop: String

  init(_ session: TestSession, _ desktop: String) throws {
    self.session = session
    self.desktop = desktop
    directory = try TemporaryDirectory()
    for place in ["usr", "usr/local", "flatpak"] {
      try makeDirectories("\(directory.path)/\(place)/share/applications")
    }
  }

  /// A browser as its package has it; Flatpak exports its own elsewhere.
  func install(_ name: String, in place: String) throws {
    let types = ["text/html"] + web
    try add(
      name + ".desktop",
      Array(
        """
        [Desktop Entry]
        Version=1.0
        Type=Application
        Name=\(name)
        Exec=/bin/true %U
        Categories=Network;WebBrowser;
        MimeType=\(types.joined(separator: ";"));

        """.utf8), in: name == "org.mozilla.firefox" ? "flatpak" : place)
  }

  func add(_ id: String, _ entry: [UInt8], in place: String) throws {
    let applications = "\(directory.path)/\(place)/share/applications"
    try writeFile("\(applications)/\(id)", entry)
    _ = try session.run(["update-desktop-database", applications])
  }

  /// What opens a type, as `gio` and as `xdg-mime` say.
  func answers(for type: String) throws -> [String] {
    let path = directory.path
    let variables = [
      "HOME": path, "XDG_CONFIG_HOME": path + "/config", "XDG_DATA_HOME": path + "/data",
      "XDG_CONFIG_DIRS": path + "/etc", "XDG_CURRENT_DESKTOP": desktop,
      "XDG_DATA_DIRS": ["flatpak", "usr/local", "usr"].map { "\(path)/\($0)/share" }
        .joined(separator: ":"),
    ]
    return [
      handler(try session.run(["gio", "mime", type], adding: variables).text),
      try session.run(["xdg-mime", "query", "default", type], adding: variables).text,
    ]
  }
}
