import Bus
import Glibc
import Navigation
import NavigationClient
import Synchronization
import TestSupport
import Testing
import WebOrigin

/// What the client sends of strings that D-Bus does not carry.
extension NavigationClientTests {
  private static let policy: Policy = {
    let active = try? InstanceAddress("https://my.sovereign.example").origin
    return Policy(active: active)
  }()

  private static let start = "https://my.sovereign.example/"

  /// Decides as the service does, within its limits, and keeps what it is sent.
  private func decider(_ sent: Sent) throws -> FakeService {
    try FakeService { (call) throws(BusError) in
      let reply = try call.makeReturn()
      if call.isCall(of: "DecideMany", in: "fs.sovereign.Navigation") {
        let urls = try call.readStrings()
        sent.add(urls)
        guard urls.count <= 4096, urls.reduce(0, { $0 + $1.utf8.count }) <= 4 << 20 else {
          throw BusError(
            name: "fs.sovereign.Navigation.Error.LimitExceeded", message: "send them in parts")
        }
        try reply.append(urls.map { Self.policy.decide($0).destination.rawValue })
      } else {
        let url = try call.readString()
        sent.add([url])
        try reply.append(
          call.isCall(of: "Decide", in: "fs.sovereign.Navigation")
            || call.isCall(of: "Open", in: "fs.sovereign.Navigation")
            ? Self.policy.decide(url).destination.rawValue : "https://a.example")
      }
      try reply.send()
    }
  }

  /// The library's own decision is what the service has to say, too.
  @Test(arguments: [
    "https://my.sovereign.example\0.evil.example/", "https://my.sovereign.example\0/",
    "\0https://my.sovereign.example/\0", " \0 https://my.sovereign.example/ \0 ", "\0", "",
    start + "\0", start + "\u{FFFE}", "https://my.sovereign.example\u{FFFF}/", "ht\0tps://a/",
    "\u{1FFFE}https://a/", "mailto:a\0b", "sovereign://my.sovereign.example\0/", "javascript:\0",
    start + String(repeating: "a", count: 3 << 20),
    String(repeating: " ", count: 3 << 20) + start,
    String(repeating: "\0", count: 3 << 20) + start,
    start + String(repeating: "\0", count: 3 << 20),
    String(repeating: "\u{10FFFF}", count: 1 << 20),
  ]) func decidesWhatItIsAsked(_ url: String) throws {
    let service = try decider(Sent())
    let client = try NavigationClient()
    let expected = Self.policy.decide(url).destination
    #expect(try client.decide(url) == expected)
    #expect(try client.decide([url]) == [expected])
    try service.end()
  }

  /// The URL Standard encodes each byte: infra.spec.whatwg.org calls U+FFFE a noncharacter, and no URL
  /// loses it.
  @Test func whatIsOpenedIsWhatWasAskedFor() throws {
    let sent = Sent()
    let service = try decider(sent)
    let client = try NavigationClient()
    #expect(try client.open("https://a.example/\u{FFFE}\0x") == .browser)
    _ = try? client.explain("https://a.example/\u{1FFFF}")
    #expect(
      sent.urls == ["https://a.example/%EF%BF%BE%00x", "https://a.example/%F0%9F%BF%BF"])
    try service.end()
  }

  /// Nothing but the empty string clears, and none of these names the instance that stands before the NUL.
  @Test(arguments: ["\0", " \0 ", "my.sovereign.example\0.evil.example", "\0https://a.example"])
  func anAddressWithNULIsNotAnother(_ url: String) throws {
    let sent = Sent()
    let service = try decider(sent)
    let client = try NavigationClient()
    _ = try? client.setActive(url)
    _ = try? client.addInstance(url)
    try? client.removeInstance(url)
    #expect(sent.urls.count == 3)
    for text in sent.urls {
      #expect((try? InstanceAddress(text).origin) == (try? InstanceAddress(url).origin))
      #expect(!text.isEmpty)
    }
    try service.end()
  }

  @Test func aTextWithNULIsNotCut() throws {
    let sent = Sent()
    let service = try decider(sent)
    let client = try NavigationClient()
    for call in [
      { _ = try client.addInstance("https://a.example", label: "a\0b") },
      { try client.setOption("Browser", to: "a.desktop\0") },
      { _ = try client.open("https://a.example", OpenOptions(activationToken: "a\0b")) },
    ] as [() throws -> Void] {
      let error = try #require(throws: ClientError.self) { try call() }
      guard case .invalidArguments = error else {
        Issue.record("\(error)")
        continue
      }
    }
    #expect(sent.urls.isEmpty)
    try service.end()
  }

  @Test func manyURLsAreAskedAboutInParts() throws {
    let sent = Sent()
    let service = try decider(sent)
    let client = try NavigationClient()
    let many = [String](repeating: Self.start, count: 4097) + ["javascript:1"]
    #expect(try client.decide(many) == [Destination](repeating: .shell, count: 4097) + [.blocked])
    let long = (0..<5).map { Self.start + String(repeating: "\($0)", count: 2_000_000) }
    #expect(try client.decide(long + [""]) == [.shell, .shell, .shell, .shell, .shell, .blocked])
    #expect(sent.urls == many + long + [""])
    #expect(try client.decide([]) == [])
    try service.end()
  }

  /// Repaired, a byte that is not UTF-8 becomes three.
  @Test func aLineThatIsNotUTF8DoesNotEndAList() throws {
    let service = try decider(Sent())
    var input = Array(Self.start.utf8) + [0x0A]
    input += Array("https://a/".utf8) + [UInt8](repeating: 0xFF, count: 1_500_000) + [0x0A]
    input += Array("javascript:1\n".utf8)
    for arguments in [["decide"], ["decide", "--offline", "--active", "my.sovereign.example"]] {
      let result = try Child(
        [Installation.built("sovereign-navigation")] + arguments,
        environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address], input: input
      ).wait()
      #expect(result.status == 0 && result.errors.isEmpty, "\(result.errorText)")
      #expect(result.text == "shell\nblocked\nblocked")
    }
    try service.end()
  }

  /// How a call ends whose bus ends once `wait` returns.
  private func result(
    of call: @escaping @Sendable () throws(ClientError) -> Void,
    whereTheBusEndsAfter wait: () throws -> Void
  ) throws -> Result<Void, ClientError> {
    let result = Mutex<Result<Void, ClientError>>(.success(()))
    let caller = try TestThread { result.withLock { $0 = Result(catching: call) } }
    try wait()
    bus.kill()
    caller.join()
    return result.withLock { $0 }
  }

  @Test func aBusThatEndsAfterTheCallWasSentLeavesItOpen() throws {
    let sent = Sent()
    let service = try FakeService { (call) throws(BusError) in
      sent.add([try call.readString()])
    }
    let outcome = try result { () throws(ClientError) in
      _ = try NavigationClient().setActive("https://a.example")
    } whereTheBusEndsAfter: {
      #expect(poll { sent.urls.isEmpty ? nil : true } != nil)
    }
    service.waitForEndOfBus()
    guard case .failure(.lost) = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  /// A link is sent once the service has answered that it is there.
  @Test func aBusThatEndsBeforeALinkIsSentLeavesNothingDone() throws {
    let hanging = try Connection()
    #expect(try hanging.requestName(FakeService.name))
    let outcome = try result { () throws(ClientError) in
      _ = try NavigationClient().open("https://a.example")
    } whereTheBusEndsAfter: {
      var ready = pollfd(fd: try hanging.fileDescriptor, events: Int16(POLLIN), revents: 0)
      #expect(Glibc.poll(&ready, 1, 5_000) == 1)
    }
    guard case .failure(.unreachable) = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  /// It was carried out, as far as anybody knows.
  @Test func anAnswerThatCannotBeReadLeavesTheCallOpen() throws {
    let service = try FakeService { (call) throws(BusError) in
      let reply = try call.makeReturn()
      try reply.append(UInt32(1))
      try reply.send()
    }
    let client = try NavigationClient()
    let error = try #require(throws: ClientError.self) {
      try client.setActive("https://a.example")
    }
    guard case .lost = error else {
      Issue.record("\(error)")
      return
    }
    try service.end()
  }
}

/// What a service was sent.
private final class Sent: Sendable {
  private let list = Mutex<[String]>([])

  var urls: [String] { list.withLock { $0 } }

  func add(_ urls: [String]) { list.withLock { $0 += urls } }
}
