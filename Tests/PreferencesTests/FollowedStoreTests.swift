import Files
import Glibc
import Navigation
import TestSupport
import Testing
import WebOrigin

@testable import Preferences

extension Home {
  fileprivate func follower() -> FollowedStore { FollowedStore(paths) }

  fileprivate func writeShellStore(_ text: String) throws {
    try makeDirectories(parent(of: paths.shellStore))
    try writeFile(paths.shellStore, text)
  }

  fileprivate func memory() throws -> String {
    String(decoding: try readFile(paths.followed), as: UTF8.self)
  }
}

extension FollowedStore.Look {
  /// The only problem, without its path.
  fileprivate var problem: Problem? { news.count == 1 ? news[0].problem : nil }
}

@Suite struct FollowedStoreTests {
  @Test func seesEachChangeOnceAcrossRestarts() throws {
    let home = try Home()
    #expect(home.follower().look() == FollowedStore.Look())
    #expect(try entries(of: home.directory.path).isEmpty)

    try home.writeShellStore(shellStore)
    var follower = home.follower()
    let change = try #require(follower.look().change)
    #expect(change.new.active == .named("b", port: 8443))
    // Until it is taken over it is news, after a crash, too.
    #expect(follower.look().change == change)
    follower = home.follower()
    #expect(follower.look().change == change)
    #expect(follower.accept(change).isEmpty)
    #expect(follower.look() == FollowedStore.Look())
    #expect(home.follower().look() == FollowedStore.Look())
    #expect(try mode(of: home.paths.followed) == 0o600)

    // Another spelling of the same says nothing new.
    try home.writeShellStore(
      shellStore.replacing("\n", with: "\r\n").replacing("{\r\n", with: #"{"version":2,"#))
    #expect(home.follower().look() == FollowedStore.Look())

    try home.writeShellStore(
      shellStore.replacing(#""https://b.example:8443"\#n}"#, with: "null\n}"))
    let next = try #require(home.follower().look().change)
    #expect(next.old == change.new)
    #expect(next.new.active == nil)
    #expect(next.new.instances == change.new.instances)

    unlink(home.paths.shellStore)
    #expect(home.follower().look() == FollowedStore.Look())
  }

  @Test func remembersLaterWhatItCouldNotKeep() throws {
    let home = try Home()
    try home.writeShellStore(shellStore)
    let follower = home.follower()
    let change = try #require(follower.look().change)
    try makeDirectories(home.paths.followed)
    #expect(follower.accept(change).count == 1)
    #expect(follower.keep().count == 1)
    rmdir(home.paths.followed)
    #expect(follower.keep().isEmpty)
    #expect(home.follower().look() == FollowedStore.Look())
  }

  /// What the service does with a change, up to where it may be killed.
  @Test func aCrashBetweenTheTwoFilesRepeatsTheChange() throws {
    let home = try Home()
    try home.writeShellStore(shellStore)
    func takeOver(_ change: ShellStoreChange, in store: PreferenceStore) throws -> Outcome {
      var policy = store.settings.policy
      try change.apply(to: &policy)
      var layer = store.user
      layer.adopt(policy, insteadOf: store.settings.policy)
      return try store.save(layer)
    }
    let first = try #require(home.follower().look().change)
    #expect(try takeOver(first, in: home.running()).current.policy.instances == first.new.instances)
    let text = try home.text()

    let follower = home.follower()
    let store = home.running()
    let again = try #require(follower.look().change)
    let outcome = try takeOver(again, in: store)
    #expect(outcome.previous == outcome.current)
    #expect(try home.text() == text)
    #expect(follower.accept(again).isEmpty)

    try store.activate(.named("mine"))
    #expect(home.follower().look() == FollowedStore.Look())
    #expect(home.running().settings.policy.active == .named("mine"))
    // What was stored twice is still the shell's.
    try home.writeShellStore(#"{"instances":[],"activeUrl":null}"#)
    _ = try takeOver(try #require(home.follower().look().change), in: store)
    #expect(store.settings.policy.instances.map(\.origin) == [.named("mine")])
  }

  @Test func anEmptyStoreSaysNothingNew() throws {
    let home = try Home()
    try home.writeShellStore(#"{"instances":[],"activeUrl":null}"#)
    let follower = home.follower()
    #expect(follower.look() == FollowedStore.Look())
    #expect(!follower.isSource(of: nil))
    // The shell finds no instance in it.
    #expect(follower.instances == ShellInstances(addresses: []))
  }

  /// The shell opens what is in its store now, taken over or not.
  @Test func knowsWhatTheShellHas() throws {
    let home = try Home()
    #expect(home.follower().instances == nil)
    try home.writeShellStore(shellStore)
    let both = ShellInstances(addresses: ["https://a.example", "https://b.example:8443"])
    let follower = home.follower()
    #expect(follower.instances == both)
    _ = follower.accept(try #require(follower.look().change))

    for (text, addresses) in [
      // An instance that cannot be used, and one that is there twice.
      (
        shellStore.replacing("https://a.example", with: "https://me:pw@b.example:9443"),
        ["https://me:pw@b.example:9443", "https://b.example:8443"]
      ),
      (
        shellStore.replacing("https://a.example", with: "https://b.example:8443/x"),
        ["https://b.example:8443/x", "https://b.example:8443"]
      ),
      // Stores that cannot be used.
      (
        shellStore.replacing("activeUrl", with: "current").replacing("b.ex", with: "c.ex"),
        ["https://a.example", "https://c.example:8443"]
      ),
      // What else a shell may keep there is no address.
      (
        shellStore.replacing("\"url\"", with: "\"note\":\"b.example:1\",\"url\""),
        ["https://a.example", "https://b.example:8443"]
      ),
    ] {
      try home.writeShellStore(text)
      let expected = ShellInstances(addresses: addresses)
      #expect(follower.instances == expected, "\(text)")
      #expect(home.follower().instances == expected, "\(text)")
      // As long as the shell is writing it, it is what it was.
      try home.writeShellStore(String(text.dropLast(2)))
      #expect(follower.instances == expected, "\(text)")
      #expect(home.follower().instances == both, "\(text)")
    }
    unlink(home.paths.shellStore)
    #expect(home.follower().instances == both)
    try makeDirectories(home.paths.shellStore)
    #expect(home.follower().instances == both)
    // The memory may be lost.
    rmdir(home.paths.shellStore)
    try home.writeShellStore(shellStore)
    try writeFile(home.paths.followed, "garbage")
    #expect(home.follower().instances == both)
  }

  @Test func namesTheSource() throws {
    let home = try Home()
    try home.writeShellStore(shellStore)
    var follower = home.follower()
    #expect(!follower.isSource(of: .named("b", port: 8443)))
    _ = follower.accept(try #require(follower.look().change))
    #expect(follower.isSource(of: .named("b", port: 8443)))
    follower = home.follower()
    _ = follower.look()
    #expect(follower.isSource(of: .named("b", port: 8443)))
    #expect(!follower.isSource(of: .named("a")))
    #expect(!follower.isSource(of: nil))

    // What is not taken over, or no longer there, says nothing of it.
    for text in [shellStore.replacing("\"https://b.example:8443\"\n}", with: "null\n}"), "{}"] {
      try home.writeShellStore(text)
      _ = follower.look()
      #expect(!follower.isSource(of: .named("b", port: 8443)), "\(text)")
      try home.writeShellStore(shellStore)
      #expect(follower.look().change == nil)
      #expect(follower.isSource(of: .named("b", port: 8443)))
    }
    unlink(home.paths.shellStore)
    _ = follower.look()
    #expect(!follower.isSource(of: .named("b", port: 8443)))
  }

  @Test func looksAgainAtAPartBeforeItReportsIt() throws {
    let home = try Home()
    let follower = home.follower()
    try home.writeShellStore("")
    #expect(follower.look() == FollowedStore.Look(isUnfinished: true))
    try home.writeShellStore(String(shellStore.prefix(40)))
    #expect(follower.look() == FollowedStore.Look(isUnfinished: true))
    let look = follower.look()
    #expect(look.change == nil && !look.isUnfinished)
    #expect(look.problem == .notTakenOver(.notJSON(line: 3)))
    #expect(follower.look() == FollowedStore.Look())

    try home.writeShellStore(shellStore)
    #expect(follower.look().change != nil)
    // The next one is a part again.
    try home.writeShellStore(String(shellStore.prefix(40)))
    #expect(follower.look() == FollowedStore.Look(isUnfinished: true))
  }

  @Test func reportsEachProblemOnce() throws {
    let home = try Home()
    let follower = home.follower()
    let renamed = shellStore.replacing("activeUrl", with: "current")
    try home.writeShellStore(renamed)
    let missing = Problem.notTakenOver(
      .missingKeys(
        "the file", expected: ["instances", "activeUrl"], found: ["instances", "current"]))
    #expect(follower.look().problem == missing)
    #expect(follower.look() == FollowedStore.Look())
    #expect(home.follower().look().problem == missing)

    try home.writeShellStore(shellStore.replacing(#""B""#, with: #""\u0007""#))
    let look = follower.look()
    #expect(look.problem == .flaw(.unusableLabel(instance: 2)))
    let change = try #require(look.change)
    #expect(follower.refuse(change, because: "full").map(\.problem) == [.notStored("full")])
    #expect(follower.look() == FollowedStore.Look(change: change))
    #expect(follower.refuse(change, because: "full").isEmpty)
    #expect(follower.refuse(change, because: "broken").count == 1)

    try home.writeShellStore(renamed)
    #expect(follower.look().problem == missing)

    unlink(home.paths.shellStore)
    #expect(mkdir(home.paths.shellStore, 0o700) == 0)
    #expect(follower.look().news.count == 1)
  }

  @Test func givesWayOnlyWhereARefusedChangeWouldUndoAnother() throws {
    let home = try Home()
    try home.writeShellStore(shellStore)
    let follower = home.follower()
    let change = try #require(follower.look().change)
    // It may still be taken over.
    #expect(follower.giveWay(toChangeOf: [], isOfActive: true).isEmpty)
    #expect(follower.look().change == change)
    _ = follower.refuse(change, because: "full")
    #expect(follower.giveWay(toChangeOf: [.named("c")], isOfActive: false).isEmpty)
    #expect(follower.look().change == change)
    #expect(follower.giveWay(toChangeOf: [.named("a")], isOfActive: false).isEmpty)
    #expect(follower.look() == FollowedStore.Look())
    #expect(home.follower().look() == FollowedStore.Look())
  }

  @Test func namesOnlySoManyFlaws() throws {
    let home = try Home()
    let instances = (1...40).map { _ in #"{"url": "about:blank", "label": null, "addedAt": null}"# }
    try home.writeShellStore(
      #"{"instances": [\#(instances.joined(separator: ","))], "activeUrl": null}"#)
    let news = home.follower().look().news.map(\.problem)
    #expect(news.count == 33)
    #expect(news.last == .more(8))
  }

  @Test func isOverForGood() throws {
    let home = try Home()
    try home.writeShellStore(shellStore)
    let follower = home.follower()
    _ = follower.accept(try #require(follower.look().change))
    #expect(follower.isFollowing)
    #expect(follower.end().isEmpty)
    #expect(!follower.isFollowing)
    #expect(!home.follower().isFollowing)
    try home.writeShellStore(shellStore.replacing("b.example", with: "c.example"))
    #expect(home.follower().look() == FollowedStore.Look())
    #expect(!home.follower().isSource(of: .named("b", port: 8443)))
    #expect(home.follower().instances == nil)
  }

  @Test(arguments: [
    "", "garbage", "[Navigation]\nActiveOrigin=https://b.exam ple\n",
    "[Navigation]\nFollow=perhaps\n",
    "[Navigation]\n[Instance 1]\nOrigin=\n",
  ])
  func doesNotFollowFromAMemoryThatIsDamaged(_ text: String) throws {
    let home = try Home()
    try home.writeShellStore(shellStore)
    try makeDirectories(parent(of: home.paths.followed))
    try writeFile(home.paths.followed, text)
    let follower = home.follower()
    let look = follower.look()
    #expect(look.change == nil)
    #expect(look.problem == .lastLookUnknown(nil))
    #expect(look.news.first?.path == home.paths.followed)
    #expect(follower.look() == FollowedStore.Look())
    #expect(try home.memory() == text)
    // Removing it is the remedy that the message names; it needs no restart.
    unlink(home.paths.followed)
    #expect(follower.look().change != nil)
  }

  @Test func doesNotFollowFromAMemoryThatCannotBeRead() throws {
    let home = try Home()
    try home.writeShellStore(shellStore)
    try makeDirectories(home.paths.followed)
    let follower = home.follower()
    guard case .lastLookUnknown(let error?)? = follower.look().problem else {
      Issue.record("it is followed")
      return
    }
    #expect(error.cause == .notRegular)
    #expect(follower.end().count == 1)
    #expect(!follower.isFollowing)
  }

  /// On a disk that is not there yet.
  @Test func doesNotFollowFromAMemoryThatIsElsewhere() throws {
    let home = try Home()
    try home.writeShellStore(shellStore)
    let state = parent(of: parent(of: home.paths.followed))
    try makeDirectories(parent(of: state))
    #expect(symlink("nowhere", state) == 0)
    guard case .lastLookUnknown(let error?)? = home.follower().look().problem else {
      Issue.record("it is followed")
      return
    }
    #expect(error.cause == .absent)
  }

  @Test func saysThatItsMemoryFails() throws {
    let home = try Home()
    try home.writeShellStore(shellStore)
    let follower = home.follower()
    let change = try #require(follower.look().change)
    try makeDirectories(home.paths.followed)
    #expect(follower.accept(change).count == 1)
    #expect(follower.look() == FollowedStore.Look())
  }

  /// Whatever a store may say comes back from the memory as it was.
  @Test func remembersEveryStore() throws {
    let home = try Home()
    let labels = [
      "\" \\\\ \"", #""\u202e[a]=#;\\n""#, "null", "\"\(String(repeating: "é", count: 128))\"",
    ]
    let instances = labels.enumerated().map { index, label in
      #"{"url":"http://[::\#(index)]:80\#(index)","label":\#(label),"addedAt":\#(Int64.min + Int64(index))}"#
    }
    try home.writeShellStore(
      #"{"instances":[\#(instances.joined(separator: ","))],"activeUrl":"http://[::3]:803"}"#)
    let follower = home.follower()
    let look = follower.look()
    #expect(look.news.isEmpty)
    #expect(follower.accept(try #require(look.change)).isEmpty)
    #expect(home.follower().look() == FollowedStore.Look())
  }
}

@Suite struct ShellStoreChangeTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let old: ShellStore
    let new: ShellStore
    let before: Policy
    let after: Policy

    init(
      _ testDescription: String, old: ShellStore = ShellStore(), new: ShellStore, before: Policy,
      after: Policy
    ) {
      self.testDescription = testDescription
      (self.old, self.new, self.before, self.after) = (old, new, before, after)
    }
  }

  private static func instance(
    _ name: String, _ label: String? = nil, at time: Int64 = 1, preset: Bool = false
  ) -> Instance {
    let origin = Origin.named(name)
    return Instance(
      origin: origin, label: label ?? origin.hostAndPort, addedAt: time, isPreset: preset)
  }

  static let cases = [
    Case(
      "the first look",
      new: ShellStore(active: .named("a"), instances: [instance("a", "A"), instance("b")]),
      before: Policy(),
      after: Policy(active: .named("a"), instances: [instance("a", "A"), instance("b")])),
    Case(
      "beside what the user added",
      new: ShellStore(active: .named("a"), instances: [instance("a", "A")]),
      before: Policy(active: .named("mine"), instances: [instance("mine", at: 7)]),
      after: Policy(
        active: .named("a"), instances: [instance("mine", at: 7), instance("a", "A")])),
    Case(
      "a switch, after the user chose another",
      old: ShellStore(active: .named("a"), instances: [instance("a"), instance("b")]),
      new: ShellStore(active: .named("b"), instances: [instance("a"), instance("b")]),
      before: Policy(
        active: .named("mine"), instances: [instance("a"), instance("b"), instance("mine")]),
      after: Policy(
        active: .named("b"), instances: [instance("a"), instance("b"), instance("mine")])),
    Case(
      "removed in the shell",
      old: ShellStore(active: .named("a"), instances: [instance("a"), instance("b")]),
      new: ShellStore(instances: [instance("b")]),
      before: Policy(active: .named("a"), instances: [instance("a"), instance("b")]),
      after: Policy(instances: [instance("b")])),
    Case(
      "removed in the shell, and added here by the user as well",
      old: ShellStore(active: .named("a"), instances: [instance("a"), instance("b")]),
      new: ShellStore(active: .named("b"), instances: [instance("b")]),
      before: Policy(
        active: .named("a"), instances: [instance("a", "Mine", at: 7), instance("b")]),
      after: Policy(active: .named("b"), instances: [instance("a", "Mine", at: 7), instance("b")])),
    Case(
      "removed in the shell, and preset by an administrator",
      old: ShellStore(instances: [instance("a")]), new: ShellStore(),
      before: Policy(instances: [instance("a", preset: true)]),
      after: Policy(instances: [instance("a", preset: true)])),
    Case(
      "preset by an administrator, and called otherwise in the shell",
      new: ShellStore(active: .named("a"), instances: [instance("a", "Shell's")]),
      before: Policy(instances: [instance("a", "A", preset: true)]),
      after: Policy(active: .named("a"), instances: [instance("a", "A", preset: true)])),
    Case(
      "removed here and in the shell",
      old: ShellStore(instances: [instance("a")]), new: ShellStore(),
      before: Policy(), after: Policy()),
    Case(
      "renamed in the shell",
      old: ShellStore(instances: [instance("a", "A")]),
      new: ShellStore(instances: [instance("a", "Z")]),
      before: Policy(instances: [instance("a", "A")]),
      after: Policy(instances: [instance("a", "Z")])),
    Case(
      "named here, and nowhere in the shell",
      new: ShellStore(instances: [instance("a")]),
      before: Policy(instances: [instance("a", "Mine")]),
      after: Policy(instances: [instance("a", "Mine")])),
    Case(
      "added again",
      old: ShellStore(),
      new: ShellStore(active: .named("a"), instances: [instance("a", at: 9)]),
      before: Policy(instances: [instance("b")]),
      after: Policy(active: .named("a"), instances: [instance("b"), instance("a", at: 9)])),
  ]

  @Test(arguments: cases)
  func isTakenOver(_ change: Case) throws {
    var policy = change.before
    try ShellStoreChange(old: change.old, new: change.new).apply(to: &policy)
    #expect(policy == change.after)
    // As after a crash that lost the memory of it.
    try ShellStoreChange(old: change.old, new: change.new).apply(to: &policy)
    #expect(policy == change.after)
  }

  @Test func doesNotFitIn() throws {
    let mine = (1...255).map { Self.instance("i\($0)") }
    var policy = Policy(instances: mine)
    let one = ShellStore(active: .named("a"), instances: [Self.instance("a")])
    let two = ShellStore(active: .named("a"), instances: ["a", "b"].map { Self.instance($0) })
    #expect(throws: PolicyChangeError.tooManyInstances) {
      try ShellStoreChange(old: ShellStore(), new: two).apply(to: &policy)
    }
    policy = Policy(instances: mine)
    try ShellStoreChange(old: ShellStore(), new: one).apply(to: &policy)
    #expect(policy.instances.count == 256)
    // What is removed makes room first.
    let other = ShellStore(active: .named("b"), instances: [Self.instance("b")])
    try ShellStoreChange(old: one, new: other).apply(to: &policy)
    #expect(policy.active == .named("b"))
    #expect(policy.instances.count == 256)
  }
}
