package import Bus

/// Something that has a service's name, by default ours, on a bus and answers its calls as a test wants.
///
/// It has a connection and a thread of its own, and lives until `end` or the end of its bus.
package final class FakeService {
  package static let name = "fs.sovereign.Navigation"
  package static let path = "/fs/sovereign/Navigation"

  /// Answers a call, or does not.
  package typealias Handler = @Sendable (borrowing Message) throws(BusError) -> Void

  private let name: String
  private let thread: TestThread

  package init(
    _ name: String = FakeService.name, at path: String = FakeService.path,
    answer: @escaping Handler
  ) throws {
    self.name = name
    // A bus that goes first ends the service, too.
    thread = try TestThread { try? serve(name, path, answer) }
    let connection = try Connection()
    guard poll({ (try? Self.isOwned(name, connection)) == true ? true : nil }) != nil else {
      throw SessionError("the service's name was not taken")
    }
  }

  /// Emits `ActiveChanged`, from the service's own connection.
  package func announce(_ origin: String) throws {
    try control("Announce", origin)
  }

  /// Gives the name up, as a service that crashes does.
  package func end() throws {
    try control("End", "")
    thread.join()
  }

  /// Waits for it to end with its bus.
  package func waitForEndOfBus() {
    thread.join()
  }

  private func control(_ member: String, _ argument: String) throws {
    let connection = try Connection()
    let call = try connection.makeCall(
      to: name, path: controlPath, interface: Self.name, member: member)
    try call.append(argument)
    _ = try connection.call(call)
  }

  private static func isOwned(
    _ name: String, _ connection: Connection
  ) throws(BusError) -> Bool {
    let call = try connection.makeCall(
      to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: "NameHasOwner")
    try call.append(name)
    return try connection.call(call).readBool()
  }
}

/// Emits `ActiveChanged` as the service does, from any connection.
package func emitActiveChanged(_ origin: String, on connection: Connection) throws(BusError) {
  try connection.emitSignal(
    path: FakeService.path, interface: FakeService.name, member: "ActiveChanged"
  ) { (signal) throws(BusError) in
    try signal.append(origin)
  }
}

private let controlPath = "/control"

private func serve(
  _ name: String, _ path: String, _ answer: @escaping FakeService.Handler
) throws(BusError) {
  let connection = try Connection()
  var isWanted = true
  let calls = try connection.intercept(path: path) { call in
    do throws(BusError) {
      try answer(call)
    } catch {
      Invocation(retaining: call).fail(error)
    }
    return true
  }
  let control = try connection.intercept(path: controlPath) { [unowned connection] call in
    do throws(BusError) {
      let argument = try call.readString()
      if call.isCall(of: "End", in: "fs.sovereign.Navigation") {
        isWanted = false
      } else {
        try emitActiveChanged(argument, on: connection)
      }
      try call.makeReturn().send()
    } catch {
      Invocation(retaining: call).fail(error)
    }
    return true
  }
  guard try connection.requestName(name) else { return }
  while isWanted { try connection.wait() }
  connection.flush()
  withExtendedLifetime((calls, control)) {}
}
