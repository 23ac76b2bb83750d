import Bus
import Glibc
import Navigation
import NavigationClient
import Synchronization
import TestSupport
import Testing

/// What the client makes of services that are missing, broken or hostile.
///
/// One at a time: which bus is the session's is a property of the process.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct NavigationClientTests {
  let directory: TemporaryDirectory
  let bus: PrivateBus

  init() throws {
    directory = try TemporaryDirectory()
    try writeFile(
      directory.path + "/fs.sovereign.Navigation.service",
      "[D-BUS Service]\nName=fs.sovereign.Navigation\nExec=/bin/false\n")
    bus = try PrivateBus(
      in: directory, services: directory.path, environment: ["PATH": "/usr/bin:/bin"])
    setenv("DBUS_SESSION_BUS_ADDRESS", bus.address, 1)
  }

  @Test func takesAnUnknownWordForBlocked() throws {
    let service = try FakeService { (call) throws(BusError) in
      let reply = try call.makeReturn()
      if call.isCall(of: "Decide", in: "fs.sovereign.Navigation") {
        try reply.append("teleport")
      } else {
        try reply.append(["shell", "teleport", ""])
      }
      try reply.send()
    }
    let client = try NavigationClient()
    #expect(try client.decide("https://a.example/") == .blocked)
    #expect(try client.decide(["a", "b", "c"]) == [.shell, .blocked, .blocked])
    // An answer too few would be another URL's.
    #expect(throws: ClientError.unreachable("it gave 3 answers for 2 URLs")) {
      try client.decide(["a", "b"])
    }
    try service.end()
  }

  @Test func passesARefusalOn() throws {
    let service = try FakeService { (_) throws(BusError) in
      throw BusError(name: "fs.sovereign.Navigation.Error.Locked", message: "it is locked")
    }
    let client = try NavigationClient()
    #expect(throws: ClientError.refused(NavigationError(.locked, "it is locked"))) {
      try client.setActive("https://a.example")
    }
    try service.end()
  }

  @Test func givesUpOnAServiceThatDoesNotAnswer() throws {
    let service = try FakeService { (_) throws(BusError) in }
    let client = try NavigationClient()
    let elapsed = try ContinuousClock().measure {
      let error = try #require(throws: ClientError.self) { try client.decide("https://a.example/") }
      guard case .timedOut = error else {
        Issue.record("\(error)")
        return
      }
    }
    #expect(elapsed < .seconds(10))
    try service.end()
  }

  @Test func saysAtOnceThatTheServiceDoesNotStart() throws {
    let client = try NavigationClient()
    let elapsed = try ContinuousClock().measure {
      let error = try #require(throws: ClientError.self) { try client.decide("https://a.example/") }
      guard case .unreachable = error else {
        Issue.record("\(error)")
        return
      }
    }
    #expect(elapsed < .seconds(3))
  }

  @Test func saysThatThereIsNoBus() throws {
    setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=\(directory.path)/nowhere", 1)
    let error = try #require(throws: ClientError.self) { try NavigationClient() }
    guard case .unreachable = error else {
      Issue.record("\(error)")
      return
    }
  }

  @Test(arguments: [
    ("fs.sovereign.Navigation.Error.NotAllowed", 4), ("fs.sovereign.Navigation.Error.Locked", 4),
    ("fs.sovereign.Navigation.Error.InvalidUrl", 1), ("org.freedesktop.DBus.Error.InvalidArgs", 2),
    ("org.freedesktop.DBus.Error.AccessDenied", 3),
  ]) func theCommandLineEndsWithTheStatusOfTheError(_ name: String, _ status: Int32) throws {
    let service = try FakeService { (_) throws(BusError) in
      throw BusError(name: name, message: "because")
    }
    let result = try Child(
      [Installation.built("sovereign-navigation"), "active", "a.example"],
      environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address]
    ).wait()
    #expect(result.status == status, "\(result)")
    #expect(result.errorText.contains(": because"))
    try service.end()
  }

  @Test func followsTheServiceAndNobodyElse() throws {
    var service = try FakeService { (_) throws(BusError) in }
    let seen = Seen()
    let monitor = try TestThread {
      try? ActiveOriginMonitor.run { origin in
        seen.add(origin)
        return origin != "https://last.example"
      }
    }
    // It reports nothing about itself: what it has seen of a first change proves that it listens.
    #expect(
      try poll {
        try service.announce("https://first.example")
        return seen.origins.isEmpty ? nil : true
      } != nil)

    let forger = try Connection()
    try emitActiveChanged("https://forged.example", on: forger)
    forger.flush()
    try service.end()
    try emitActiveChanged("https://forged.example", on: forger)
    forger.flush()
    service = try FakeService { (_) throws(BusError) in }
    try service.announce("https://second.example")
    try service.announce("https://last.example")
    try service.announce("https://more.example")
    monitor.join()
    #expect(
      seen.origins.drop { $0 == "https://first.example" }
        == ["https://second.example", "https://last.example"])
    try service.end()
  }
}

/// What a monitor has reported, from its thread.
private final class Seen: Sendable {
  private let list = Mutex<[String]>([])

  var origins: [String] { list.withLock { $0 } }

  func add(_ origin: String) { list.withLock { $0.append(origin) } }
}
