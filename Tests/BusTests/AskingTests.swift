import Glibc
import TestSupport
import Testing

@testable import Bus

@Suite struct AskingTests {
  private let harness: Harness
  private let others: Set<String>

  init() throws {
    harness = try Harness()
    others = try Self.connections(harness.caller)
  }

  /// The unique names on the bus.
  private static func connections(_ caller: Connection) throws(BusError) -> Set<String> {
    let names = try caller.call(caller.makeBusCall("ListNames")).readStrings()
    return Set(names.filter { $0.hasPrefix(":") })
  }

  /// Asks the bus something, and returns the unique name of the connection that asked.
  private func ask(
    meanwhile body: (String) throws(BusError) -> Void = { _ in }
  ) throws(BusError) -> String? {
    try harness.service.asking(until: Clock.monotonicMicroseconds + 5_000_000) {
      bus throws(BusError) in
      let names = try Self.connections(harness.caller).subtracting(others)
      #expect(names.count == 1)
      for name in names { try body(name) }
      _ = try bus.call(bus.makeBusCall("GetId"))
      return names.first
    }
  }

  /// Makes calls of `name`, which have arrived then.
  private func send(_ count: Int, to name: String) throws(BusError) {
    for _ in 0..<count {
      let call = try harness.caller.makeCall(
        to: name, path: "/", interface: "org.example.Nobody", member: "Wants")
      try call.append(String(repeating: "x", count: 1000))
      try harness.caller.send(call) { _ in }
    }
    _ = try harness.caller.call(harness.caller.makeBusCall("GetId"))
  }

  @Test func oneConnectionAsksAll() throws {
    let name = try ask()
    #expect(try ask() == name)
    #expect(throws: BusError.self) { try harness.service.withProcess(behind: ":1.999") { _ in } }
    #expect(try ask() == name)
  }

  @Test func whatOthersSentBeforeIsNotRead() throws {
    let name = try #require(try ask())
    try send(1, to: name)
    #expect(try ask() != name)
  }

  @Test func whatOthersSendMeanwhileIsNotKept() throws {
    _ = try ask { name throws(BusError) in try self.send(3, to: name) }
    #expect(try Self.connections(harness.caller) == others)
  }

  @Test func aBusThatDoesNotAnswerIsWaitedForUntilTheDeadline() throws {
    harness.bus.pause()
    let start = Clock.monotonicMicroseconds
    #expect(throws: BusError.self) {
      try harness.service.asking(until: start + 50_000) { _ in Issue.record("it answered") }
    }
  }
}
