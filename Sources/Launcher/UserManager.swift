package import Bus
internal import Glibc

/// The systemd user manager, if one runs on the bus. org.freedesktop.systemd1(5).
package final class UserManager {
  private let connection: Connection
  private let loop: EventLoop
  private var jobRemoved: Slot?
  /// The manager's unique name, as it was last seen.
  private var owner: String?
  private var pending: [String: Start] = [:]
  private var timers: [UInt64: EventSource] = [:]
  private var nextTimer: UInt64 = 0

  /// The start of a unit whose end is awaited.
  private struct Start {
    /// Gets the result of its job.
    let finish: (String) -> Void
    /// How long that is awaited.
    var timer: UInt64?
  }

  static let name = "org.freedesktop.systemd1"
  static let path = "/org/freedesktop/systemd1"
  static let interface = "org.freedesktop.systemd1.Manager"

  package init(connection: Connection, loop: EventLoop) {
    self.connection = connection
    self.loop = loop
  }

  /// How long the manager may take to tell its environment, in microseconds. Callers of the service wait
  /// for it, and give up after 5 s themselves.
  private static let environmentPatience: UInt64 = 3_000_000
  /// How often it is asked again because somebody else answered.
  private static let mostForgeries = 100

  /// Asks for the manager's environment as it is now; `nil` where no manager is on the bus, or none
  /// that answers.
  package func environment(completion: @escaping ([String: String]?) -> Void) {
    askForEnvironment(attempts: Self.startedUs ? 5 : 1, forgeries: 0, completion: completion)
  }

  private func askForEnvironment(
    attempts: Int, forgeries: Int, completion: @escaping ([String: String]?) -> Void
  ) {
    do throws(BusError) {
      let call = try Self.makeEnvironmentCall(connection)
      try connection.send(call, toOwnerOf: Self.name, timeout: Self.environmentPatience) {
        [self] reply, error in
        if error == nil, let variables = Self.readEnvironment(reply) {
          return completion(variables)
        }
        // The manager's own answer has no call to answer any more.
        if error == .forged, forgeries < Self.mostForgeries {
          return askForEnvironment(
            attempts: attempts, forgeries: forgeries + 1, completion: completion)
        }
        // The manager starts the bus before it connects to it.
        guard attempts > 1, error?.isDestinationMissing == true else { return completion(nil) }
        after(100_000) {
          self.askForEnvironment(
            attempts: attempts - 1, forgeries: forgeries, completion: completion)
        }
      }
    } catch {
      completion(nil)
    }
  }

  /// Asks for the manager's environment and waits. For programs without a loop.
  package static func environment(_ connection: Connection) -> [String: String]? {
    guard let call = try? makeEnvironmentCall(connection),
      let reply = try? connection.call(call, toOwnerOf: name, timeout: environmentPatience)
    else { return nil }
    return readEnvironment(reply)
  }

  private static func makeEnvironmentCall(_ connection: Connection) throws(BusError) -> Message {
    let call = try connection.makePropertyRead(
      "Environment", of: interface, at: path, on: name)
    try call.disableAutoStart()
    return call
  }

  private static func readEnvironment(_ reply: borrowing Message) -> [String: String]? {
    guard case .strings(let lines)? = try? reply.readVariant() else { return nil }
    return Session.variables(lines.map(\.utf8))
  }

  /// Whether a manager started this very process; then there is one, even if it is not on the bus yet.
  private static let startedUs =
    getenv("SYSTEMD_EXEC_PID").flatMap { Int32(String(cString: $0)) } == getpid()

  /// Runs `body` after `delay` microseconds, unless the timer of this number is dropped before.
  @discardableResult
  private func after(_ delay: UInt64, _ body: @escaping () -> Void) -> UInt64 {
    let key = nextTimer
    nextTimer += 1
    timers[key] = try? loop.after(delay) { [self] in
      timers[key] = nil
      body()
    }
    // Out of timers: late is better than never.
    if timers[key] == nil { body() }
    return key
  }
}

// MARK: Transient units

extension UserManager {
  /// How the start of a unit ended.
  package enum StartResult: Hashable, Sendable {
    /// The program runs, or has run.
    case started
    /// The program could not be run.
    case failed(reason: String)
  }

  /// How long a start may take before it counts as accepted, in microseconds.
  private static let patience: UInt64 = 5_000_000

  /// Starts a transient service and reports when its start job has ended.
  package func startUnit(
    _ unit: String, properties: [(String, Variant)],
    completion: @escaping (StartResult) -> Void
  ) {
    do throws(BusError) {
      try subscribe()
      let call = try connection.makeCall(
        to: Self.name, path: Self.path, interface: Self.interface, member: "StartTransientUnit")
      try call.append(unit)
      try call.append("fail")
      try call.appendContainer("a", "(sv)") { () throws(BusError) in
        for (name, value) in properties {
          try call.appendContainer("r", "sv") { () throws(BusError) in
            try call.append(name)
            try call.append(value)
          }
        }
      }
      try call.appendContainer("a", "(sa(sv))") {}
      let deadline = loop.now + Self.patience
      pending[unit] = Start { [self] result in finish(unit, result, by: deadline, completion) }
      try connection.send(call, toOwnerOf: Self.name, timeout: Self.patience) {
        [self] reply, error in
        guard let error else {
          owner = reply.sender
          // Nobody will tell how its job ends.
          if jobRemoved == nil { takePending(unit)?.finish("done") }
          return
        }
        // A manager that takes its time may start it all the same, and so may one that was not heard.
        guard !error.isTimeout, error != .forged, takePending(unit) != nil else { return }
        completion(.failed(reason: error.message))
      }
      let timer = after(Self.patience) { [self] in
        guard takePending(unit) != nil else { return }
        release(unit)
        completion(.started)
      }
      pending[unit]?.timer = timer
    } catch {
      pending[unit] = nil
      completion(.failed(reason: error.description))
    }
  }

  /// Its timer goes, too: that holds on to all that the launch needed.
  private func takePending(_ unit: String) -> Start? {
    guard let start = pending.removeValue(forKey: unit) else { return nil }
    if let timer = start.timer { timers[timer] = nil }
    return start
  }

  /// Both requests reach their receivers before any later call of ours is processed.
  private func subscribe() throws(BusError) {
    guard jobRemoved == nil else { return }
    jobRemoved = try connection.match(
      "type='signal',sender='\(Self.name)',path='\(Self.path)',interface='\(Self.interface)',"
        + "member='JobRemoved'"
    ) { [unowned self] signal in
      if let error = signal.error {
        Journal.log(
          .warning,
          "whether an application could be started is not known: the bus reports no jobs: \(error)")
        jobRemoved = nil
        return
      }
      guard let sender = signal.sender, let (unit, result) = Self.readJobRemoved(signal),
        pending[unit] != nil
      else { return }
      if sender == owner { takePending(unit)?.finish(result) } else { check(sender, unit, result) }
    }
    let call = try connection.makeCall(
      to: Self.name, path: Self.path, interface: Self.interface, member: "Subscribe")
    try connection.send(call) { _ in }
  }

  /// Anybody can send us a signal; but a manager that was executed anew has another unique name.
  private func check(_ sender: String, _ unit: String, _ result: String) {
    try? connection.askForOwner(of: Self.name) { [self] name in
      guard name == sender else { return }
      owner = name
      takePending(unit)?.finish(result)
    }
  }

  private static func readJobRemoved(
    _ signal: borrowing Message
  ) -> (unit: String, result: String)? {
    do throws(BusError) {
      _ = try signal.readUInt32()
      _ = try signal.readObjectPath()
      return (try signal.readString(), try signal.readString())
    } catch {
      return nil
    }
  }

  private func finish(
    _ unit: String, _ result: String, by deadline: UInt64,
    _ completion: @escaping (StartResult) -> Void
  ) {
    guard result == "failed" else {
      release(unit)
      return completion(
        result == "done" ? .started : .failed(reason: "systemd reported \(result)"))
    }
    // Exit statuses from 200 on are systemd's own: the program was never run (systemd.exec(5)).
    exitStatus(of: unit, by: deadline) { [self] status in
      release(unit)
      guard let status else { return completion(.failed(reason: "systemd could not start it")) }
      guard !(200..<300).contains(status) else {
        return completion(
          .failed(reason: "systemd could not run the program (exit status \(status))"))
      }
      Journal.log(.info, "\(unit) started and ended at once (status \(status))")
      completion(.started)
    }
  }

  private func exitStatus(
    of unit: String, by deadline: UInt64, completion: @escaping (Int32?) -> Void
  ) {
    do throws(BusError) {
      let call = try connection.makeCall(
        to: Self.name, path: Self.path, interface: Self.interface, member: "GetUnit")
      try call.append(unit)
      let timeout = Clock.timeout(from: loop.now, until: deadline)
      try connection.send(call, toOwnerOf: Self.name, timeout: timeout) { [self] reply, error in
        guard error == nil, let path = try? reply.readObjectPath() else {
          return completion(nil)
        }
        exitStatus(atPath: path, by: deadline, completion: completion)
      }
    } catch {
      completion(nil)
    }
  }

  private func exitStatus(
    atPath path: String, by deadline: UInt64, completion: @escaping (Int32?) -> Void
  ) {
    do throws(BusError) {
      let call = try connection.makePropertyRead(
        "ExecMainStatus", of: "org.freedesktop.systemd1.Service", at: path, on: Self.name)
      let timeout = Clock.timeout(from: loop.now, until: deadline)
      try connection.send(call, toOwnerOf: Self.name, timeout: timeout) { reply, error in
        guard error == nil, case .int32(let status)? = try? reply.readVariant() else {
          return completion(nil)
        }
        completion(status)
      }
    } catch {
      completion(nil)
    }
  }

  /// Gives back the reference that the unit's `AddRef` property took, so that it can be collected.
  private func release(_ unit: String) {
    do throws(BusError) {
      let call = try connection.makeCall(
        to: Self.name, path: Self.path, interface: Self.interface, member: "UnrefUnit")
      try call.append(unit)
      try connection.send(call) { _ in }
    } catch {
      Journal.log(.warning, "\(unit) stays loaded after it ends: \(error)")
    }
  }
}
