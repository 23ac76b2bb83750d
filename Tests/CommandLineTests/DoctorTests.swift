import Navigation
import TestSupport
import Testing
import WebOrigin

@testable import Desktop
@testable import Files
@testable import Preferences
@testable import sovereign_navigation

/// What `doctor` makes of what it finds.
struct DoctorTests {
  struct Case: CustomTestStringConvertible {
    let testDescription: String
    /// `severity name`, in order.
    let expected: [String]
    /// What one of the findings says: about what, or where.
    let says: String
    /// What is to be done about the last one.
    let remedy: String?
    let findings: [Finding]

    init(
      _ description: String, _ expected: [String], says: String = "", remedy: String? = nil,
      _ findings: [Finding]
    ) {
      testDescription = description
      self.expected = expected
      self.says = says
      self.remedy = remedy
      self.findings = findings
    }
  }

  @Test(arguments: cases) func finds(_ row: Case) {
    #expect(row.findings.map { "\($0.severity) \($0.kind.rawValue)" } == row.expected)
    let texts = row.findings.flatMap { [$0.what, $0.place ?? ""] }
    #expect(row.says.isEmpty || texts.contains { $0.contains(row.says) }, "\(texts)")
    for finding in row.findings { #expect(!finding.remedy.isEmpty) }
    if let remedy = row.remedy { #expect(row.findings.last?.remedy == remedy) }
  }

  /// What xdg-open 1.1.3 and the module webbrowser of Python 3.11 give a link to the service with.
  @Test(arguments: [
    "sovereign-navigation open %s", "/opt/b/sovereign-navigation open %s",
    "sovereign-navigation open -- %s", " sovereign-navigation  open\t%s",
    ":sovereign-navigation open %s", "sovereign-navigation open %s:lynx",
  ]) func isRightForBROWSER(_ value: String) {
    #expect(Check.browserVariable(terminal: value, manager: value) == [])
  }

  /// At least one of the two does not, or gives it something else besides.
  @Test(arguments: [
    "sovereign-navigation", "sovereign-navigation %s", "sovereign-navigation open",
    "sovereign-navigation open '%s'", "sovereign-navigation open %s &",
    "sovereign-navigation open --shell %s", "sovereign-navigation decide %s",
    "sovereign-navigation %s open", "sovereign-navigation:lynx", "sovereign-navigation open:lynx",
    "~/.local/bin/sovereign-navigation open %s", "bin/sovereign-navigation open %s",
  ]) func isWrongForBROWSER(_ value: String) {
    #expect(
      Check.browserVariable(terminal: value, manager: nil).map(\.remedy) == [
        "export 'BROWSER=sovereign-navigation open %s', and the same in the files that set it, such "
          + "as ~/.profile"
      ])
  }

  @Test(arguments: Finding.Kind.allCases) func everyKindHasARow(_ kind: Finding.Kind) {
    #expect(Self.cases.contains { $0.findings.contains { $0.kind == kind } })
  }

  // MARK: The desktop

  private static let ours = "fs.sovereign.Navigation.desktop"

  private static func handlers(
    https: String?, http: String?, in file: String = "/c/mimeapps.list"
  ) -> [WebHandler] {
    [("https", https), ("http", http)].map { scheme, id in
      WebHandler(scheme: scheme, source: id.map { Associations.Source(id: $0, file: file) })
    }
  }

  private static func links(
    _ handlers: [WebHandler], _ memory: Registrar.Memory = .kept, isNamed: Bool = true
  ) -> [Finding] {
    Check.webLinks(handlers, registration: memory, isNamed: isNamed, record: "/s/registration.conf")
  }

  private static func entry(_ exec: String?) -> [Finding] {
    Check.entry(
      .success(DesktopEntry(id: ours, path: "/a/\(ours)", name: "x", exec: exec)),
      program: "/bin/true", searchPath: "/usr/bin:/bin")
  }

  // MARK: What administrators decide

  private static let paths = PreferencePaths(
    BaseDirectories(environment: [
      "XDG_CONFIG_HOME": "/c", "XDG_CONFIG_DIRS": "/x:/y", "XDG_DATA_HOME": "/d",
    ]))

  /// - Parameters:
  ///   - instances: The first one is the active one; what begins with `*` is an administrator's.
  ///   - decides: What an administrator's file says besides.
  private static func settings(
    _ instances: [String] = [], decides: (inout Layer) -> Void = { _ in }, problem: Problem? = nil
  ) -> Settings {
    var (user, administrator) = (Layer(), Layer())
    for text in instances {
      let isPreset = text.hasPrefix("*")
      guard let origin = Origin(serialization: isPreset ? String(text.dropFirst()) : text) else {
        continue
      }
      let entry = Entry(origin: origin, label: nil, addedAt: 0)
      if isPreset { administrator.entries.append(entry) } else { user.entries.append(entry) }
      if text == instances.first {
        if isPreset {
          administrator.active = .origin(origin)
        } else {
          user.active = .origin(origin)
        }
      }
    }
    decides(&administrator)
    return Settings(
      user: user,
      administrators: [
        .init(path: paths.administrators[0], layer: administrator, problem: problem)
      ])
  }

  private static let users = settings()
  /// What is not known of one that cannot be read.
  private static let unknown = Problem.dangling(inForce: .unknown)

  private static func source(_ lock: Lock, in settings: Settings) -> SettingSource {
    SettingSource(
      lock, decisive: lock == .browser ? settings.browserSource : settings.shellSource,
      in: settings, usersFile: paths.file)
  }

  private static func browser(
    set: String? = nil, former: String? = nil, chosen: String?,
    _ candidates: [(String, Unsuitability?)], in settings: Settings = users
  ) -> [Finding] {
    Check.application(
      .browser, set: set, former: former, chosen: chosen,
      candidates: candidates.map {
        Check.Candidate(id: $0.0, objection: $0.1, path: "/a/\($0.0)")
      }, source: source(.browser, in: settings))
  }

  private static let gone = Unsuitability.programMissing("a")

  private static func former(_ objection: Unsuitability) -> [Finding] {
    browser(former: "a", chosen: "b", [("a", objection), ("b", nil)])
  }

  private static func shell(isNeeded: Bool) -> [Finding] {
    Check.application(
      .shell, set: nil, chosen: nil, candidates: [], source: source(.shell, in: users),
      isNeeded: isNeeded)
  }

  private static func addressing(
    _ instances: [String], understandsWeb: Bool = false, known: [String]? = nil,
    decides: (inout Layer) -> Void = { _ in }, problem: Problem? = nil
  ) -> [Finding] {
    Check.addressing(
      settings(instances, decides: decides, problem: problem),
      shell: "s.desktop", understandsWeb: understandsWeb,
      known: known.map { ShellInstances(addresses: $0) }, paths: paths)
  }

  private static func shellStore(isActiveLocked: Bool) -> [Finding] {
    [
      Check.shellStore(
        Diagnostic(
          path: "/d/instances.json",
          problem: .notTakenOver(.missingKeys("the file", expected: ["url"], found: []))),
        preferences: "/c/sovereign/navigation.conf", isActiveLocked: isActiveLocked)
    ]
  }

  private static let desktop: [Case] = [
    .init("our entry", [], entry("true %U")),
    .init("behind a link", [], entry("/bin/../bin/true %U")),
    .init("another program's", ["problem entry-overridden"], says: "/a/", entry("/bin/false %U")),
    .init("a missing program", ["problem entry-overridden"], entry("/nowhere/x %U")),
    .init("no command", ["problem entry-overridden"], entry(nil)),
    .init(
      "no entry", ["problem entry-missing"], says: "Hidden",
      Check.entry(.failure(.hidden(path: "/a/x")), program: "/bin/true", searchPath: "/bin")),

    .init("registered", [], links(handlers(https: ours, http: ours))),
    .init(
      "by hand, as a desktop's settings do", [], links(handlers(https: ours, http: ours), .none)),
    .init(
      "never registered", ["note not-registered"], says: "b.desktop",
      links(handlers(https: "b.desktop", http: "b.desktop"), .none, isNamed: false)),
    .init(
      "nobody's", ["note not-registered"],
      links(handlers(https: nil, http: nil), .none, isNamed: false)
    ),
    .init(
      "another", ["problem other-default"], says: "b.desktop",
      links(handlers(https: "b.desktop", http: "b.desktop"))),
    .init(
      "another for each", ["problem other-default", "problem other-default"], says: "http links",
      links(handlers(https: "b.desktop", http: "c.desktop"))),
    .init(
      "a list of the desktop", ["problem desktop-list"], says: "/c/kde-mimeapps.list",
      links(handlers(https: "b.desktop", http: "b.desktop", in: "/c/kde-mimeapps.list"))),
    .init(
      "https alone", ["problem one-scheme-only"], says: "http links go to b.desktop",
      links(handlers(https: ours, http: "b.desktop"))),
    .init(
      "https alone, and nothing else", ["problem one-scheme-only"],
      says: "no application opens http",
      links(handlers(https: ours, http: nil), .none)),
    .init(
      "left over", ["problem registration-left-over", "problem other-default"],
      says: "/s/registration.conf",
      links(handlers(https: "b.desktop", http: "b.desktop"), isNamed: false)),
    .init(
      "a broken record", ["problem registration-broken"], says: "no group",
      links(handlers(https: ours, http: ours), .broken("no group"))),
    .init(
      "a record that cannot be read", ["problem registration-broken"], says: "no regular file",
      links(handlers(https: ours, http: ours), .unreadable("no regular file"))),
    .init(
      "a list that nobody can read", ["problem list-broken"], says: "/c/mimeapps.list",
      [Check.unusableList(.init(path: "/c/mimeapps.list", reason: "no group"))]),
    .init(
      "no handler", ["problem no-sovereign-handler"],
      remedy: "install the service again: its desktop entry claims them; or take it out of "
        + "[Removed Associations] in /c/mimeapps.list",
      [Check.noSovereignHandler(list: "/c/mimeapps.list")]),

    .init("no $BROWSER", [], Check.browserVariable(terminal: nil, manager: "")),
    .init(
      "$BROWSER", ["problem browser-variable"], says: "this terminal",
      Check.browserVariable(terminal: "firefox:xdg-open", manager: nil)),
    .init(
      "both", ["problem browser-variable", "problem browser-variable"], says: "user manager",
      Check.browserVariable(terminal: "xdg-open", manager: "lynx")),
    .init(
      "a list that begins with another", ["problem browser-variable"],
      says: "open links with lynx:",
      Check.browserVariable(terminal: "lynx:sovereign-navigation open %s", manager: nil)),
    .init(
      "ours, in the manager", ["problem browser-variable"], says: "not every program",
      remedy: "systemctl --user set-environment 'BROWSER=sovereign-navigation open %s', and the "
        + "same in the files that set it, such as ~/.config/environment.d",
      Check.browserVariable(terminal: nil, manager: "sovereign-navigation")),
    .init(
      "ours by its path", ["problem browser-variable"],
      remedy: "export 'BROWSER=/b/sovereign-navigation open %s', and the same in the files that "
        + "set it, such as ~/.profile",
      Check.browserVariable(terminal: "/b/sovereign-navigation open", manager: nil)),

    .init("a browser", [], browser(chosen: "b", [("b", nil)])),
    .init("a candidate that is none", [], browser(chosen: "b", [("a", gone), ("b", nil)])),
    .init(
      "none", ["problem no-browser"], says: "a: its program a is",
      browser(chosen: nil, [("a", gone)])),
    .init(
      "set, and gone", ["problem browser-unusable"], says: "its program a is not there; b is used",
      remedy: "install it again, name one with: sovereign-navigation browser ID, or: "
        + "sovereign-navigation browser --reset",
      browser(set: "a", chosen: "b", [("a", gone), ("b", nil)])),
    .init(
      "set, and used all the same", ["problem browser-unusable"],
      says: "/c/sovereign/navigation.conf, Browser",
      browser(set: "a", chosen: "a", [("a", gone), ("b", nil)])),
    .init(
      "an administrator's", ["problem browser-unusable"],
      says: "/x/sovereign/navigation.conf, Browser",
      remedy: "install it again, or name one with: sovereign-navigation browser ID",
      browser(
        set: "a", chosen: "b", [("a", gone), ("b", nil)], in: settings { $0.browser = "a" })),
    .init(
      "an administrator's, locked", ["problem browser-unusable"],
      says: "/x/sovereign/navigation.conf, Browser",
      remedy: "install it again, or ask the administrator to change Browser in "
        + "/x/sovereign/navigation.conf",
      browser(
        set: "a", chosen: "b", [("a", gone), ("b", nil)],
        in: settings {
          $0.browser = "a"
          $0.locked = [.browser]
        })),
    .init(
      "the user's, under a file that may lock it", ["problem browser-unusable"],
      says: "/c/sovereign/navigation.conf, Browser",
      remedy: "install it again, or ask the administrator to correct "
        + "/x/sovereign/navigation.conf, which may lock Browser",
      browser(
        set: "a", chosen: "b", [("a", gone), ("b", nil)], in: settings(problem: unknown))),
    .init(
      "none, and none can be named", ["problem no-browser"],
      remedy: "install a web browser, or ask the administrator to change Browser in "
        + "/x/sovereign/navigation.conf",
      browser(chosen: nil, [], in: settings { $0.locked = [.browser] })),
    .init(
      "the last one", ["problem no-browser"], says: "a: its program a is",
      browser(chosen: nil, [("a", gone)])),
    .init(
      "the former default is gone", ["problem browser-unusable"], says: "not there; b is used",
      remedy: "install it again, or name one with: sovereign-navigation browser ID", former(gone)),
    .init(
      "it is not installed", ["problem browser-unusable"],
      remedy: "install it again, or name one with: sovereign-navigation browser ID",
      former(.unavailable(.notInstalled))),
    .init(
      "its file is none", ["problem browser-unusable"], says: "/a/a has Hidden=true; b is used",
      remedy: "correct that file or remove it, or name one with: sovereign-navigation browser ID",
      former(.unavailable(.hidden(path: "/a/a")))),
    .init(
      "its command is not run", ["problem browser-unusable"], says: "may not; b is used",
      remedy: "correct its Exec= in /a/a, or name one with: sovereign-navigation browser ID",
      former(.notRunnable(.misplacedCode("%u")))),
    .init(
      "it takes files alone", ["problem browser-unusable"],
      remedy: "correct its Exec= in /a/a, or name one with: sovereign-navigation browser ID",
      former(.filesOnly)),
    .init(
      "it lacks a terminal", ["problem browser-unusable"],
      remedy: "install a terminal emulator, or name one with: sovereign-navigation browser ID",
      former(.noTerminal)),
    .init(
      "it is a shell", ["problem browser-unusable"],
      remedy: "name one with: sovereign-navigation browser ID", former(.shell)),
    .init(
      "one that is set is a shell", ["problem browser-unusable"],
      remedy: "name one with: sovereign-navigation browser ID, or: "
        + "sovereign-navigation browser --reset",
      browser(set: "a", chosen: "b", [("a", .shell), ("b", nil)])),
    .init(
      "it is gone, and another one is set", [],
      browser(set: "b", former: "a", chosen: "b", [("b", nil), ("a", gone)])),
    .init("the former default", [], browser(former: "a", chosen: "a", [("a", nil), ("b", nil)])),
    .init(
      "it is gone, and nothing else is there", ["problem no-browser"], says: "a: its program a is",
      browser(former: "a", chosen: nil, [("a", gone)])),
    .init("no shell, and none is needed", ["note no-shell"], shell(isNeeded: false)),
    .init("no shell", ["problem no-shell"], shell(isNeeded: true)),
    .init(
      "a shell that is gone", ["problem shell-unusable", "problem no-shell"],
      Check.application(
        .shell, set: "s", chosen: nil,
        candidates: [Check.Candidate(id: "s", objection: gone)],
        source: source(.shell, in: users))
    ),
    .init(
      "a shell of many windows", ["note shell-starts-again"], [Check.startsAgain("s", "/a/s")]),

    .init("one instance", [], addressing(["https://a"])),
    .init("none", [], addressing([])),
    .init("another host", [], addressing(["https://a", "https://b"])),
    .init(
      "another port", ["problem instances-share-host"], says: "https://a:444 has the same host",
      remedy: "sovereign-navigation instances remove https://a:444, or use a shell that takes "
        + "https links",
      addressing(["https://a", "https://b", "https://a:444"])),
    .init(
      "an administrator's port besides", ["problem instances-share-host"],
      says: "/x/sovereign/navigation.conf",
      remedy: "ask the administrator to take https://a:445 out of "
        + "/x/sovereign/navigation.conf, or use a shell that takes https links",
      addressing(["https://a", "https://a:444", "*https://a:445"])),
    .init(
      "the user's port beside an administrator's", ["problem instances-share-host"],
      says: "/c/sovereign/navigation.conf",
      remedy: "sovereign-navigation instances remove https://a:444, or use a shell that takes "
        + "https links",
      addressing(["*https://a", "https://a:444"])),
    .init(
      "another port, under a file that may lock it", ["problem instances-share-host"],
      says: "/c/sovereign/navigation.conf",
      remedy: "ask the administrator to correct /x/sovereign/navigation.conf, which may lock "
        + "Instances, or use a shell that takes https links",
      addressing(["https://a", "https://a:444"], problem: unknown)),
    .init(
      "the sign-in's host", ["problem host-reserved"], says: "/c/sovereign/navigation.conf",
      remedy: "reach it by another host name, or use a shell that takes https links",
      addressing(["https://oauth:444"])),
    .init(
      "the sign-in's host, locked", ["problem host-reserved"],
      says: "/x/sovereign/navigation.conf",
      remedy: "ask the administrator to change ActiveOrigin in "
        + "/x/sovereign/navigation.conf, or use a shell that takes https links",
      addressing(["*https://oauth:444"], decides: { $0.locked = [.activeOrigin] })),
    .init("a shell of the web", [], addressing(["https://a", "http://a"], understandsWeb: true)),
    .init("in its store", [], addressing(["https://a"], known: ["https://a"])),
    .init(
      "not in its store", ["problem shell-lacks-instance"],
      says: "/d/fs.sovereign.desktop/instances.json",
      addressing(["https://a"], known: ["https://b"])),
    .init(
      "beside another port in its store", ["problem instances-share-host"],
      says: "/d/fs.sovereign.desktop/instances.json",
      addressing(["https://a"], known: ["https://a:444", "https://a"])),
    .init(
      "an unknown key", ["problem preferences"], says: "did you mean",
      remedy: "correct the file; sovereign-navigationd(8) says what it may hold",
      [
        Check.preferences(
          Diagnostic(
            path: "/c/navigation.conf",
            problem: .unknownKey(
              "ActiveOrgin", group: "Navigation", suggestion: "ActiveOrigin")),
          isAdministrators: false)
      ]),
    .init(
      "an administrator's broken file", ["problem preferences"],
      remedy: "ask the administrator to correct the file; sovereign-navigationd(8) says what it "
        + "may hold",
      [
        Check.preferences(
          Diagnostic(path: "/x/sovereign/navigation.conf", problem: unknown),
          isAdministrators: true)
      ]),
    .init(
      "another store", ["problem shell-store"], says: "`url`",
      remedy: "choose with: sovereign-navigation active URL; or put Follow=false into "
        + "/c/sovereign/navigation.conf", shellStore(isActiveLocked: false)),
    .init(
      "another store, and no choice", ["problem shell-store"],
      remedy: "put Follow=false into /c/sovereign/navigation.conf",
      shellStore(isActiveLocked: true)),
  ]

  // MARK: The service

  private static let daemon = "/bin/true"

  private static func owner(_ program: String?) -> ServiceLook.Owner {
    .init(process: 7, executable: program)
  }

  private static func service(
    _ look: ServiceLook, _ unit: ServiceUnit? = nil, isKnown: Bool = true
  ) -> [Finding] {
    Check.service(
      look, unit: unit, program: daemon, bus: BusLook(canStartService: isKnown, places: nil))
  }

  private static func unit(
    load: String = "loaded", active: String = "active", program: String = daemon,
    needsReload: Bool = false
  ) -> ServiceUnit {
    ServiceUnit(
      load: load, active: active, result: active == "failed" ? "exit-code" : "success",
      path: "/u/x.service", program: program, needsReload: needsReload)
  }

  private static func installation(
    _ program: String?, unit: ServiceUnit? = nil, by ours: String = "/bin/false",
    hasManager: Bool = true, isKnown: Bool = true, places: [String]? = nil
  ) -> [Finding] {
    Check.installation(
      program: ours,
      activation: ActivationFile(
        path: "/s/dbus-1/services/x.service", program: program, unit: "x.service"),
      bus: BusLook(canStartService: isKnown, places: places), unit: unit, hasManager: hasManager)
  }

  private static func nothingInstalled(_ bus: BusLook?) -> [Finding] {
    Check.installation(
      program: daemon, activation: nil, bus: bus, unit: nil, hasManager: false)
  }

  private static let running: [Case] = [
    .init("running", [], service(.running(owner(Executable.resolve(daemon))))),
    .init("unseen", [], service(.running(owner(nil)))),
    .init("gone again", [], service(.running(nil))),
    .init(
      "replaced", ["problem executable-replaced"], says: "/l/sovereign-navigationd",
      service(.running(owner("/l/sovereign-navigationd (deleted)")))),
    .init(
      "another's name", ["problem name-taken"], says: "/bin/evil",
      service(.running(owner("/bin/evil")))),
    .init(
      "another's, which does not answer", ["problem name-taken"],
      service(.unreachable("no", owner("/bin/evil")))),
    .init("no bus", ["problem no-bus"], says: "no bus", service(.noBus("no bus"))),
    .init(
      "no answer", ["problem service-unreachable"], says: "no answer",
      service(.unreachable("no answer", nil), unit(active: "inactive"))),
    .init(
      "hangs", ["problem service-unreachable"],
      service(.unreachable("no", owner(Executable.resolve(daemon))))),
    .init(
      "failed", ["problem unit-failed"], says: "exit-code",
      service(.unreachable("no", nil), unit(active: "failed"))),
    .init(
      "masked", ["problem unit-failed"], says: "masked",
      service(.unreachable("no", nil), unit(load: "masked", active: "inactive"))),
    .init("failed before, and runs", [], service(.running(nil), unit(active: "failed"))),
    .init(
      "a bus that does not know it", [],
      service(.unreachable("no", nil), unit(active: "inactive"), isKnown: false)),
    .init(
      "a bus that does not know it, and it hangs", ["problem service-unreachable"],
      service(.unreachable("no", owner(Executable.resolve(daemon))), isKnown: false)),

    .init("installed", [], installation(daemon, unit: unit())),
    .init("no activation file", ["problem activation-missing"], nothingInstalled(nil)),
    .init(
      "none, and the bus knows none", ["problem activation-missing"],
      nothingInstalled(BusLook(canStartService: false, places: nil))),
    .init(
      "none, but the bus knows one", [],
      nothingInstalled(BusLook(canStartService: true, places: nil))),
    .init(
      "no Exec", ["problem activation-missing"], says: "/s/dbus-1/services/x.service",
      installation(nil)),
    .init(
      "where the bus does not look", ["problem activation-missing"], says: "looked in since",
      installation(daemon, isKnown: false, places: ["/home/me/.local/share", "/usr/share"])),
    .init(
      "where it looks, and not read", ["problem activation-missing"], says: "has not read",
      installation(daemon, isKnown: false, places: ["/home/me/.local/share", "/s"])),
    .init(
      "nobody knows where it looks", ["problem activation-missing"], says: "has not read",
      installation(daemon, isKnown: false)),
    .init(
      "no program", ["problem activation-missing"], says: "/nowhere/d", installation("/nowhere/d")),
    .init(
      "two prefixes", ["problem mixed-installation"],
      installation(daemon, by: "/opt/bin/sovereign-navigation")),
    .init(
      "two programs", ["problem mixed-installation"], says: "/u/x.service",
      installation(daemon, unit: unit(program: "/l/d"))),
    .init(
      "no unit", ["problem unit-missing"],
      installation(daemon, unit: unit(load: "not-found", program: ""))),
    .init("no manager", [], installation(daemon, hasManager: false)),
    .init(
      "a new unit", ["note unit-changed"], installation(daemon, unit: unit(needsReload: true))),

    .init(
      "a display that the manager has", [],
      Check.displayVariables(terminal: ["DISPLAY": ":0"], manager: ["DISPLAY": ":1"])),
    .init(
      "no display here", [], Check.displayVariables(terminal: ["DISPLAY": ""], manager: [:])),
    .init(
      "one that it lacks", ["problem display-variables"], says: "WAYLAND_DISPLAY",
      Check.displayVariables(
        terminal: ["DISPLAY": ":0", "WAYLAND_DISPLAY": "w"], manager: ["DISPLAY": ":0"])),
    .init("no manager", [], Check.displayVariables(terminal: ["DISPLAY": ":0"], manager: nil)),
  ]

  private static let cases = desktop + running

  // MARK: The program

  @Test func looksAtTheRestWithoutABus() throws {
    let home = try TemporaryDirectory()
    try makeDirectories(home.path + "/.config/sovereign")
    let file = home.path + "/.config/sovereign/navigation.conf"
    try writeFile(file, "[Navigation]\nActiveOrgin=https://a.example\n")
    let environment = ["HOME": home.path, "XDG_DATA_DIRS": "/nowhere", "BROWSER": "lynx"]
    let text = try Tool.result(of: ["doctor"], environment: environment)
    #expect(text.status == 1)
    #expect(
      text.text.hasPrefix(
        "problem: the service cannot be reached: the session bus cannot be reached: "
          + "No such file or directory; links are decided without the service\n  remedy: "))
    #expect(
      text.text.contains(
        """

        problem: `ActiveOrgin`: not a key of this file; did you mean `ActiveOrigin`?
          where:  \(file)
          remedy: correct the file; sovereign-navigationd(8) says what it may hold
        """), "\(text)")
    let json = try Tool.result(of: ["doctor", "--json"], environment: environment)
    #expect(json.status == 1)
    #expect(
      json.text.hasPrefix(
        #"{"healthy":false,"service":"no-bus","findings":[{"severity":"problem","name":"no-bus","#))
    #expect(try Tool.result(of: ["doctor", "x"]).status == 2)
    // It only looked.
    #expect(try entries(of: home.path) == [".config"])
  }
}
