import Bus
import Files
import Glibc
import Navigation
import Preferences
import TestSupport
import Testing
import WebOrigin

@testable import NavigationService

/// The service under an administrator's file, and what it tells everybody.
private final class Administered {
  let harness: Harness
  let file: String
  let client: Connection
  private(set) var signals: [String] = []
  private var matches: [Slot] = []

  init(_ text: String? = nil) throws {
    harness = try Harness()
    file = try #require(harness.service.store.paths.administrators.first)
    client = try harness.client()
    let path = "type='signal',path='\(Address.path)'"
    matches = [
      try client.match("\(path),member='PropertiesChanged'") { [unowned self] signal in
        guard (try? signal.readString()) != nil else { return }
        signals.append((try? signal.readChangedNames()) ?? "?")
      },
      try client.match("\(path),member='ActiveChanged'") { [unowned self] signal in
        signals.append("→ " + ((try? signal.readString()) ?? "?"))
      },
    ]
    if let text { try write(text) }
    harness.service.followPreferences()
    try settle()
  }

  /// By renaming, as a package manager or an editor does it: nobody sees half of it.
  func write(_ text: String) throws {
    try makeDirectories(parent(of: file))
    try writeFile(file + ".new", "[Navigation]\n" + text)
    #expect(rename(file + ".new", file) == 0)
  }

  /// The bus has delivered what was sent before.
  func settle() throws {
    _ = try harness.result(of: "Decide") { call throws(BusError) in try call.append("") }
  }

  func expect(_ signals: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    try? harness.loop.run { self.signals.count >= signals.count }
    // What would come twice comes within the quiet time that follows.
    try harness.loop.run(for: 300_000)
    #expect(self.signals == signals, sourceLocation: sourceLocation)
    self.signals = []
  }

  /// The last part of the error's name, and its sentence; empty if there is none.
  func call(
    _ member: String, _ arguments: String..., options: [(String, Variant)]? = nil
  ) throws
    -> String
  {
    let result = try harness.result(of: member) { call throws(BusError) in
      for argument in arguments { try call.append(argument) }
      if let options { try call.append(options: options) }
    }
    guard case .failure(let error) = result else { return "" }
    return "\(error.name.split(separator: ".").last ?? ""): \(error.message)"
  }

  func explain(_ url: String) throws -> [String: Variant] {
    try harness.explain(url, from: client)
  }

  var active: String { harness.service.settings.policy.active?.host ?? "" }
}

extension Message {
  fileprivate func readChangedNames() throws(BusError) -> String {
    var names: [String] = []
    try readArray(of: "{sv}") { () throws(BusError) in
      try readContainer("e", "sv") { () throws(BusError) in
        let name = try readString()
        if case .strings(let values) = try readVariant() {
          names.append("\(name)=\(values.joined(separator: ","))")
        } else {
          names.append(name)
        }
      }
    }
    return names.joined(separator: " ")
  }
}

@Suite struct AdministratorTests {
  @Test func locksAndDefaultsComeAndGoWhileItRuns() throws {
    let it = try Administered()
    // The directory appears, too.
    try it.write("ActiveOrigin=https://d.example\n")
    try it.expect(["ActiveOrigin Instances", "→ https://d.example"])
    #expect(try it.call("SetActive", "u.example") == "")
    try it.expect(["ActiveOrigin Instances", "→ https://u.example"])

    try it.write("ActiveOrigin=https://d.example\nLocked=ActiveOrigin\n")
    try it.expect(["ActiveOrigin Locked=ActiveOrigin", "→ https://d.example"])
    try it.write("ActiveOrigin=https://d.example\nLocked=ActiveOrigin;Browser\n")
    try it.expect(["Locked=ActiveOrigin,Browser"])
    // Another order, another comment: nothing is different.
    try it.write("Locked=Browser;ActiveOrigin\n# x\nActiveOrigin=https://d.example\n")
    try it.expect([])
    // What is locked is the same, but the file names nothing any more.
    try it.write("Locked=Browser;ActiveOrigin\n")
    try it.expect(["ActiveOrigin Instances", "→ "])
    // A broken one changes nothing.
    try writeFile(it.file, "Locked\n")
    try it.expect([])
    unlink(it.file)
    try it.expect(["ActiveOrigin Locked=", "→ https://u.example"])
  }

  @Test func aLockedActiveOriginStays() throws {
    let it = try Administered(
      "Locked=ActiveOrigin\nActiveOrigin=https://d.example\n"
        + "[Instance 1]\nOrigin=https://d.example\n[Instance 2]\nOrigin=https://e.example\n")
    let refusal =
      "Locked: ActiveOrigin is locked by \(it.file); only an administrator can change it, in that file"
    #expect(try it.call("SetActive", "e.example") == refusal)
    #expect(try it.call("SetActive", "u.example") == refusal)
    #expect(try it.call("SetActive", "") == refusal)
    #expect(try it.call("AddInstance", "u.example", "", options: []) == refusal)
    // What it is already, a shell may set: it loads only what was answered.
    #expect(try it.call("SetActive", "d.example") == "")
    #expect(try it.call("AddInstance", "d.example", "", options: []) == "")
    #expect(
      try it.call("AddInstance", "u.example", "U", options: [("activate", .bool(false))]) == "")
    #expect(it.active == "d.example")
    #expect(try it.call("RemoveInstance", "u.example") == "")
    try it.expect(["Instances", "Instances"])
    for instance in ["d.example", "e.example"] {
      #expect(
        try it.call("RemoveInstance", instance)
          == "Locked: https://\(instance) was put there by an administrator, and only an "
          + "administrator can remove it: \(it.file) names it")
    }
    try it.expect([])
  }

  /// The administrator makes active what the user has stored.
  @Test(arguments: ["", "Locked=ActiveOrigin\n"])
  func anAdministratorsActiveInstanceIsNotRemoved(_ lock: String) throws {
    let it = try Administered()
    #expect(
      try it.call("AddInstance", "d.example", "Mine", options: [("activate", .bool(false))]) == "")
    let service = it.harness.service
    let text = try readFile(service.store.paths.file)
    try it.write("ActiveOrigin=https://d.example\n\(lock)")
    try it.harness.loop.run { service.settings.policy.active != nil }
    #expect(
      try it.call("RemoveInstance", "d.example")
        == "Locked: https://d.example was put there by an administrator, and only an "
        + "administrator can remove it: \(it.file) names it")
    #expect(try readFile(service.store.paths.file) == text)
    #expect(service.settings.policy.active?.host == "d.example")
    #expect(service.settings.policy.instances.map(\.label) == ["Mine"])
    #expect(service.settings.policy.instances.map(\.isPreset) == [true])
  }

  @Test func lockedInstancesStay() throws {
    let it = try Administered(
      "Locked=Instances\n[Instance 1]\nOrigin=https://d.example\n"
        + "[Instance 2]\nOrigin=https://e.example\nLabel=E\n")
    let refusal =
      "Locked: Instances is locked by \(it.file); only an administrator can change it, in that file"
    #expect(try it.call("SetActive", "u.example") == refusal)
    #expect(try it.call("AddInstance", "u.example", "", options: []) == refusal)
    #expect(
      try it.call("AddInstance", "u.example", "", options: [("activate", .bool(false))]) == refusal)
    #expect(try it.call("RemoveInstance", "d.example").hasPrefix("Locked: "))
    #expect(try it.call("RemoveInstance", "u.example").hasPrefix("UnknownInstance: "))
    #expect(try it.call("AddInstance", "d.example", "Mine", options: []) == refusal)
    try it.expect([])
    // Which of them is active is the user's choice.
    #expect(try it.call("SetActive", "e.example") == "")
    #expect(try it.call("AddInstance", "d.example", "d.example", options: []) == "")
    #expect(try it.call("SetActive", "") == "")
    try it.expect([
      "ActiveOrigin", "→ https://e.example", "ActiveOrigin", "→ https://d.example", "ActiveOrigin",
      "→ ",
    ])
    #expect(it.harness.service.settings.policy.instances.map(\.label) == ["d.example", "E"])
  }

  @Test(arguments: ["Browser", "Shell", "KnownInstances", "Schemes"])
  func aLockedOptionStays(_ option: String) throws {
    let it = try Administered("Locked=\(option)\n")
    let values = [
      "Browser": "browser.desktop", "Shell": "single.desktop", "KnownInstances": "switch",
      "Schemes": "magnet",
    ]
    for (name, value) in values {
      for value in [value, ""] {
        let answer = try it.call("SetOption", name, value)
        #expect(
          answer
            == (name == option
              ? "Locked: \(option) is locked by \(it.file); only an administrator can change it, "
                + "in that file" : ""))
      }
    }
    for name in ["Follow", "Notify"] { #expect(try it.call("SetOption", name, "no") == "") }
  }

  @Test func explainNamesTheFiles() throws {
    let it = try Administered("ActiveOrigin=https://d.example\n")
    let users = it.harness.service.store.paths.file
    var answer = try it.explain("https://d.example/")
    #expect(answer["active-source"] == .string(it.file))
    #expect(answer["locked"] == nil)
    #expect(try it.call("SetActive", "u.example") == "")
    #expect(try it.explain("")["active-source"] == .string(users))
    try it.write("ActiveOrigin=https://d.example\nLocked=ActiveOrigin;Schemes\n")
    try it.harness.loop.run { !it.harness.service.settings.locked.isEmpty }
    answer = try it.explain("")
    #expect(answer["active-source"] == .string(it.file))
    #expect(
      answer["locked"] == .stringDictionary(["ActiveOrigin": it.file, "Schemes": it.file]))
  }

  @Test func explainSaysWhatIsDocumentedAndNothingElse() throws {
    let it = try Administered(
      "Locked=ActiveOrigin\nActiveOrigin=https://d.example\nKnownInstances=switch\n"
        + "[Instance 1]\nOrigin=https://e.example\n[Instance 2]\nOrigin=https://d.example:8443\n")
    // One that cannot tell the two at one host apart.
    try it.harness.applications.install("shell", schemes: ["sovereign"])
    let keys = try [
      "https://d.example/", "http://d.example/", "https://e.example/", "geo:1,2",
    ].flatMap { try it.explain($0).keys }
    let documented = try Documents.interfaceEntries(of: "Explain").map(\.word)
    #expect(Set(keys).symmetricDifference(documented).isEmpty)
  }

  @Test func aLinkToAnotherInstanceDoesNotSwitch() throws {
    let it = try Administered(
      "Locked=ActiveOrigin\nActiveOrigin=https://d.example\nKnownInstances=switch\n"
        + "[Instance 1]\nOrigin=https://e.example\n")
    try it.harness.applications.install(
      "shell", schemes: ["sovereign"], keys: ["X-Sovereign-Shell=true"])
    var answer = try it.explain("https://e.example/")
    #expect(answer["destination"] == .string("switch"))
    #expect(answer["opens-in"] == .string("browser"))
    #expect(answer["opens-because"] == .string("locked"))
    #expect(try it.harness.open("https://e.example/", from: it.client).get() == "browser")
    #expect(it.active == "d.example")

    try it.write(
      "ActiveOrigin=https://d.example\nKnownInstances=switch\n"
        + "[Instance 1]\nOrigin=https://e.example\n")
    try it.harness.loop.run { it.harness.service.settings.locked.isEmpty }
    answer = try it.explain("https://e.example/")
    #expect(answer["opens-in"] == nil)
    #expect(try it.harness.open("https://e.example/x", from: it.client).get() == "switch")
    #expect(it.active == "e.example")
  }

  /// Within the quiet time, and where the user has no file.
  @Test func aLockThatWasJustWrittenIsKept() throws {
    let it = try Administered()
    try makeDirectories(parent(of: it.harness.service.store.paths.file))
    try it.write("ActiveOrigin=https://d.example\nLocked=ActiveOrigin;Instances;Shell\n")
    #expect(try it.call("SetActive", "u.example").hasPrefix("Locked: "))
    try it.expect([
      "ActiveOrigin Instances Locked=ActiveOrigin,Instances,Shell", "→ https://d.example",
    ])
    unlink(it.file)
    #expect(try it.call("SetOption", "Shell", "") == "")
    try it.expect(["ActiveOrigin Instances Locked=", "→ "])
  }

  @Test func aLockThatWasJustWrittenKeepsALinkFromSwitching() throws {
    let text = "KnownInstances=switch\n[Instance 1]\nOrigin=https://e.example\n"
    let it = try Administered("ActiveOrigin=https://d.example\n" + text)
    try makeDirectories(parent(of: it.harness.service.store.paths.file))
    try it.harness.applications.install(
      "shell", schemes: ["sovereign"], keys: ["X-Sovereign-Shell=true"])
    try it.write("Locked=ActiveOrigin\nActiveOrigin=https://d.example\n" + text)
    var result: Result<String, BusError>?
    try it.harness.open("https://e.example/", from: it.client) { result = $0 }
    try it.harness.loop.run { result != nil }
    #expect(try result?.get() == "browser")
    try it.expect(["Locked=ActiveOrigin"])
    #expect(it.active == "d.example")
  }

  struct Followed: Sendable {
    let locked: String
    let active: String
    let instances: [String]
  }

  /// The shell has u and p, of which u is active; p is a preset, and so is d, which is the default.
  @Test(arguments: [
    Followed(locked: "", active: "u.example", instances: ["d", "p", "u"]),
    Followed(locked: "ActiveOrigin", active: "d.example", instances: ["d", "p", "u"]),
    Followed(locked: "Instances", active: "d.example", instances: ["d", "p"]),
    Followed(locked: "ActiveOrigin;Instances", active: "d.example", instances: ["d", "p"]),
  ])
  func aShellsStoreChangesNothingThatIsLocked(_ followed: Followed) throws {
    let it = try Administered(
      "Locked=\(followed.locked)\nActiveOrigin=https://d.example\n"
        + "[Instance 1]\nOrigin=https://d.example\n[Instance 2]\nOrigin=https://p.example\n")
    let store = it.harness.service.store.paths.shellStore
    try makeDirectories(parent(of: store))
    try writeFile(store, shellStore("u", "p", active: "u"))
    it.harness.service.followShell()
    func names() -> [String] {
      it.harness.service.settings.policy.instances.map { String($0.origin.host.prefix(1)) }
    }
    #expect(it.active == followed.active)
    #expect(names() == followed.instances)
    // It is taken over as far as it goes, and not tried again.
    #expect(it.harness.service.followed.look().change == nil)
    #expect(
      try it.explain("")["active-source"]
        == .string(followed.active == "u.example" ? store : it.file))

    try writeFile(store, shellStore("p", active: "p"))
    let memory = it.harness.service.store.paths.followed
    try it.harness.loop.run {
      let text = (try? readFile(memory)).map { String(decoding: $0, as: UTF8.self) }
      return text?.contains("u.example") == false
    }
    #expect(
      it.active == (followed.locked.utf8.first == UInt8(ascii: "A") ? "d.example" : "p.example"))
    #expect(names() == ["d", "p"])
  }

  @Test func warnsOnceOfABrokenFile() throws {
    let it = try Administered("Locked=ActiveOrigin;Colour\n")
    let store = it.harness.service.store
    #expect(store.diagnostics.map(\.problem) == [.notLockable("Colour", suggestion: nil)])
    #expect(store.diagnostics.map(\.path) == [it.file])
    // Nothing that is saved says it again.
    _ = try it.call("SetOption", "Schemes", "magnet")
    #expect(store.reload().news.isEmpty)
  }
}
