import Files
import Glibc
import Navigation
import TestSupport
import Testing
import WebOrigin

@testable import Preferences

/// What administrators' files and the user's come to; each line is a sentence of the contract.
@Suite struct AdministratorTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var administrators: [String] = []
    var user = ""
    let expected: String
  }

  /// The settings in force, as a person would write them down.
  private static func describe(_ settings: Settings) -> String {
    func by(_ file: String?) -> String { file.map { " by \($0)" } ?? "" }
    let policy = settings.policy
    let instances = policy.instances.map {
      "\($0.isPreset ? "*" : "")\($0.origin.host.prefix { $0 != "." }) \($0.label)"
    }
    let parts: [(String, String?)] = [
      ("active", policy.active?.host), ("source", settings.activeSource),
      ("instances", instances.isEmpty ? nil : instances.joined(separator: ", ")),
      ("browser", settings.browser.map { $0 + by(settings.browserSource) }),
      ("shell", settings.shell.map { $0 + by(settings.shellSource) }),
      ("known", policy.knownInstances == .switch ? "switch" : nil),
      ("schemes", policy.schemes.isEmpty ? nil : policy.schemes.joined(separator: " ")),
      ("follow", settings.follow ? nil : "no"), ("notify", settings.notify ? nil : "no"),
      (
        "locked",
        settings.locked.isEmpty
          ? nil
          : settings.locked.map { "\($0.rawValue) by \(settings.locks[$0] ?? "?")" }
            .joined(separator: ", ")
      ),
    ]
    return parts.compactMap { name, value in value.map { "\(name): \($0)" } }
      .joined(separator: "; ")
  }

  private static func layer(_ text: String, isAdministrators: Bool) throws -> Layer {
    // Instances come as `a=Label`.
    var lines: [Substring] = []
    var groups = ""
    for line in text.split(separator: "\n") {
      if line.first?.isLowercase == true, let equals = line.firstIndex(of: "=") {
        let name = line[..<equals]
        groups += "[Instance \(groups.count)]\nOrigin=https://\(name).example\n"
        groups += "Label=\(line[equals...].dropFirst())\n"
      } else {
        lines.append(line)
      }
    }
    let file = "[Navigation]\n\(lines.joined(separator: "\n"))\n\(groups)"
    let reading = try Reading(
      Array(file.utf8), isAdministrators: isAdministrators, fallback: Layer())
    #expect(reading.problems.isEmpty)
    return reading.layer
  }

  @Test func whereNoFileCanBeNothingIsLocked() throws {
    let home = try Home()
    try writeFile(parent(of: parent(of: home.paths.administrators[0])), "")
    let store = home.running()
    #expect(store.settings.locks.isEmpty)
    #expect(store.diagnostics.isEmpty)
  }

  @Test(arguments: [
    Case(testDescription: "nobody says anything", expected: ""),
    Case(
      testDescription: "a key that the user's file does not have takes the administrator's default",
      administrators: [
        "ActiveOrigin=https://d.example\nBrowser=d.desktop\nShell=s.desktop\n"
          + "KnownInstances=switch\nSchemes=magnet;\nFollow=no\nNotify=no"
      ],
      expected: "active: d.example; source: first; instances: *d d.example; "
        + "browser: d.desktop by first; shell: s.desktop by first; known: switch; "
        + "schemes: magnet; follow: no; notify: no"),
    Case(
      testDescription: "a key that it has is the user's",
      administrators: [
        "ActiveOrigin=https://d.example\nBrowser=d.desktop\nShell=s.desktop\n"
          + "KnownInstances=switch\nSchemes=magnet;\nFollow=no\nNotify=no"
      ],
      user: "ActiveOrigin=https://u.example\nBrowser=u.desktop\nShell=v.desktop\n"
        + "KnownInstances=browser\nSchemes=news;\nFollow=yes\nNotify=yes",
      expected: "active: u.example; instances: *d d.example, u u.example; browser: u.desktop; "
        + "shell: v.desktop; schemes: news"),
    Case(
      testDescription: "the first file that has a key counts",
      administrators: [
        "Browser=one.desktop", "Browser=two.desktop\nShell=two.desktop", "Shell=three.desktop",
      ],
      expected: "browser: one.desktop by first; shell: two.desktop by second"),
    Case(
      testDescription: "a present, empty ActiveOrigin of the user means none",
      administrators: ["ActiveOrigin=https://d.example"], user: "ActiveOrigin=",
      expected: "instances: *d d.example"),
    Case(
      testDescription: "and one of an administrator hides those after it",
      administrators: ["ActiveOrigin=", "ActiveOrigin=https://d.example"],
      expected: "source: first"),
    Case(
      testDescription: "an empty value of the user of any other key is the default",
      administrators: ["Browser=d.desktop\nSchemes=magnet;\nKnownInstances=switch"],
      user: "Browser=\nSchemes=\nKnownInstances=",
      expected: "browser: d.desktop by first; known: switch; schemes: magnet"),
    Case(
      testDescription: "no schemes are a choice, too",
      administrators: ["Schemes=magnet;"], user: "Schemes=;", expected: ""),
    Case(
      testDescription: "a locked key is the administrator's",
      administrators: [
        "Locked=ActiveOrigin;Browser;Shell;KnownInstances;Schemes\n"
          + "ActiveOrigin=https://d.example\nBrowser=d.desktop\nShell=s.desktop\n"
          + "KnownInstances=switch\nSchemes=magnet;"
      ],
      user: "ActiveOrigin=https://u.example\nBrowser=u.desktop\nShell=v.desktop\n"
        + "KnownInstances=browser\nSchemes=news;\nu=U",
      expected: "active: d.example; source: first; instances: *d d.example, u U; "
        + "browser: d.desktop by first; shell: s.desktop by first; known: switch; schemes: magnet; "
        + "locked: ActiveOrigin by first, Browser by first, Shell by first, "
        + "KnownInstances by first, Schemes by first"),
    Case(
      testDescription: "or the built-in default",
      administrators: ["Locked=ActiveOrigin;Browser;Shell;KnownInstances;Schemes;"],
      user: "ActiveOrigin=https://u.example\nBrowser=u.desktop\nShell=v.desktop\n"
        + "KnownInstances=switch\nSchemes=news;\nu=U",
      expected: "source: first; instances: u U; locked: ActiveOrigin by first, Browser by first, "
        + "Shell by first, KnownInstances by first, Schemes by first"),
    Case(
      testDescription: "an empty ActiveOrigin of the user does not clear a locked one",
      administrators: ["Locked=ActiveOrigin\nActiveOrigin=https://d.example"],
      user: "ActiveOrigin=",
      expected: "active: d.example; source: first; instances: *d d.example; "
        + "locked: ActiveOrigin by first"),
    Case(
      testDescription: "locks are united over all files, and the value is the first one's",
      administrators: [
        "Locked=Browser", "Browser=two.desktop\nLocked=Shell;Browser", "Shell=three.desktop",
      ],
      user: "Browser=u.desktop\nShell=u.desktop",
      expected: "browser: two.desktop by second; shell: three.desktop by third; "
        + "locked: Browser by first, Shell by second"),
    Case(
      testDescription: "presets come first, those of the first file first, each once",
      administrators: ["b=B\na=A", "c=C\na=Other"], user: "u=U\nv=V",
      expected: "instances: *b B, *a A, *c C, u U, v V"),
    Case(
      testDescription: "a preset is called as the user calls it",
      administrators: ["a=A\nb=B\nc=C"],
      user: "u=U\na=Mine\nb=\nc=c.example\nActiveOrigin=https://a.example",
      expected: "active: a.example; instances: *a Mine, *b B, *c c.example, u U"),
    Case(
      testDescription: "but where Instances is locked",
      administrators: ["a=A", "Locked=Instances"], user: "a=Mine",
      expected: "instances: *a A; locked: Instances by second"),
    Case(
      testDescription: "the user's instances are not in force where Instances is locked",
      administrators: ["Locked=Instances\na=A"], user: "u=U\nActiveOrigin=https://a.example",
      expected: "active: a.example; instances: *a A; locked: Instances by first"),
    Case(
      testDescription: "and so none of them is active",
      administrators: ["Locked=Instances\na=A"], user: "u=U\nActiveOrigin=https://u.example",
      expected: "source: first; instances: *a A; locked: Instances by first"),
    Case(
      testDescription: "but the default is",
      administrators: ["a=A\nActiveOrigin=https://a.example", "Locked=Instances"],
      user: "ActiveOrigin=https://u.example",
      expected: "active: a.example; source: first; instances: *a A; locked: Instances by second"),
    Case(
      testDescription: "what an administrator makes active is an instance",
      administrators: ["a=A\nActiveOrigin=https://d.example"], user: "u=U",
      expected: "active: d.example; source: first; instances: *a A, *d d.example, u U"),
    Case(
      testDescription: "also by another one's group",
      administrators: ["ActiveOrigin=https://d.example", "d=D"],
      expected: "active: d.example; source: first; instances: *d D"),
    Case(
      testDescription: "or by the user's",
      administrators: ["ActiveOrigin=https://d.example"], user: "u=U\nd=Mine",
      expected: "active: d.example; source: first; instances: *d Mine, u U"),
    Case(
      testDescription: "unless that is locked",
      administrators: ["ActiveOrigin=https://d.example\nLocked=Instances"], user: "d=Mine",
      expected: "active: d.example; source: first; instances: *d d.example; "
        + "locked: Instances by first"),
  ])
  func resolves(_ example: Case) throws {
    let names = ["first", "second", "third"]
    let settings = Settings(
      user: try Self.layer(example.user, isAdministrators: false),
      administrators: try zip(names, example.administrators).map { path, text in
        Settings.Administrator(path: path, layer: try Self.layer(text, isAdministrators: true))
      })
    #expect(Self.describe(settings) == example.expected)
  }

  @Test func presetsHaveTheirPlaceUnderTheLimit() {
    let administrator = Layer { for index in 0..<200 { $0.append(.named("p\(index)")) } }
    let user = Layer {
      for index in 0..<100 { $0.append(.named("u\(index)")) }
      $0.active = .origin(.named("u99"))
    }
    let policy = Settings(
      user: user, administrators: [.init(path: "", layer: administrator)]
    ).policy
    #expect(policy.instances.count == 256)
    #expect(policy.instances.filter(\.isPreset).count == 200)
    #expect(policy.instances.last?.origin == .named("u99"))
  }

  @Test func whatIsLockedIsTheOnlyThingThatCannotBeChanged() throws {
    let administrator = Layer {
      $0.append(.named("a"))
      $0.append(.named("b"))
      $0.active = .origin(.named("a"))
    }
    func settings(_ locked: Set<Lock>) -> Settings {
      var layer = administrator
      layer.locked = locked
      return Settings(user: Layer(), administrators: [.init(path: "/file", layer: layer)])
    }
    var switched = settings([]).policy
    switched.active = .named("b")
    var added = settings([]).policy
    try added.add(.named("u"), label: "", activate: false, addedAt: 0)
    var both = added
    both.active = .named("u")

    for (locked, refused) in [
      ([], []), ([.activeOrigin], [switched, both]), ([.instances], [added, both]),
      ([.activeOrigin, .instances], [switched, added, both]),
      ([.browser, .shell, .knownInstances, .schemes], []),
    ] as [(Set<Lock>, [Policy])] {
      let settings = settings(locked)
      for policy in [settings.policy, switched, added, both] {
        let isAllowed = (try? settings.check(policy)) != nil
        #expect(isAllowed == !refused.contains(policy))
        #expect((settings.permitted(policy) == policy) == isAllowed)
        #expect(throws: Never.self) { try settings.check(settings.permitted(policy)) }
      }
      for key in Key.allCases {
        let isLocked = Lock(key).map(locked.contains) ?? false
        #expect(((try? settings.check(key)) == nil) == isLocked)
      }
    }
    #expect(
      "\(LockedSetting(lock: .browser, path: "/etc/xdg/x"))"
        == "Browser is locked by /etc/xdg/x; only an administrator can change it, in that file")
  }

  struct Locks: Sendable {
    let text: String
    var locked: Set<Lock> = []
    var problems: [Problem] = []
  }

  @Test(arguments: [
    Locks(text: "Locked=", locked: []),
    Locks(text: "Locked=ActiveOrigin", locked: [.activeOrigin]),
    Locks(text: "Locked= Instances ; Browser;;", locked: [.instances, .browser]),
    Locks(
      text: "Locked=Shell;KnownInstances;Schemes;Shell",
      locked: [.shell, .knownInstances, .schemes]),
    Locks(
      text: "Locked=ActiveOrgin;Browser;browser;Colour;Colour;Follow;Notify", locked: [.browser],
      problems: [
        .notLockable("ActiveOrgin", suggestion: "ActiveOrigin"),
        .notLockable("Colour", suggestion: nil), .notLockable("Follow", suggestion: nil),
        .notLockable("Notify", suggestion: nil), .notLockable("browser", suggestion: "Browser"),
      ]),
    Locks(text: "Locked=Browser\nShell=s.desktop\nLocked=", locked: [.browser]),
    Locks(
      text: "Locked=Browser\nLocked = Shell \n[Instance 1]\n"
        + "Origin=https://a.example\n[Navigation]\nLocked=\\sSchemes;x",
      locked: [.browser, .shell, .schemes],
      problems: [.notLockable("x", suggestion: nil), .repeatedGroup("Navigation")]),
    Locks(
      text: "Lokced=Browser",
      problems: [.unknownKey("Lokced", group: "Navigation", suggestion: "Locked")]),
  ])
  func readsLocks(_ locks: Locks) throws {
    let bytes = Array("[Navigation]\n\(locks.text)\n".utf8)
    let reading = try Reading(bytes, isAdministrators: true, fallback: Layer())
    #expect(reading.layer.locked == locks.locked)
    #expect(reading.problems == locks.problems)
  }

  @Test func namesOnlySoManyThatCannotBeLocked() throws {
    let names = (0..<40).map { "k\($0)" }.joined(separator: ";")
    let reading = try Reading(
      Array("[Navigation]\nLocked=\(names)\n".utf8), isAdministrators: true, fallback: Layer())
    #expect(reading.problems.count == 33)
    #expect(reading.problems.last == .more(8))
  }

  @Test func saysWhatCannotBeLocked() {
    #expect(
      [
        Problem.notLockable("Follow", suggestion: nil),
        .notLockable("Brwser", suggestion: "Browser"),
      ]
      .map(\.description) == [
        "`Follow` cannot be locked; here it is a default, which the user may change",
        "`Brwser` in `Locked`: not a setting that can be locked; did you mean `Browser`?",
      ])
  }
}

/// Administrators' files beside the user's.
@Suite struct AdministratorFileTests {
  private let preset =
    "[Navigation]\nActiveOrigin=https://d.example\n"
    + "[Instance 1]\nOrigin=https://d.example\nLabel=D\n"

  @Test func areReadAgainWhileRunning() throws {
    let home = try Home()
    let store = home.running()
    try home.write(preset, administrator: 1)
    var outcome = store.reload()
    #expect(outcome.previous.policy.active == nil)
    #expect(outcome.current.policy.active == .named("d"))
    #expect(outcome.current.activeSource == home.paths.administrators[1])
    try home.write("[Navigation]\nLocked=ActiveOrigin\nActiveOrigin=\n", administrator: 0)
    outcome = store.reload()
    #expect(outcome.current.policy.active == nil)
    #expect(outcome.current.locked == [.activeOrigin])
    #expect(outcome.current.locks[.activeOrigin] == home.paths.administrators[0])
    unlink(home.paths.administrators[0])
    outcome = store.reload()
    #expect(outcome.current.policy.active == .named("d"))
    #expect(outcome.current.locked.isEmpty)
    outcome = store.reload()
    #expect(outcome.previous == outcome.current)
    #expect(store.diagnostics.isEmpty)
    #expect(home.store().settings == store.settings)
    // Nothing of it is the user's.
    #expect(access(home.paths.file, F_OK) != 0)
    #expect(access(home.paths.good, F_OK) != 0)
  }

  @Test func nothingOfThemIsWrittenIntoTheUsersFile() throws {
    let home = try Home()
    try home.write(
      preset + "[Instance 2]\nOrigin=https://e.example\n", administrator: 0)
    try home.write("[Navigation]\nBrowser=d.desktop\nSchemes=magnet;\n", administrator: 1)
    let store = home.running()
    // What is in force anyway is no change.
    try store.activate(.named("d"))
    try store.set(.browser, to: "")
    #expect(access(home.paths.file, F_OK) != 0)
    try store.activate(.named("e"))
    #expect(try home.text() == "[Navigation]\nActiveOrigin=https://e.example\n")
    try store.activate(nil)
    #expect(try home.text() == "[Navigation]\nActiveOrigin=\n")
    try store.activate(.named("u"))
    #expect(
      try home.text() == """
        [Navigation]
        ActiveOrigin=https://u.example

        [Instance 1]
        Origin=https://u.example
        AddedAt=1

        """)
    #expect(
      store.settings.policy.instances.map(\.origin) == [.named("d"), .named("e"), .named("u")])
    try store.set(.schemes, to: ";")
    #expect(store.settings.policy.schemes.isEmpty)
    #expect(home.store().settings == store.settings)
  }

  @Test func aPresetTakesTheLabelThatTheUserGivesIt() throws {
    let home = try Home()
    try home.write(
      preset + "[Instance 2]\nOrigin=https://e.example\nLabel=E\nAddedAt=7\n", administrator: 0)
    let store = home.running()
    func add(_ origin: Origin, label: String) throws {
      var policy = store.settings.policy
      try policy.add(origin, label: label, activate: false, addedAt: 9)
      try store.settings.check(policy)
      var layer = store.user
      layer.adopt(policy, insteadOf: store.settings.policy)
      _ = try store.save(layer)
    }
    func presets() -> [String] {
      store.settings.policy.instances.filter(\.isPreset).map(\.label)
    }
    try add(.named("e"), label: "E")
    #expect(access(home.paths.file, F_OK) != 0)
    try add(.named("e"), label: "Mine")
    #expect(presets() == ["D", "Mine"])
    #expect(
      try home.text() == """
        [Navigation]

        [Instance 1]
        Origin=https://e.example
        Label=Mine
        AddedAt=7

        """)
    try add(.named("e"), label: "")
    #expect(presets() == ["D", "Mine"])
    try add(.named("e"), label: "E")
    #expect(presets() == ["D", "E"])
    for label in ["d.example", "Yours", "d.example"] {
      try add(.named("d"), label: label)
      #expect(presets() == [label, "E"])
      #expect(home.running().settings == store.settings)
    }
    try add(.named("d"), label: "Yours")
    #expect(presets() == ["Yours", "E"])

    try home.write(preset + "[Navigation]\nLocked=Instances\n", administrator: 0)
    _ = store.reload()
    #expect(presets() == ["D"])
    let error = try #require(throws: LockedSetting.self) { try add(.named("d"), label: "Yours") }
    #expect(error.lock == .instances && error.path == home.paths.administrators[0])
    try add(.named("d"), label: "D")
    #expect(presets() == ["D"])
  }

  @Test func aUsersLineUnderALockIsKept() throws {
    let home = try Home()
    let text =
      "[Navigation]\nActiveOrigin=https://u.example\nBrowser=u.desktop\n"
      + "[Instance 1]\nOrigin=https://u.example\n"
    try home.write(text)
    try home.write(
      preset + "[Navigation]\nLocked=Instances;ActiveOrigin;Browser\n", administrator: 0)
    let store = home.running()
    #expect(store.settings.policy.active == .named("d"))
    #expect(store.settings.policy.instances.map(\.origin) == [.named("d")])
    #expect(store.settings.browser == nil)
    try store.set(.knownInstances, to: "switch")
    #expect(
      try home.text()
        == text.replacing("u.desktop\n", with: "u.desktop\nKnownInstances=switch\n"))
    unlink(home.paths.administrators[0])
    let outcome = store.reload()
    #expect(outcome.current.policy.active == .named("u"))
    #expect(outcome.current.policy.instances.map(\.origin) == [.named("u")])
    #expect(outcome.current.browser == "u.desktop")
  }

  struct Broken: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let spoil: @Sendable (String) throws -> Void
    let message: String
  }

  @Test(arguments: [
    Broken(testDescription: "empty", spoil: { try writeFile($0, "") }, message: "it is empty"),
    Broken(
      testDescription: "no key file", spoil: { try writeFile($0, "garbage\n") },
      message: "it is no key file"),
    Broken(
      testDescription: "locks that are not in UTF-8",
      spoil: { try writeFile($0, Array("[Navigation]\nLocked=Browser\nLocked=".utf8) + [0xFF]) },
      message: "the value of `Locked` is not in UTF-8"),
    Broken(
      testDescription: "too large",
      spoil: { try writeFile($0, "[Navigation]\n#" + String(repeating: "x", count: 1 << 20)) },
      message: "it is larger than 1 MiB"),
    Broken(
      testDescription: "directory", spoil: { try makeDirectories($0) },
      message: "it is no regular file"),
    Broken(
      testDescription: "FIFO", spoil: { _ = mkfifo($0, 0o600) }, message: "it is no regular file"),
    Broken(
      testDescription: "device", spoil: { _ = symlink("/dev/zero", $0) },
      message: "it is no regular file"),
    Broken(
      testDescription: "dangling", spoil: { _ = symlink("nowhere", $0) },
      message: "a symbolic link to nothing"),
    Broken(
      testDescription: "loop", spoil: { _ = symlink("navigation.conf", $0) },
      message: "Too many levels of symbolic links"),
    Broken(
      testDescription: "link below a file",
      spoil: { file in
        try writeFile(parent(of: parent(of: file)) + "/file", "")
        _ = symlink("../file/x", file)
      }, message: "Not a directory"),
  ])
  func aBrokenOneStaysAsItWasAndAtStartIsLeftOut(_ broken: Broken) throws {
    let home = try Home()
    let file = home.paths.administrators[0]
    try home.write("[Navigation]\nBrowser=second.desktop\n", administrator: 1)
    let text = preset.replacing("[Instance", with: "Locked=ActiveOrigin\n[Instance")
    try home.write(text, administrator: 0)
    let store = home.running()
    let before = store.settings
    #expect(before.locked == [.activeOrigin])

    unlink(file)
    try broken.spoil(file)
    let outcome = store.reload()
    #expect(outcome.current == before)
    #expect(outcome.news.map(\.path) == [file])
    #expect("\(outcome.news)".contains(broken.message), "\(outcome.news)")
    #expect("\(outcome.news)".contains("the last good settings are in force"))
    // Once, also when something else is changed.
    #expect(store.reload().news.isEmpty)
    #expect(try store.set(.follow, to: "no").news.isEmpty)
    #expect(store.settings.policy == before.policy)

    // After a start nothing is known of it: the rest is in force, and what it may lock is not changed.
    let fresh = home.store()
    #expect(fresh.settings.locked == Lock.allCases)
    #expect(Set(fresh.settings.locks.values) == [file])
    #expect(fresh.settings.browser == "second.desktop")
    #expect(fresh.diagnostics.map(\.path) == [file])
    #expect("\(fresh.diagnostics)".contains("what it may lock stays as it is"))
    try expectNothingCanBeChanged(in: fresh.settings, because: broken.message)
    // Neither is it copied, nor is anything put beside it.
    #expect(try entries(of: parent(of: file)) == ["navigation.conf"])
    #expect(try home.copies().isEmpty)

    removeTree(file)
    try home.write(text, administrator: 0)
    _ = store.reload()
    #expect(store.diagnostics.isEmpty)
    #expect(store.settings.policy == before.policy)
  }

  private func expectNothingCanBeChanged(in settings: Settings, because reason: String) throws {
    var other = settings.policy
    try other.setActive(.named("other"), now: 0)
    var added = settings.policy
    try added.add(.named("other"), label: "", activate: false, addedAt: 0)
    let file = try #require(settings.unknownAdministrator?.path)
    for (change, lock) in [
      ({ try settings.check(other) }, Lock.activeOrigin),
      ({ try settings.check(added) }, .instances), ({ try settings.check(.browser) }, .browser),
      ({ try settings.check(.shell) }, .shell),
      ({ try settings.check(.knownInstances) }, .knownInstances),
      ({ try settings.check(.schemes) }, .schemes),
    ] as [(() throws -> Void, Lock)] {
      let error = try #require(throws: LockedSetting.self, performing: change)
      #expect(error.lock == lock)
      #expect("\(error)".hasPrefix("\(lock.rawValue) is not changed, for \(file) may lock it: "))
      #expect("\(error)".contains(reason))
    }
    for key in [Key.follow, .notify] { #expect(throws: Never.self) { try settings.check(key) } }
    #expect(throws: Never.self) { try settings.check(settings.policy) }
  }

  /// What one file locks for certain is not blamed on the other, and what the user chose is in force.
  @Test func anUnknownOneBesideAKnownOne() throws {
    let home = try Home()
    try home.write("[Navigation]\nLocked=Browser\nBrowser=d.desktop\n", administrator: 1)
    try home.write("", administrator: 0)
    try home.write("[Navigation]\nBrowser=u.desktop\nActiveOrigin=https://u.example\n")
    let store = home.running()
    let files = home.paths.administrators
    #expect(store.settings.locks[.browser] == files[1])
    #expect(store.settings.locks[.activeOrigin] == files[0])
    #expect(store.settings.browser == "d.desktop")
    #expect(store.settings.policy.active == .named("u"))
    #expect(store.settings.activeSource == nil)
    let error = try #require(throws: LockedSetting.self) { try store.settings.check(.browser) }
    #expect("\(error)".hasPrefix("Browser is locked by \(files[1])"))

    unlink(files[0])
    #expect(store.reload().current.locked == [.browser])
    // One that was not there before is no better than one that was broken at the start.
    try home.write("", administrator: 0)
    #expect(store.reload().current.locked == Lock.allCases)
    try home.write("[Navigation]\n", administrator: 0)
    #expect(store.reload().current.locked == [.browser])
    #expect(store.settings.unknownAdministrator == nil)
  }

  /// Switched off, as files of this kind often are.
  @Test func oneOfCommentsSaysNothing() throws {
    let home = try Home()
    try home.write("# [Navigation]\n# Locked=Browser\n\n", administrator: 0)
    let store = home.running()
    #expect(store.settings.locks.isEmpty)
    #expect(store.diagnostics == [])
    // One that locked something may be half written.
    try home.write("[Navigation]\nLocked=Browser\n", administrator: 0)
    #expect(store.reload().current.locked == [.browser])
    try home.write("# [Navigation]\n", administrator: 0)
    #expect(store.reload().current.locked == [.browser])
  }

  /// `XDG_CONFIG_DIRS` may name what is not there; of what was there once, it is known what it said.
  @Test func oneBehindALinkToNothingIsAbsentAtStart() throws {
    let home = try Home()
    let directory = home.directory.path + "/first"
    #expect(symlink("away", directory) == 0)
    #expect(home.store().settings.locked.isEmpty)
    #expect(home.store().diagnostics.isEmpty)

    try makeDirectories(home.directory.path + "/away")
    try home.write(
      preset.replacing("[Instance", with: "Locked=Browser\n[Instance"), administrator: 0)
    let store = home.running()
    #expect(store.settings.locked == [.browser])
    #expect(rename(home.directory.path + "/away", home.directory.path + "/gone") == 0)
    #expect(store.reload().news.map(\.problem) == [.dangling(inForce: .lastGood)])
    #expect(store.settings.locked == [.browser])
  }

  @Test func oneThatIsBeingWrittenStaysAsItWas() throws {
    let home = try Home()
    try home.write(preset, administrator: 0)
    let store = home.running()
    try home.write("[Navigation]\nActiveOrigin=https://d.ex", administrator: 0)
    let outcome = store.reload()
    #expect(outcome.current.policy.active == .named("d"))
    #expect("\(outcome.news)".contains("it ends within a line"))
  }

  @Test func anUnusableValueStaysAsItWas() throws {
    let home = try Home()
    try home.write(
      "[Navigation]\nBrowser=a.desktop\nKnownInstances=switch\n", administrator: 0)
    let store = home.running()
    try home.write("[Navigation]\nBrowser=firefox\n", administrator: 0)
    let outcome = store.reload()
    #expect(outcome.current.browser == "a.desktop")
    #expect(outcome.current.policy.knownInstances == .browser)
    #expect(outcome.news.count == 1)
  }

  @Test func anUnknownLockIsNamedOnce() throws {
    let home = try Home()
    try home.write("[Navigation]\nLocked=ActiveOrgin\n", administrator: 0)
    let store = home.store()
    #expect(
      store.reload().news.map(\.problem) == [
        .notLockable("ActiveOrgin", suggestion: "ActiveOrigin")
      ])
    try home.write("[Navigation]\nLocked=ActiveOrgin;Shell\n", administrator: 0)
    let outcome = store.reload()
    #expect(outcome.news.isEmpty)
    #expect(outcome.current.locked == [.shell])
  }

  @Test func theUsersOwnFileIsNoneOfThem() {
    let base = BaseDirectories(environment: [
      "HOME": "/h", "XDG_CONFIG_DIRS": "/a:/h/.config/:/b:/a//",
    ])
    #expect(
      PreferencePaths(base).administrators
        == ["/a/sovereign/navigation.conf", "/b/sovereign/navigation.conf"])
  }

  @Test func areWatchedAsFarAsTheyExist() throws {
    let home = try Home()
    let store = home.running()
    let root = home.directory.path
    func watched(_ name: String, in directory: String) -> Bool {
      store.watches.contains { $0.directory == directory && $0.name == name }
    }
    #expect(watched("first", in: root) && watched("second", in: root))
    try home.write(preset, administrator: 1)
    #expect(watched("sovereign", in: root + "/second"))
    #expect(watched("navigation.conf", in: root + "/second/sovereign"))
    #expect(watched(".config", in: root))
  }
}
