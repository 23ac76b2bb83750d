import Bus
import Files
import Glibc
import Navigation
import Preferences
import TestSupport
import Testing
import WebOrigin

@testable import NavigationService

/// What is in a directory and below it, by path; a directory has no content.
private func tree(_ path: String) throws -> [String: [UInt8]] {
  var tree: [String: [UInt8]] = [:]
  for name in try entries(of: path) {
    let path = "\(path)/\(name)"
    var status = stat()
    guard lstat(path, &status) == 0 else { throw SystemError("lstat \(path)") }
    if status.st_mode & S_IFMT == S_IFDIR {
      tree[path] = []
      tree.merge(try NavigationServiceTests.tree(path)) { $1 }
    } else {
      tree[path] = try readFile(path)
    }
  }
  return tree
}

private struct Call: Sendable {
  let member: String
  var interface = Address.interface
  var arguments: [String] = []
  var options: [(String, Variant)]?

  func fill(_ call: borrowing Message) throws(BusError) {
    for argument in arguments { try call.append(argument) }
    if let options { try call.append(options: options) }
  }
}

extension Harness {
  fileprivate var home: String { applications.environment["HOME"] ?? "" }

  /// Two instances, the first one active, whose links the shell opens.
  fileprivate func prepare() throws {
    try applications.install(Address.name, schemes: ["sovereign"])
    try applications.install("shell", schemes: ["sovereign"], keys: ["X-Sovereign-Shell=true"])
    try makeDirectories(parent(of: service.store.paths.file))
    try writePreferences(active: "a")
    service.followPreferences()
    service.followShell()
  }

  fileprivate func writePreferences(active: String) throws {
    try writeFile(
      service.store.paths.file,
      """
      [Navigation]
      ActiveOrigin=https://\(active).example
      KnownInstances=switch
      [Instance 1]
      Origin=https://a.example
      [Instance 2]
      Origin=https://b.example

      """)
  }
}

@Suite struct EndingTests {
  private static let changes = [
    Call(member: "SetActive", arguments: ["https://c.example"]),
    Call(member: "SetActive", arguments: [""]),
    Call(member: "AddInstance", arguments: ["https://c.example", "C"], options: []),
    Call(member: "RemoveInstance", arguments: ["https://b.example"]),
    Call(member: "SetOption", arguments: ["Notify", "false"]),
    Call(member: "SetOption", arguments: ["Follow", "false"]),
    Call(member: "SetOption", arguments: ["Browser", "browser.desktop"]),
    Call(member: "Register"),
    Call(member: "Unregister"),
  ]

  private static let questions = [
    Call(member: "Decide", arguments: ["https://b.example/"]),
    Call(member: "Explain", arguments: ["https://b.example/"]),
    Call(
      member: "Get", interface: "org.freedesktop.DBus.Properties",
      arguments: [Address.interface, "Registered"]),
    Call(
      member: "GetAll", interface: "org.freedesktop.DBus.Properties",
      arguments: [Address.interface]),
  ]

  /// Whoever knows its unique name can call it as long as it is there.
  @Test func whereTheNextServiceMayWriteNothingIsWritten() throws {
    let harness = try Harness(.hangs)
    let service = harness.service
    try harness.prepare()
    try harness.open("https://other.example/", from: try harness.client()) { _ in }
    try harness.loop.run { harness.manager.units.count == 1 }
    var name: String?
    let client = try harness.client()
    let question = try client.makeBusCall("GetNameOwner")
    try question.append(Address.name)
    try client.send(question) { name = try? $0.readString() }
    try harness.loop.run { name != nil }
    let owner = try #require(name)

    service.end()
    try harness.loop.run { service.stage == .handedOver }
    // The link would be waited for no longer.
    service.deadline = nil
    // There is much to take over and to keep.
    try harness.writePreferences(active: "b")
    try makeDirectories(parent(of: service.store.paths.shellStore))
    try writeFile(
      service.store.paths.shellStore,
      #"{"instances":[{"url":"https://s.example","label":"","addedAt":1}],"activeUrl":null}"#)
    let before = try tree(harness.home)
    for (calls, error) in [(Self.changes, "StoreFailed"), (Self.questions, nil)] {
      for call in calls {
        let answer = try harness.result(
          of: call.member, in: call.interface, at: owner, call.fill)
        #expect(answer.errorName == error, "\(call)")
      }
    }
    // A link is not lost.
    let link = Call(member: "Open", arguments: ["https://b.example/"], options: [])
    try harness.call("Open", at: owner, from: client, link.fill) { _ in }
    try harness.loop.run { harness.manager.units.count == 2 }
    #expect(harness.manager.units.last?.contains("browser@") == true)
    try harness.loop.run(for: 300_000)
    #expect(try tree(harness.home) == before)
    #expect(service.settings.policy.active?.host == "a.example")
  }

  /// A change waits for the session, and much may happen meanwhile.
  @Test(arguments: ["Register", "Unregister", "SetOption"])
  func aChangeThatWaitedIsNotMadeAnyMore(_ member: String) throws {
    let harness = try Harness()
    try harness.prepare()
    // Something is still being started.
    harness.service.requests += 1
    let call = try #require(Self.changes.last { $0.member == member })
    let before = try tree(harness.home)
    var answer: Result<String, BusError>?
    try harness.call(member, from: try harness.client(), call.fill) { answer = $0 }
    try harness.loop.run { !harness.service.sessionChoices.isIdle }
    harness.service.stage = .handedOver
    try harness.loop.run { answer != nil }
    #expect(answer?.errorName == "StoreFailed")
    #expect(try tree(harness.home) == before)
  }
}
