import Bus
import TestSupport
import Testing

/// Two connections to a bus of their own on one loop: one that calls, and one that answers.
final class Harness {
  let bus: LocalBus
  let loop: EventLoop
  let caller: Connection
  let service: Connection
  static let name = "org.example.Service"
  static let path = "/org/example/Service"
  static let interface = "org.example.Service"

  init() throws {
    bus = try LocalBus()
    loop = try EventLoop()
    caller = try bus.connect()
    service = try bus.connect()
    #expect(try service.requestName(Self.name))
    try caller.attach(to: loop)
    try service.attach(to: loop)
  }

  /// Calls `member` with what `body` appends and gives the reply to `read`.
  func call(
    _ member: String = "Test", timeout: UInt64 = 5_000_000,
    _ body: (borrowing Message) throws(BusError) -> Void = { _ in },
    read: @escaping (borrowing Message) -> Void
  ) throws {
    let call = try caller.makeCall(
      to: Self.name, path: Self.path, interface: Self.interface, member: member)
    try body(call)
    var isAnswered = false
    try caller.send(call, timeout: timeout) { reply in
      read(reply)
      isAnswered = true
    }
    try loop.run { isAnswered }
  }
}
