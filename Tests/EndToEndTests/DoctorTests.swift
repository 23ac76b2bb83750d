import Bus
import Glibc
import TestSupport
import Testing

extension EndToEnd {
  /// Each thing that makes links go astray, done on purpose.
  @Suite struct DoctorTests {
    let session: TestSession
    private let shell: RecordingApplication
    private let browser: RecordingApplication

    private var configuration: String { session.home + "/.config/sovereign/navigation.conf" }
    private var list: String { session.home + "/.config/mimeapps.list" }

    init() throws {
      (session, shell, browser) = try TestSession.withApplications()
      if TestSession.hasSystemd {
        let missing = ["XDG_CURRENT_DESKTOP", "BROWSER"]
        _ = try session.run(["systemctl", "--user", "unset-environment"] + missing)
        _ = try session.run(["systemctl", "--user", "set-environment", "DISPLAY=:77"])
      }
      let registered = try session.run(["sovereign-navigation", "register"])
      #expect(registered.status == 0, "\(registered)")
    }

    @Test func findsNothingWhereNothingIsWrong() throws {
      let result = try doctor([], json: false)
      #expect(result.description == "exit status 0, “nothing is wrong”, “”")
      #expect(
        try doctor([]).text == #"{"healthy":true,"service":"running","findings":[]}"#)
    }

    // MARK: The handler of web links

    @Test func anotherDefault() throws {
      try setDefaults(https: browser.id, http: browser.id)
      let result = try doctor(["registration-left-over", "other-default"])
      #expect(result.text.contains("web links go to \(browser.id)\",\"where\":\"\(list)\""))
    }

    @Test func anotherDefaultForHTTPAlone() throws {
      try setDefaults(https: "fs.sovereign.Navigation.desktop", http: browser.id)
      let result = try doctor(["one-scheme-only"])
      #expect(result.text.contains("http links go to \(browser.id)\",\"where\":\"\(list)\""))
    }

    @Test func aListOfTheDesktop() throws {
      let path = session.home + "/.config/kde-mimeapps.list"
      try writeFile(
        path,
        """
        [Default Applications]
        x-scheme-handler/http=\(browser.id)
        x-scheme-handler/https=\(browser.id)

        """)
      defer { unlink(path) }
      let variables = ["XDG_CURRENT_DESKTOP": "KDE"]
      let result = try doctor(
        (TestSession.hasSystemd ? ["display-variables"] : []) + ["desktop-list"], adding: variables)
      #expect(result.text.contains("\"where\":\"\(path)\""))
      // The remedy is one.
      let remedy = try session.run(["sovereign-navigation", "register"], adding: variables)
      #expect(remedy.status == 1 && remedy.errorText.contains(path), "\(remedy)")
    }

    @Test func aRecordThatIsBroken() throws {
      let record = session.home + "/.local/state/sovereign/registration.conf"
      try writeFile(record, "[File 1]\nPath=/x\n")
      let result = try doctor(["registration-broken"])
      #expect(result.text.contains("\"where\":\"\(record)\""))
      #expect(try session.run(["sovereign-navigation", "unregister"]).status == 0)
      #expect(try session.run(["sovereign-navigation", "register"]).status == 0)
      _ = try doctor([])
    }

    @Test func aRecordThatCannotBeRead() throws {
      let record = session.home + "/.local/state/sovereign/registration.conf"
      unlink(record)
      try makeDirectories(record)
      let result = try doctor(["registration-broken"])
      // The remedy is one.
      #expect(result.text.contains("move it away"))
      #expect(try session.run(["sovereign-navigation", "unregister"]).status == 1)
      rmdir(record)
      #expect(try session.run(["sovereign-navigation", "unregister"]).status == 0)
    }

    @Test(arguments: ["nonsense\n", "\u{FEFF}[Default Applications]\n", nil])
    func aListThatNobodyCanRead(_ text: String?) throws {
      if let text {
        try writeFile(list, text)
      } else {
        unlink(list)
        try makeDirectories(list)
      }
      let result = try doctor(["registration-left-over", "other-default", "list-broken"])
      #expect(result.text.contains("\"where\":\"\(list)\""))
      if text == nil { rmdir(list) }
    }

    @Test func aVariableThatComesFirst() throws {
      let result = try doctor(["browser-variable"], adding: ["BROWSER": "lynx:w3m"])
      #expect(result.text.contains("\"where\":\"BROWSER in the environment of this terminal\""))
    }

    /// The remedy is one, with programs that follow the variable each in its way.
    @Test func aVariableThatLosesLinks() throws {
      func variables(_ value: String) -> [String: String] { ["BROWSER": value, "DISPLAY": ""] }
      let name = "sovereign-navigation"
      let wrong = try doctor(["browser-variable"], adding: variables(name))
      #expect(wrong.text.contains("export 'BROWSER=\(name) open %s'"), "\(wrong)")
      let openers = [["xdg-open"], ["/usr/bin/python3", "-m", "webbrowser"]]
      let lost = try session.run(openers[0] + [EndToEnd.foreign], adding: variables(name))
      #expect(lost.status != 0 && lost.errorText.contains("no such command"), "\(lost)")

      let path = "\(Installation.prefix ?? "")/bin/\(name)"
      let values = [
        "\(name) open %s", "\(path) open %s", "\(name) open -- %s", ": \(name)  open\t%s:false",
      ]
      var clicked: [[String]] = []
      for (number, value) in values.enumerated() {
        try doctor([], adding: variables(value))
        for opener in openers {
          let link = "\(EndToEnd.foreign)/\(number)?%41=%25s&\(opener.count)"
          clicked.append([link])
          let result = try session.run(opener + [link], adding: variables(value))
          #expect(result.status == 0, "\(value): \(result)")
          #expect(try browser.launches(clicked.count)?.map(\.arguments) == clicked, "\(value)")
        }
      }
    }

    @Test func nothingOpensSovereignLinks() throws {
      let text = String(decoding: try readFile(list), as: UTF8.self)
      try writeFile(
        list,
        text.split(separator: "\n", omittingEmptySubsequences: false)
          .filter { !$0.hasPrefix("x-scheme-handler/sovereign") }.joined(separator: "\n")
          + "\n[Removed Associations]\nx-scheme-handler/sovereign=fs.sovereign.Navigation.desktop;\n"
      )
      try session.removeEntry(shell)
      _ = try doctor(["no-sovereign-handler", "shell-unusable", "no-shell"])
    }

    // MARK: The browser and the shell

    @Test func theBrowserIsGone() throws {
      unlink(browser.program)
      let result = try doctor(["browser-unusable"])
      #expect(result.text.contains("its program \(browser.program) is not there"))
      #expect(result.text.contains("\"where\":\"\(configuration), Browser\""))
    }

    @Test func theFormerDefaultIsGone() throws {
      let other = try session.installApplication(
        "other-browser", keys: ["MimeType=x-scheme-handler/http;x-scheme-handler/https;"])
      _ = try session.call("SetOption", "ss", "Browser", "")
      _ = try doctor([])
      try session.removeEntry(browser)
      let result = try doctor(["browser-unusable"])
      #expect(result.text.contains("\(browser.id), the default before the service was registered"))
      #expect(result.text.contains("; \(other.id) is used"))
      // The remedy is one.
      #expect(try session.run(["sovereign-navigation", "browser", other.id]).status == 0)
      _ = try doctor([])
    }

    @Test func theShellIsGone() throws {
      _ = try session.call("SetOption", "ss", "Shell", "")
      try session.removeEntry(shell)
      _ = try doctor(["no-shell"])
      _ = try session.call("SetActive", "s", "")
      // Nothing needs it.
      let result = try doctor(["no-shell"], isHealthy: true)
      #expect(result.text.contains(#""severity":"note""#))
    }

    @Test func aShellThatStartsAgainOrCannotTellInstancesApart() throws {
      let entry = "\(session.home)/.local/share/applications/\(shell.id)"
      let text = String(decoding: try readFile(entry), as: UTF8.self)
      try writeFile(entry, text.replacing("X-Sovereign-Shell=true\n", with: ""))
      _ = try doctor(["shell-starts-again"], isHealthy: true)
      try writeFile(
        entry, text.replacing("X-Sovereign-Shell=true\n", with: "SingleMainWindow=true\n"))
      _ = try doctor([])
      _ = try session.call(
        "AddInstance", "ssa{sv}", EndToEnd.instance + ":8443", "", "1", "activate", "b", "false")
      let result = try doctor(["instances-share-host"])
      #expect(result.text.contains("instances remove \(EndToEnd.instance):8443"))
      #expect(
        try session.run(["sovereign-navigation", "explain", EndToEnd.instance]).text
          .contains("shell-cannot-address"))
    }

    // MARK: What an administrator decides

    @Test func nothingIsAdvisedThatIsRefused() throws {
      let file = session.administratorFile
      try makeDirectories(parent(of: file))
      try writeFile(
        file,
        """
        [Navigation]
        Browser=nope.desktop
        Locked=Browser
        [Instance 1]
        Origin=\(EndToEnd.instance):8443

        """)
      let entry = "\(session.home)/.local/share/applications/\(shell.id)"
      let text = String(decoding: try readFile(entry), as: UTF8.self)
      try writeFile(
        entry, text.replacing("X-Sovereign-Shell=true\n", with: "SingleMainWindow=true\n"))

      let result = try doctor(["browser-unusable", "instances-share-host"])
      #expect(result.text.contains("\"where\":\"\(file), Browser\""))
      #expect(result.text.contains("ask the administrator to change Browser in \(file)"))
      #expect(result.text.contains("\"where\":\"\(file)\""))
      #expect(
        result.text.contains(
          "ask the administrator to take \(EndToEnd.instance):8443 out of \(file)"))
      #expect(!result.text.contains("sovereign-navigation browser"))
      #expect(!result.text.contains("sovereign-navigation instances"))
    }

    // MARK: Files

    @Test func thePreferencesAreMisspelledOrBroken() throws {
      let text = String(decoding: try readFile(configuration), as: UTF8.self)
      try writeFile(configuration, text.replacing("Browser=", with: "Broswer="))
      let misspelled = try doctor(["preferences"])
      #expect(misspelled.text.contains("did you mean `Browser`?\",\"where\":\"\(configuration)\""))
      try writeFile(configuration, "nonsense")
      #expect(try doctor(["preferences"]).text.contains("it is no key file"))
    }

    @Test func theStoreOfTheShellHasOtherKeys() throws {
      let store = session.home + "/.local/share/fs.sovereign.desktop"
      try makeDirectories(store)
      for (text, what) in [
        (#"{"workspaces":[],"activeUrl":null}"#, "`workspaces`"), (#"{"instances":["#, "not JSON"),
      ] {
        try writeFile(store + "/instances.json", text)
        let result = try doctor(["shell-store"])
        #expect(result.text.contains(what))
        #expect(result.text.contains("\"where\":\"\(store)/instances.json\""))
      }
    }

    // MARK: The service

    @Test func withoutABusItSaysSo() throws {
      let result = try doctor(
        ["no-bus"], adding: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"])
      #expect(result.text.contains(#""service":"no-bus""#))
    }

    @Test func theProgramWasReplaced() throws {
      let daemon = (Installation.prefix ?? "") + "/libexec/sovereign-navigationd"
      let pid = try session.servicePID()
      try writeFile(daemon + ".new", try readFile(daemon), mode: 0o755)
      #expect(rename(daemon + ".new", daemon) == 0)
      let result = try doctor(["executable-replaced"])
      #expect(result.text.contains("process \(pid), runs"))
      let status = try session.run(["sovereign-navigation", "status", "--json"])
      #expect(status.text.contains("\"executable\":\"\(daemon)\",\"executable-replaced\":true"))
      try session.endService(SIGTERM)
      _ = try doctor([])
    }

    @Test func somethingElseHasTheName() throws {
      try session.endService(SIGTERM)
      let fake = try FakeService { _ throws(BusError) in
        throw BusError(name: "org.example.No", message: "no")
      }
      defer { try? fake.end() }
      let result = try doctor(["name-taken"])
      #expect(result.text.contains("process \(getpid()) has"))
      #expect(result.text.contains(#""service":"unreachable""#))
    }

    @discardableResult
    private func doctor(
      _ names: [String], json: Bool = true, adding variables: [String: String] = [:],
      isHealthy: Bool? = nil
    ) throws -> CommandResult {
      try session.doctor(names, json: json, adding: variables, isHealthy: isHealthy)
    }

    private func setDefaults(https: String, http: String) throws {
      try writeFile(
        list,
        """
        [Default Applications]
        x-scheme-handler/http=\(http)
        x-scheme-handler/https=\(https)

        """)
    }
  }
}

// The machine's own applications do not count there.
extension EndToEnd.WithoutSystemd {
  @Suite struct DoctorTests {
    @Test func thereIsNoBrowser() throws {
      let (session, _, browser) = try TestSession.withApplications()
      _ = try session.run(["sovereign-navigation", "register"])
      _ = try session.call("SetOption", "ss", "Browser", "")
      try session.removeEntry(browser)
      try session.doctor(["no-browser"])
    }

    @Test func theServiceCannotBeStarted() throws {
      let session = try TestSession()
      let variables = ["XDG_DATA_DIRS": "/nowhere"]
      // The bus knows how to start it all the same.
      let result = try session.doctor(
        ["entry-missing", "not-registered", "no-browser", "no-sovereign-handler", "no-shell"],
        adding: variables)
      #expect(result.status == 1)

      let entry = session.home + "/.local/share/applications/fs.sovereign.Navigation.desktop"
      try writeFile(entry, "[Desktop Entry]\nType=Application\nName=x\nExec=/bin/true %u\n")
      try session.doctor(["entry-overridden"], also: true)
      try writeFile(entry, "[Desktop Entry]\nHidden=true\n")
      try session.doctor(["entry-missing"], also: true)
      unlink(entry)

      let services = session.home + "/.local/share/dbus-1/services"
      try makeDirectories(services)
      try writeFile(
        services + "/fs.sovereign.Navigation.service",
        "[D-BUS Service]\nName=fs.sovereign.Navigation\nExec=/bin/true\n")
      try session.doctor(["mixed-installation", "name-taken"], also: true)
    }
  }
}

// A bus with the directories that the specification gives it.
extension EndToEnd.WithoutSystemd.DoctorTests {
  @Test func theBusWasStartedBeforeItCouldFindTheService() throws {
    let session = try TestSession()
    let share = (Installation.prefix ?? "") + "/share"
    let result = try doctor(
      session, "XDG_DATA_DIRS=\(share) sovereign-navigation doctor --json",
      adding: ["XDG_DATA_DIRS": "/nowhere/share"])
    #expect(names(result).first == "activation-missing", "\(result)")
    #expect(!names(result).contains("service-unreachable"), "\(result)")
    #expect(result.text.contains("/nowhere/share, /usr/share"), "\(result)")
    #expect(result.text.contains("let XDG_DATA_DIRS name \(share) before the bus starts"))
    // The remedy is one.
    let mended = try doctor(session, "sovereign-navigation doctor --json")
    #expect(!names(mended).contains("activation-missing"), "\(mended)")
  }

  @Test func theServiceWasInstalledAfterTheBusWasStarted() throws {
    let session = try TestSession()
    let prefix = Installation.prefix ?? ""
    let services = session.home + "/.local/share/dbus-1/services"
    // One that runs already keeps the bus from having to look.
    let result = try doctor(
      session,
      """
      mkdir -p \(services)
      cp \(prefix)/share/dbus-1/services/fs.sovereign.Navigation.service \(services)
      \(prefix)/libexec/sovereign-navigationd &
      gdbus wait --session --timeout 10 fs.sovereign.Navigation
      sovereign-navigation doctor --json
      kill $!
      """, adding: ["XDG_DATA_DIRS": "/nowhere/share"])
    #expect(result.text.contains(#""service":"running""#), "\(result)")
    #expect(!names(result).contains("activation-missing"), "\(result)")
  }

  private func doctor(
    _ session: TestSession, _ script: String, adding variables: [String: String] = [:]
  ) throws -> CommandResult {
    try session.run(["dbus-run-session", "--", "sh", "-c", script], adding: variables)
  }

  private func names(_ result: CommandResult) -> [String] {
    result.text.split(separator: #""name":""#).dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }
}

extension TestSession {
  /// Runs it, and expects problems, or notes, of these names; with `also`, among others.
  @discardableResult
  fileprivate func doctor(
    _ names: [String], json: Bool = true, adding variables: [String: String] = [:],
    isHealthy: Bool? = nil, also: Bool = false
  ) throws -> CommandResult {
    let result = try run(
      ["sovereign-navigation", "doctor"] + (json ? ["--json"] : []),
      adding: ["BROWSER": ""].merging(variables) { $1 })
    let found = result.text.split(separator: #""name":""#).dropFirst()
      .map { String($0.prefix { $0 != "\"" }) }
    if also {
      #expect(Set(names).isSubset(of: found), "\(result)")
    } else {
      #expect(found.sorted() == names.sorted(), "\(result)")
    }
    #expect(result.status == (isHealthy ?? names.isEmpty ? 0 : 1), "\(result)")
    return result
  }

  fileprivate func removeEntry(_ application: RecordingApplication) throws {
    unlink("\(home)/.local/share/applications/\(application.id)")
  }
}

extension EndToEnd.WithSystemd {
  @Suite struct DoctorTests {
    let session: TestSession

    init() throws {
      session = try TestSession()
      try session.makeUsTheDefault()
    }

    private func doctor(adding variables: [String: String] = [:]) throws -> String {
      try session.run(
        ["sovereign-navigation", "doctor", "--json"],
        adding: ["BROWSER": ""].merging(variables) { $1 }
      ).text
    }

    private func systemctl(_ arguments: String...) throws {
      _ = try session.run(["systemctl", "--user"] + arguments)
    }

    @Test func variablesOfTheTerminalAndOfTheManager() throws {
      let lacking = try doctor(adding: ["WAYLAND_DISPLAY": "wayland-9"])
      #expect(lacking.contains(#""name":"display-variables","#))
      #expect(lacking.contains("WAYLAND_DISPLAY"))
      try systemctl("set-environment", "WAYLAND_DISPLAY=wayland-8", "DISPLAY=:77", "BROWSER=lynx")
      defer { try? systemctl("unset-environment", "WAYLAND_DISPLAY", "BROWSER") }
      let there = try doctor(adding: ["WAYLAND_DISPLAY": "wayland-9"])
      #expect(!there.contains(#""name":"display-variables","#), "\(there)")
      #expect(there.contains(#""where":"BROWSER in the environment of the user manager""#))
    }

    @Test func theBusHasNotReadTheServiceSinceItWasInstalled() throws {
      // No bus watches a directory that was not there when it looked.
      let directory = session.home + "/.local/share/dbus-1"
      let reload = [
        "busctl", "--user", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
        "org.freedesktop.DBus", "ReloadConfig",
      ]
      defer {
        rename(directory + "-away", directory)
        _ = try? session.run(reload)
      }
      try systemctl("stop", "sovereign-navigation.service")
      rename(directory, directory + "-away")
      _ = try session.run(reload)
      let missing = try doctor()
      #expect(missing.contains(#""name":"activation-missing","#), "\(missing)")
      #expect(!missing.contains("service-unreachable"), "\(missing)")

      rename(directory + "-away", directory)
      let installed = try doctor()
      // The other kind of bus looks again by itself.
      let bus = try session.run(["systemctl", "--user", "show", "--property=ExecStart", "dbus"])
      if bus.text.contains("dbus-broker") {
        #expect(installed.contains("it has not read the file that says how"), "\(installed)")
        #expect(installed.contains(reload.joined(separator: " ")))
        _ = try session.run(reload)
      }
      let mended = try doctor()
      #expect(mended.contains(#""service":"running""#), "\(mended)")
      #expect(!mended.contains("activation-missing"), "\(mended)")
    }

    @Test func aUnitWhereTheManagerDoesNotLook() throws {
      let unit = session.home + "/.local/share/systemd/user/sovereign-navigation.service"
      let elsewhere = session.home + "/.local/lib/systemd/user/sovereign-navigation.service"
      try makeDirectories(session.home + "/.local/lib/systemd/user")
      try systemctl("stop", "sovereign-navigation.service")
      rename(unit, elsewhere)
      defer {
        unlink(session.home + "/.config/systemd/user/sovereign-navigation.service")
        rename(elsewhere, unit)
        try? systemctl("daemon-reload")
        try? systemctl("start", "sovereign-navigation.service")
      }
      try systemctl("daemon-reload")
      let missing = try doctor()
      #expect(missing.contains(#""name":"unit-missing","#), "\(missing)")
      #expect(missing.contains("systemctl --user link \(elsewhere)"), "\(missing)")
      // The remedy is one.
      try systemctl("link", elsewhere)
      let linked = try doctor()
      #expect(linked.contains(#""service":"running""#), "\(linked)")
      #expect(!linked.contains("unit-missing"), "\(linked)")
    }

    @Test func aUnitThatFailsOrIsMaskedOrGone() throws {
      let unit = session.home + "/.local/share/systemd/user/sovereign-navigation.service"
      let text = try readFile(unit)
      defer {
        try? writeFile(unit, text)
        try? systemctl("daemon-reload")
        try? systemctl("reset-failed", "sovereign-navigation.service")
        // dbus-daemon would let every call wait for the activation that has failed.
        try? systemctl("start", "sovereign-navigation.service")
      }
      // A manager that has not loaded it has nothing to read again.
      _ = try session.servicePID()
      try writeFile(
        unit, "[Service]\nType=dbus\nBusName=fs.sovereign.Navigation\nExecStart=/bin/false\n")
      let changed = try doctor()
      #expect(changed.contains(#""name":"unit-changed","#), "\(changed)")
      try systemctl("stop", "sovereign-navigation.service")
      try systemctl("daemon-reload")
      let failed = try doctor()
      #expect(failed.contains(#""name":"unit-failed","#), "\(failed)")
      #expect(failed.contains("has failed: exit-code"))
      #expect(failed.contains(#""name":"mixed-installation","#))
      #expect(failed.contains(#""service":"unreachable""#))

      try systemctl("mask", "--runtime", "sovereign-navigation.service")
      let masked = try doctor()
      try systemctl("unmask", "--runtime", "sovereign-navigation.service")
      #expect(masked.contains("masked"), "\(masked)")

      unlink(unit)
      try systemctl("daemon-reload")
      let gone = try doctor()
      #expect(gone.contains(#""name":"unit-missing","#), "\(gone)")
    }
  }
}
