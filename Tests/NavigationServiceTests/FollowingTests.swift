import Bus
import Files
import Glibc
import Navigation
import Preferences
import TestSupport
import Testing
import WebOrigin

@testable import NavigationService

/// The service, following the store of a shell, and what it tells everybody.
private final class Follower {
  let harness: Harness
  let store: String
  private(set) var signals: [String] = []
  private let client: Connection
  private var matches: [Slot] = []

  init() throws {
    harness = try Harness()
    store = harness.service.store.paths.shellStore
    client = try harness.client()
    let path = "type='signal',path='\(Address.path)'"
    matches = [
      try client.match("\(path),member='PropertiesChanged'") { [unowned self] _ in
        signals.append("PropertiesChanged")
      },
      try client.match("\(path),member='ActiveChanged'") { [unowned self] signal in
        signals.append((try? signal.readString()) ?? "?")
      },
    ]
    // The bus has the match once it answers what was sent after it.
    _ = try harness.result(of: "Decide") { call throws(BusError) in try call.append("") }
  }

  func start() {
    harness.service.followPreferences()
    harness.service.followShell()
  }

  var active: String { harness.service.settings.policy.active?.description ?? "" }

  func write(_ text: String) throws {
    try makeDirectories(parent(of: store))
    try writeFile(store, text)
  }

  func expect(_ active: String) throws {
    try harness.loop.run { self.active == active }
  }

  func set(_ member: String, _ arguments: String...) throws {
    let answer = try harness.result(of: member) { call throws(BusError) in
      for argument in arguments { try call.append(argument) }
    }
    _ = try answer.get()
  }

  func source() throws -> String? {
    let explanation = try harness.explain("https://a.example/", from: client)
    guard case .string(let text)? = explanation["active-source"] else { return nil }
    return text
  }
}

/// The store of a shell with the instances `https://NAME.example`.
func shellStore(_ names: String..., active: String?) -> String {
  let instances = names.map { #"{"url":"https://\#($0).example","label":"\#($0)","addedAt":1}"# }
  let active = active.map { "\"https://\($0).example\"" } ?? "null"
  return #"{"instances":[\#(instances.joined(separator: ","))],"activeUrl":\#(active)}"#
}

@Suite struct FollowingTests {
  @Test func takesOverWhatChangesInTheShell() throws {
    let follower = try Follower()
    follower.start()
    #expect(try follower.source() == "")

    // The directory appears, too.
    try follower.write(shellStore("a", "b", active: "a"))
    try follower.expect("https://a.example")
    #expect(try follower.source() == follower.store)
    try follower.write(shellStore("a", "b", active: "b"))
    try follower.expect("https://b.example")
    // As an editor or another version of the shell might write it.
    try writeFile(follower.store + ".new", shellStore("a", active: "a"))
    #expect(rename(follower.store + ".new", follower.store) == 0)
    try follower.expect("https://a.example")
    #expect(follower.harness.service.settings.policy.instances.map(\.label) == ["a"])
    try follower.write(shellStore("a", active: nil))
    try follower.expect("")
    #expect(try follower.source() == follower.store)
    // Once it is gone, it is the preferences alone that say so.
    let file = follower.harness.service.store.paths.file
    unlink(follower.store)
    try follower.harness.loop.run { follower.harness.service.activeSource == file }
    try follower.harness.loop.run { follower.signals.count == 8 }
    #expect(
      follower.signals == [
        "PropertiesChanged", "https://a.example", "PropertiesChanged", "https://b.example",
        "PropertiesChanged", "https://a.example", "PropertiesChanged", "",
      ])
  }

  @Test func aChangeMadeOtherwiseStandsUntilTheStoreChanges() throws {
    let follower = try Follower()
    try follower.write(shellStore("a", "b", active: "a"))
    follower.start()
    #expect(follower.active == "https://a.example")

    try follower.set("SetActive", "mine.example")
    #expect(try follower.source() == follower.harness.service.store.paths.file)
    // The shell writes the same again, as it does at its start.
    try follower.write(shellStore("a", "b", active: "a"))
    try follower.harness.loop.run(for: 400_000)
    follower.start()
    #expect(follower.active == "https://mine.example")

    try follower.write(shellStore("a", "b", active: "b"))
    try follower.expect("https://b.example")
    #expect(
      follower.harness.service.settings.policy.instances.map(\.origin.host)
        == ["a.example", "b.example", "mine.example"])
  }

  /// The writer still has the file open, so that nobody says when it is complete.
  @Test func looksAgainAtAFileThatIsBeingWritten() throws {
    let follower = try Follower()
    let text = shellStore("a", active: "a")
    try follower.write("")
    let file = open(follower.store, O_WRONLY | O_APPEND | O_CLOEXEC)
    defer { close(file) }
    #expect(write(file, text, 30) == 30)
    follower.start()
    #expect(follower.active == "")
    let rest = Array(text.utf8.dropFirst(30))
    #expect(write(file, rest, rest.count) == rest.count)
    try follower.expect("https://a.example")
  }

  @Test(arguments: [
    "", "{", shellStore("a", active: "b").replacing("activeUrl", with: "current"),
    shellStore("a", active: "b"), #"{"instances":[],"activeUrl":"javascript:"}"#,
  ])
  func whatCannotBeReadChangesNothing(_ text: String) throws {
    let follower = try Follower()
    try follower.write(shellStore("a", active: "a"))
    follower.start()
    #expect(follower.active == "https://a.example")
    try follower.write(text)
    try follower.harness.loop.run(for: 500_000)
    #expect(follower.active == "https://a.example")
    #expect(follower.harness.service.settings.policy.instances.count == 1)
    try follower.write(shellStore("a", "b", active: "b"))
    try follower.expect("https://b.example")
  }

  @Test func followsOnlyWhereItIsWanted() throws {
    let follower = try Follower()
    follower.start()
    try follower.set("SetOption", "Follow", "false")
    try follower.write(shellStore("a", active: "a"))
    try follower.harness.loop.run(for: 400_000)
    #expect(follower.active == "")
    // By hand as well as over the bus.
    let file = follower.harness.service.store.paths.file
    try writeFile(file, "[Navigation]\nFollow=true\n")
    try follower.expect("https://a.example")
    try writeFile(file, "[Navigation]\nActiveOrigin=https://mine.example\nFollow=false\n")
    try follower.expect("https://mine.example")
    try follower.write(shellStore("a", "b", active: "b"))
    try follower.harness.loop.run(for: 400_000)
    try follower.set("SetOption", "Follow", "")
    #expect(follower.active == "https://b.example")
  }

  /// The edit, too, is within its quiet time; the store was written after it.
  @Test(arguments: [true, false])
  func whatTheShellWritesIsNotTakenOverAfterAnEditThatSaysSo(_ isChange: Bool) throws {
    let follower = try Follower()
    let file = follower.harness.service.store.paths.file
    let text = "[Navigation]\nActiveOrigin=https://a.example\n"
    try makeDirectories(parent(of: file))
    try writeFile(file, text)
    try follower.write(shellStore("a", active: "a"))
    follower.start()
    try writeFile(file, text + "Follow=false\n")
    try follower.write(shellStore("a", "b", active: "b"))
    if isChange { try follower.set("SetOption", "KnownInstances", "switch") }
    try follower.set("RemoveInstance", "https://a.example")
    try follower.harness.loop.run(for: 400_000)
    #expect(follower.active == "")
    #expect(follower.harness.service.settings.policy.instances.isEmpty)
    #expect(!follower.signals.contains("https://b.example"))
    // It is taken over when it is wanted again.
    try follower.set("SetOption", "Follow", "")
    #expect(follower.active == "https://b.example")
  }

  /// The end of following is for good.
  @Test func whoWasTheShellUntilAnEditDoesNotEndFollowing() throws {
    let follower = try Follower()
    let service = follower.harness.service
    for name in ["shell", "other"] {
      try follower.harness.applications.install(name, schemes: ["sovereign"])
    }
    follower.start()
    try follower.set("SetOption", "Shell", "shell.desktop")
    try writeFile(service.store.paths.file, "[Navigation]\nShell=other.desktop\n")
    service.noteChange(by: Caller(uniqueName: ":1.99", unit: "app-shell@1.service"))
    var isLookedAt = false
    service.withChoices { _ in isLookedAt = true }
    try follower.harness.loop.run { isLookedAt }
    #expect(service.followed.isFollowing)
    service.noteChange(by: Caller(uniqueName: ":1.99", unit: "app-other@1.service"))
    try follower.harness.loop.run { !service.followed.isFollowing }
  }

  /// As where the disk was full for a while.
  @Test func whatCouldNotBeStoredCountsBeforeALaterChange() throws {
    let follower = try Follower()
    try follower.write(shellStore("a", "b", active: "a"))
    follower.start()
    #expect(follower.active == "https://a.example")
    let file = follower.harness.service.store.paths.file
    let text = try readFile(file)
    unlink(file)
    #expect(mkdir(file, 0o700) == 0)
    try follower.write(shellStore("a", "b", active: "b"))
    try follower.harness.loop.run(for: 400_000)
    #expect(follower.active == "https://a.example")
    rmdir(file)
    try writeFile(file, text)

    try follower.set("SetActive", "mine.example")
    try follower.write(shellStore("a", "b", active: "b"))
    try follower.harness.loop.run(for: 400_000)
    #expect(follower.active == "https://mine.example")
    try follower.harness.loop.run { follower.signals.count == 6 }
    #expect(
      follower.signals.filter { $0 != "PropertiesChanged" }
        == ["https://a.example", "https://b.example", "https://mine.example"])
  }

  @Test func whatTheShellHasJustWrittenCountsBeforeAChange() throws {
    let follower = try Follower()
    try follower.write(shellStore("a", "b", active: "a"))
    follower.start()
    try follower.write(shellStore("a", "b", active: "b"))
    try follower.set("SetActive", "mine.example")
    #expect(follower.active == "https://mine.example")
    try follower.harness.loop.run(for: 400_000)
    #expect(follower.active == "https://mine.example")
    #expect(follower.harness.service.settings.policy.instances.count == 3)
  }

  /// What the shell's store says would replace it at the next start.
  @Test func aChangeThatWouldNotLastIsRefused() throws {
    let follower = try Follower()
    let memory = follower.harness.service.store.paths.followed
    try follower.write(shellStore("a", "b", active: "a"))
    follower.start()
    #expect(follower.active == "https://a.example")
    unlink(memory)
    try makeDirectories(memory)
    try follower.write(shellStore("a", "b", active: "b"))
    try follower.expect("https://b.example")

    let error = #expect(throws: BusError.self) { try follower.set("SetActive", "mine.example") }
    #expect(error?.name == "fs.sovereign.Navigation.Error.StoreFailed")
    #expect(error?.message.hasPrefix("nothing is changed: \(memory): ") == true)
    #expect(throws: BusError.self) { try follower.set("RemoveInstance", "https://a.example") }
    #expect(follower.active == "https://b.example")
    #expect(follower.harness.service.settings.policy.instances.count == 2)
    rmdir(memory)
    try follower.set("SetActive", "mine.example")
    #expect(follower.active == "https://mine.example")
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var before = ""
    var member: String?
    var arguments: [String] = []
    let after: String
  }

  static let changes = [
    Change(
      testDescription: "another choice", member: "SetActive", arguments: ["i1.example"],
      after: "https://i1.example"),
    Change(
      testDescription: "the same choice", before: "https://i1.example", member: "SetActive",
      arguments: ["i1.example"], after: "https://i1.example"),
    Change(
      testDescription: "none", before: "https://i1.example", member: "SetActive", arguments: [""],
      after: ""),
    Change(
      testDescription: "removed", before: "https://i1.example", member: "RemoveInstance",
      arguments: ["i1.example"], after: ""),
    Change(testDescription: "by hand", before: "", after: "https://i1.example"),
  ]

  private func writeFullList(_ follower: Follower, active: String) throws {
    let groups = (1...256).map { "[Instance \($0)]\nOrigin=https://i\($0).example\n" }
    let file = follower.harness.service.store.paths.file
    try makeDirectories(parent(of: file))
    try writeFile(file, "[Navigation]\nActiveOrigin=\(active)\n" + groups.joined())
  }

  /// What did not fit in fits in later, when the user has chosen otherwise.
  @Test(arguments: changes)
  func aChoiceIsNotUndoneByWhatWasRefusedBefore(_ change: Change) throws {
    let follower = try Follower()
    try writeFullList(follower, active: change.before)
    try follower.write(shellStore("new", active: "new"))
    follower.start()
    #expect(follower.active == change.before)
    if let member = change.member {
      let answer = try follower.harness.result(of: member) { call throws(BusError) in
        for argument in change.arguments { try call.append(argument) }
      }
      _ = try answer.get()
    } else {
      try writeFullList(follower, active: change.after)
      try follower.expect(change.after)
    }
    for name in ["i2", "i3"] { try follower.set("RemoveInstance", "\(name).example") }
    #expect(follower.active == change.after)
    let paths = follower.harness.service.store.paths
    #expect(FollowedStore(paths).look().change == nil)

    try follower.write(shellStore("new", "newer", active: "newer"))
    try follower.set("RemoveInstance", "i4.example")
    #expect(follower.active == "https://newer.example")
  }

  @Test func whatWasRefusedIsTakenOverWhereThereIsRoom() throws {
    let follower = try Follower()
    try writeFullList(follower, active: "https://i1.example")
    try follower.write(shellStore("new", active: "new"))
    follower.start()
    // The journal says to remove one.
    try follower.set("RemoveInstance", "i2.example")
    try follower.set("SetOption", "KnownInstances", "switch")
    #expect(FollowedStore(follower.harness.service.store.paths).look().change != nil)
    try follower.set("RemoveInstance", "i3.example")
    #expect(follower.active == "https://new.example")
  }

  @Test func aChoiceThatMayNotLastIsAnError() throws {
    let follower = try Follower()
    let paths = follower.harness.service.store.paths
    try writeFullList(follower, active: "")
    try follower.write(shellStore("new", active: "new"))
    follower.start()
    try makeDirectories(paths.followed)
    let error = #expect(throws: BusError.self) { try follower.set("SetActive", "i1.example") }
    #expect(error?.name == "fs.sovereign.Navigation.Error.StoreFailed")
    #expect(
      error?.message.hasPrefix("the change is made, but may not last: \(paths.followed): ") == true)
    #expect(follower.active == "https://i1.example")
    rmdir(paths.followed)
    try follower.set("SetActive", "i1.example")
    #expect(FollowedStore(paths).look().change == nil)
  }

  /// It may have called before the user, or its own start, made it that.
  @Test(arguments: [true, false])
  func whoBecomesTheShellLaterIsSeen(_ isNamed: Bool) throws {
    let follower = try Follower()
    let service = follower.harness.service
    follower.start()
    let caller = Caller(uniqueName: ":1.99", unit: "app-shell@1.service")
    func change() throws {
      service.noteChange(by: caller)
      var isLookedAt = false
      service.withChoices { _ in isLookedAt = true }
      try follower.harness.loop.run { isLookedAt }
    }
    try change()
    try follower.harness.applications.install("shell", schemes: isNamed ? [] : ["sovereign"])
    if isNamed { try follower.set("SetOption", "Shell", "shell.desktop") }
    try change()
    // Without being named it is looked up, at most once a second.
    if !isNamed { try follower.harness.loop.run(for: 1_000_000) }
    try change()
    #expect(!service.followed.isFollowing)
  }

  /// The next start would follow the store again, and undo what was promised.
  @Test func theEndOfFollowingIsRememberedBeforeALaterChange() throws {
    let follower = try Follower()
    let paths = follower.harness.service.store.paths
    try follower.write(shellStore("a", active: "a"))
    follower.start()
    unlink(paths.followed)
    try makeDirectories(paths.followed)
    #expect(follower.harness.service.followed.end().count == 1)
    let error = #expect(throws: BusError.self) { try follower.set("SetActive", "mine.example") }
    #expect(error?.message.hasPrefix("nothing is changed: \(paths.followed): ") == true)
    #expect(follower.active == "https://a.example")
    // Then the next start does not follow it either.
    try follower.set("SetOption", "Follow", "false")
    try follower.set("SetActive", "mine.example")
    try follower.set("SetOption", "Follow", "")
    rmdir(paths.followed)
    try follower.set("SetActive", "other.example")
    #expect(!FollowedStore(paths).isFollowing)
  }

  /// A store that cannot be stored here is tried again with its next change.
  @Test func whatDoesNotFitChangesNothing() throws {
    let follower = try Follower()
    let names = (1...255).map { "i\($0)" }
    let groups = names.map { "[Instance \($0.dropFirst())]\nOrigin=https://\($0).example\n" }
    let file = follower.harness.service.store.paths.file
    try makeDirectories(parent(of: file))
    try writeFile(file, "[Navigation]\n" + groups.joined())
    try follower.write(shellStore("a", "b", active: "b"))
    follower.start()
    #expect(follower.active == "")
    #expect(follower.harness.service.settings.policy.instances.count == 255)
    try follower.set("RemoveInstance", "https://i1.example")
    try follower.write(shellStore("a", "b", active: "a"))
    try follower.expect("https://a.example")
  }
}
