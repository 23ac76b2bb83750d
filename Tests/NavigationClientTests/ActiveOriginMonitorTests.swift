import Bus
import Glibc
import NavigationClient
import TestSupport
import Testing

extension NavigationClientTests {
  @Test func aLoopFollowsTheService() throws {
    var origins: [String] = []
    let monitor = try ActiveOriginMonitor { origins.append($0) }
    let descriptor = try monitor.fileDescriptor
    /// What a loop does, until nothing arrives for a while.
    func run(until count: Int) throws {
      repeat {
        try monitor.process()
        if origins.count >= count { return }
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&ready, 1, 5_000) == 1 else { return }
      } while true
    }
    try monitor.process()

    var service = try FakeService { (_) throws(BusError) in }
    try service.announce("https://first.example")
    try service.announce("")
    try run(until: 2)
    try service.end()
    let forger = try Connection()
    try emitActiveChanged("https://forged.example", on: forger)
    forger.flush()
    service = try FakeService { (_) throws(BusError) in }
    try emitActiveChanged("https://forged.example", on: forger)
    forger.flush()
    try service.announce("https://last.example")
    try run(until: 3)
    #expect(origins == ["https://first.example", "", "https://last.example"])
    try service.end()

    try bus.end()
    let error = try #require(throws: ClientError.self) { try run(until: .max) }
    guard case .unreachable = error else {
      Issue.record("\(error)")
      return
    }
  }
  @Test func aBusThatLetsNobodyListenSaysSo() throws {
    let directory = try TemporaryDirectory()
    let bus = try PrivateBus(
      in: directory, services: directory.path,
      environment: ["PATH": "/usr/bin:/bin", "MATCH_RULES": "0"])
    setenv("DBUS_SESSION_BUS_ADDRESS", bus.address, 1)
    let monitor = try ActiveOriginMonitor { _ in Issue.record("nothing changes") }
    let error = try #require(throws: ClientError.self) { try monitor.process() }
    #expect("\(error)".contains("match rules"), "\(error)")
  }
}
