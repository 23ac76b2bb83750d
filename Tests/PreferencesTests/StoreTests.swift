import Files
import Glibc
import Navigation
import TestSupport
import Testing
import WebOrigin

@testable import Preferences

/// A preference file that a person could have written.
let example = """
  # Mine.
  [Navigation]
  ActiveOrigin=https://my.sovereign.example
  Browser=org.mozilla.firefox.desktop

  [Instance 1]
  Origin=https://my.sovereign.example
  Label=My Workspace
  AddedAt=1764460800000
  [Instance 2]
  Origin=https://b.example:8443

  """

let exampleOrigin = Origin.named("my.sovereign")

@Suite struct StoreTests {
  /// Tools for dotfiles make links to directories, and those may be on a disk that is not there yet.
  @Test(arguments: [".config/sovereign", ".config"])
  func aDirectoryThatLeadsNowhereIsNotDeleted(_ link: String) throws {
    let home = try Home()
    let path = home.directory.path + "/" + link
    try makeDirectories(parent(of: path))
    try makeDirectories(home.directory.path + "/dotfiles")
    #expect(symlink(home.directory.path + "/dotfiles", path) == 0)
    try makeDirectories(home.configuration)
    try writeFile(home.paths.file, example)
    let store = home.running()
    #expect(rename(home.directory.path + "/dotfiles", home.directory.path + "/away") == 0)
    #expect(store.reload().news.map(\.problem) == [.dangling(inForce: .lastGood)])
    #expect(store.settings.policy.active == exampleOrigin)
    #expect(home.running().settings.policy.active == exampleOrigin)
    #expect(rename(home.directory.path + "/away", home.directory.path + "/dotfiles") == 0)
    #expect(store.reload().current.policy.active == exampleOrigin)
    #expect(store.diagnostics.isEmpty)
  }

  /// As vim does it, for some microseconds.
  @Test func aFileThatIsMovedAwayIsNotDeletedBeforeAChange() throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    #expect(rename(home.paths.file, home.paths.file + "~") == 0)
    #expect(store.reloadBeforeChange().current.policy.active == exampleOrigin)
    #expect(try home.good() == example)
    #expect(store.reload().current.policy.active == nil)
  }

  static let changes: [@Sendable (inout Layer) throws -> Void] = [
    { _ in },
    { $0.active = nil },
    { try $0.set(.browser, to: "b.desktop") },
    { $0.entries[1].label = "B" },
    { $0.entries.removeLast() },
  ]

  /// The file may come back, or nobody has read yet that it is deleted.
  @Test(arguments: changes.indices)
  func aChangeToAFileThatIsMovedAwayLosesNothing(_ index: Int) throws {
    func changed(_ isAway: Bool) throws -> String? {
      let home = try Home()
      try home.write(example)
      let store = home.running()
      if isAway { unlink(home.paths.file) }
      _ = store.reloadBeforeChange()
      var layer = store.user
      try Self.changes[index](&layer)
      let outcome = try store.save(layer)
      #expect(outcome.current.policy == Settings(user: layer).policy)
      #expect(try home.good() == (isAway && index == 0 ? example : home.text()))
      return try? home.text()
    }
    // What changes nothing makes no file: the user may have deleted it.
    #expect(try changed(true) == (index == 0 ? nil : changed(false)))
  }

  /// As `forget` does it.
  @Test(arguments: [true, false])
  func whatIsForgottenIsDeletedBeforeAChange(_ isKept: Bool) throws {
    let home = try Home()
    if !isKept { try makeDirectories(home.paths.good) }
    try home.write(example)
    let store = home.running()
    unlink(home.paths.file)
    #expect(store.reloadBeforeChange().current.policy.active == exampleOrigin)
    if isKept { unlink(home.paths.good) } else { removeTree(home.configuration) }
    #expect(store.reloadBeforeChange().current.policy.active == nil)
    // Restoring a default makes no file.
    _ = try store.save(store.user)
    #expect(access(home.paths.file, F_OK) != 0)
  }

  static let usersFiles: [(String, @Sendable (String) throws -> Void)] = [
    ("none", { unlink($0) }),
    ("half written", { try writeFile($0, String(example.prefix(50))) }),
    ("broken", { try writeFile($0, "") }),
    (
      "no file",
      {
        try writeFile($0, "")
        unlink($0)
        mkdir($0, 0o700)
      }
    ),
  ]

  /// Before a change, a lock counts whatever the user's file is.
  @Test(arguments: usersFiles.indices)
  func whatAdministratorsSayCountsBeforeAChange(_ index: Int) throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    try Self.usersFiles[index].1(home.paths.file)
    #expect(store.reloadBeforeChange().current.locked == [])
    try home.write("[Navigation]\nLocked=ActiveOrigin;Nothing\n", administrator: 0)
    let outcome = store.reloadBeforeChange()
    #expect(outcome.previous.locked == [])
    #expect(outcome.current.locked == [.activeOrigin])
    #expect(outcome.current == store.settings)
    #expect(outcome.news.map(\.path) == [home.paths.administrators[0]])
    // The user's own file is not read before it has been quiet.
    #expect(try home.good() == example)
    #expect(try home.copies().isEmpty)
    #expect(store.reloadBeforeChange().news.isEmpty)
    unlink(home.paths.administrators[0])
    #expect(store.reloadBeforeChange().current.locked == [])
    #expect(store.reload().current.locked == [])
  }

  @Test func whatAdministratorsSayCountsWhereTheUserSaysNothing() throws {
    let home = try Home()
    try makeDirectories(home.configuration)
    let store = home.running()
    try home.write(
      "[Navigation]\nActiveOrigin=https://d.example\nLocked=ActiveOrigin\n", administrator: 0)
    let outcome = store.reloadBeforeChange()
    #expect(outcome.current.locked == [.activeOrigin])
    #expect(outcome.current.policy.active == .named("d"))
    #expect(store.reload().current == outcome.current)
    #expect(try entries(of: home.configuration).isEmpty)
  }

  @Test func startsFromNothing() throws {
    let home = try Home()
    let store = home.running()
    #expect(store.settings == Settings(user: Layer()))
    #expect(store.diagnostics.isEmpty)
    // Clearing what is clear makes no file either.
    let outcome = try store.activate(nil)
    #expect(outcome.previous == outcome.current)
    #expect(try entries(of: home.directory.path).isEmpty)
  }

  @Test func savesDurably() throws {
    let home = try Home()
    let store = home.running()
    let outcome = try store.activate(exampleOrigin)
    #expect(outcome.previous == Settings(user: Layer()))
    #expect(outcome.current == store.settings)
    #expect(outcome.news.isEmpty)
    #expect(outcome.durabilityError == nil)
    #expect(store.settings.policy.active == exampleOrigin)
    #expect(
      try home.text() == """
        [Navigation]
        ActiveOrigin=https://my.sovereign.example

        [Instance 1]
        Origin=https://my.sovereign.example
        AddedAt=1

        """)
    #expect(try home.good() == home.text())
    #expect(try mode(of: home.paths.file) == 0o600)
    #expect(try mode(of: home.configuration) == 0o700)
    #expect(home.store().settings == store.settings)

    try store.activate(nil)
    #expect(store.settings.policy.active == nil)
    #expect(store.settings.policy.instances.count == 1)
    #expect(home.store().settings == store.settings)
    #expect(try entries(of: home.configuration) == ["navigation.conf"])
    #expect(try entries(of: parent(of: home.paths.good)) == ["navigation.conf.good"])
  }

  @Test func setsOptions() throws {
    let home = try Home()
    let store = home.running()
    try store.set(.knownInstances, to: "browser")
    try store.set(.schemes, to: "magnet")
    #expect(try home.text() == "[Navigation]\nKnownInstances=browser\nSchemes=magnet;\n")
    try store.set(.knownInstances, to: "")
    try store.set(.schemes, to: "")
    #expect(try home.text() == "[Navigation]\n")
    #expect(throws: InvalidValue.self) { try store.set(.follow, to: "perhaps") }
  }

  @Test func seesEditsByHandAndNotItsOwn() throws {
    let home = try Home()
    let store = home.running()
    try store.activate(.named("a"))
    var outcome = store.reload()
    #expect(outcome.previous == outcome.current)

    try home.write(example)
    outcome = store.reload()
    #expect(outcome.previous.policy.active == .named("a"))
    #expect(outcome.current.policy.active == exampleOrigin)
    #expect(outcome.current.browser == "org.mozilla.firefox.desktop")
    #expect(try home.good() == example)
    #expect(try home.text() == example)

    outcome = store.reload()
    #expect(outcome.previous == outcome.current)
  }

  @Test func keepsAnEditThatWasNotReadYet() throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    let edited = example.replacing("Mine.", with: "Edited.")
      .replacing("[Instance 2]", with: "[Instance 3]\nOrigin=https://c.example\n[Instance 2]")
      .replacing("My Workspace", with: "Edited")
    try home.write(edited)
    let outcome = try store.set(.browser, to: "chromium.desktop")
    #expect(
      try home.text()
        == edited.replacing("org.mozilla.firefox.desktop", with: "chromium.desktop"))
    // The caller hears of both changes at once.
    #expect(outcome.previous.policy.instances.map(\.label) == ["My Workspace", "b.example:8443"])
    #expect(
      outcome.current.policy.instances.map(\.label) == ["Edited", "c.example", "b.example:8443"])
    #expect(store.settings == home.store().settings)
  }

  @Test func deletedMeansCleared() throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    #expect(unlink(home.paths.file) == 0)
    let outcome = store.reload()
    #expect(outcome.previous.policy.active == exampleOrigin)
    #expect(outcome.current == Settings(user: Layer()))
    #expect(outcome.news.isEmpty)

    // What breaks afterwards does not bring it back.
    try home.write("")
    #expect(home.running().settings == Settings(user: Layer()))
    #expect("\(home.store().diagnostics)".contains("the defaults are in force: it is empty"))
  }

  @Test func saysEverythingOnce() throws {
    let home = try Home()
    try home.write("[Navigation]\nBrwser=x\n")
    let store = home.store()
    let known = [
      Diagnostic(
        path: home.paths.file,
        problem: .unknownKey("Brwser", group: "Navigation", suggestion: "Browser"))
    ]
    #expect(store.diagnostics == known)
    #expect(store.reload().news == known)
    #expect(store.reload().news.isEmpty)
    #expect(try store.activate(.named("a")).news.isEmpty)
    #expect(store.diagnostics == known)

    try home.write("[Navigation]\n")
    #expect(store.reload().news.isEmpty)
    #expect(store.diagnostics.isEmpty)
    try home.write("[Navigation]\nBrwser=x\n")
    #expect(store.reload().news == known)
  }

  @Test func impliesAnActiveInstanceUntilSomethingChanges() throws {
    let home = try Home()
    let text = "[Navigation]\nActiveOrigin=https://a.example\n"
    try home.write(text)
    let store = home.running()
    #expect(store.settings.policy.instances.map(\.origin) == [.named("a")])
    #expect(try home.text() == text)
    try store.set(.follow, to: "no")
    #expect(try home.text() == text + "Follow=false\n")
    try store.activate(.named("b"))
    #expect(store.settings.policy.instances.map(\.origin) == [.named("a"), .named("b")])
    #expect(home.store().settings == store.settings)
  }

  @Test func keepsAllOfThreeHundredInstances() throws {
    let home = try Home()
    var text = "[Navigation]\nActiveOrigin=https://i290.example\n"
    for index in 0..<300 { text += "[Instance \(index)]\nOrigin=https://i\(index).example\n" }
    try home.write(text)
    let store = home.running()
    #expect(store.settings.policy.instances.count == 256)
    #expect(store.diagnostics.map(\.problem) == [.tooManyInstances(300)])
    try store.activate(.named("i3"))
    #expect(
      try home.text()
        == text.replacing(
          "ActiveOrigin=https://i290.example", with: "ActiveOrigin=https://i3.example"))
    #expect(throws: PolicyChangeError.tooManyInstances) { try store.activate(.named("new")) }

    var policy = store.settings.policy
    try policy.remove(.named("i3"))
    var layer = store.user
    layer.adopt(policy, insteadOf: store.settings.policy)
    _ = try store.save(layer)
    #expect(!(try home.text().contains("https://i3.example")))
    #expect(try home.text().contains("https://i299.example"))
    #expect(store.settings.policy.active == nil)
    #expect(store.settings.policy.instances.count == 256)
  }

  @Test func refusesAFileThatWouldBeTooLong() throws {
    let home = try Home()
    let head = "[Navigation]\nFollow=no\n#"
    let text = head + String(repeating: "x", count: (1 << 20) - head.utf8.count - 3) + "\n"
    try home.write(text)
    let store = home.running()
    try store.set(.follow, to: "on")
    let saved = try home.text()
    #expect(store.settings.follow)
    #expect(throws: StoreError.tooLong((1 << 20) + 13)) {
      try store.set(.notify, to: "no")
    }
    #expect(try home.text() == saved)
    #expect(store.settings.notify)
    #expect(home.store().diagnostics.isEmpty)
  }

  @Test func refusesWhatTheFormatCannotHold() throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    let before = store.settings
    var layer = store.user
    layer.entries[0].label = "\u{C}feed"
    #expect(throws: StoreError.notWritable) { try store.save(layer) }
    #expect(store.settings == before)
    #expect(try home.text() == example)
  }

  @Test(arguments: [
    "a\nb", " a ", "\ta", "a\\nb", "a;b", "#a", "[a]", "a=b", "\r", "é日本\u{202E}", "\\", "a\\",
    "\u{1}", " \\s ", "\"'`$", "a\u{B}b", "\u{FEFF}a",
  ])
  func keepsLabelsAsTheyAre(_ label: String) throws {
    let home = try Home()
    let store = home.running()
    var layer = store.user
    layer.append(.named("a"), label: label)
    _ = try store.save(layer)
    #expect(home.store().user.entries.map(\.label) == [label])
  }

  /// Setting what an editor already wrote makes it durable, and changes nothing else.
  @Test func savesWhatIsThereAlready() throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    let before = try inode(of: home.paths.file)
    let outcome = try store.activate(exampleOrigin)
    #expect(outcome.previous == outcome.current)
    let after = try inode(of: home.paths.file)
    #expect(after != before)
    #expect(try home.text() == example)
    // Once it is durable there is nothing to do.
    try store.activate(exampleOrigin)
    #expect(try inode(of: home.paths.file) == after)
  }

  @Test func keepsTheSettingsInForceForTheNextStart() throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    let before = store.settings
    try home.write(example.replacing("ActiveOrigin=https://my", with: "ActiveOrigin=htps://my"))
    let outcome = store.reload()
    #expect(outcome.current == before)
    #expect(outcome.news.count == 1)
    #expect(home.running().settings == before)

    try home.write("garbage")
    #expect(home.running().settings == before)
    // And the good copy has the settings in force, not the line with the mistake.
    #expect(try home.good() == example)
  }

  @Test func savesEvenIfTheGoodStateCannotBeKept() throws {
    let home = try Home()
    try makeDirectories(home.paths.good)
    let store = home.running()
    let outcome = try store.activate(.named("a"))
    #expect(home.store().settings.policy.active == .named("a"))
    #expect(outcome.news.count == 1)
    #expect(outcome.news.first?.path == home.paths.good)
    #expect(try store.activate(.named("b")).news.isEmpty)
  }

  @Test func namesWhatToWatch() throws {
    let home = try Home()
    let root = home.directory.path
    let store = home.store()
    let administrators = ["\(root) first", "\(root) second"]
    func watched() throws -> Set<String> {
      Set(
        try store.watches.map { watch in
          let directory = try #require(realpath(watch.directory, nil))
          defer { free(directory) }
          return "\(String(cString: directory)) \(watch.name)"
        }.filter {
          $0.hasPrefix(root) && !$0.hasSuffix(" ..") && !administrators.contains($0)
        })
    }
    let above = "\(parent(of: root)) \(root.split(separator: "/").last ?? "")"
    #expect(store.watches.map { "\($0.directory) \($0.name)" }.contains(above))
    #expect(try watched() == ["\(root) .config"])
    try makeDirectories(root + "/.config")
    #expect(try watched() == ["\(root) .config", "\(root)/.config sovereign"])
    try makeDirectories(home.configuration)
    let file = [
      "\(root) .config", "\(root)/.config sovereign", "\(home.configuration) navigation.conf",
    ]
    #expect(try watched() == Set(file))

    #expect(symlink("../../dotfiles/link", home.paths.file) == 0)
    #expect(try watched() == Set(file + ["\(root) dotfiles"]))
    try makeDirectories(root + "/dotfiles/real")
    let link = ["\(root) dotfiles", "\(root)/dotfiles link"]
    #expect(try watched() == Set(file + link))
    #expect(symlink("real/navigation.conf", root + "/dotfiles/link") == 0)
    #expect(
      try watched()
        == Set(file + link + ["\(root)/dotfiles real", "\(root)/dotfiles/real navigation.conf"]))
  }
}

func mode(of path: String) throws -> mode_t { try status(of: path).st_mode & 0o7777 }

func inode(of path: String) throws -> ino_t { try status(of: path).st_ino }

private func status(of path: String) throws -> stat {
  var status = stat()
  guard stat(path, &status) == 0 else { throw SystemError("stat \(path)") }
  return status
}
