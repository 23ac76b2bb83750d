package import Bus
internal import CSystemd

/// A user manager on the test's bus that starts nothing.
package final class ManagerDouble {
  /// What a user manager does with a request to start a unit.
  package enum Answer: Sendable {
    /// The start job ends with this result; a program that was not run has this exit status.
    case job(String, exitStatus: Int32 = 0)
    case refuses
    /// It says that it starts, and nothing more.
    case isSilent
    /// It does not even say that.
    case hangs
    case leaves
    /// It is executed anew, and reports the end of the job, which was canceled, under another unique name.
    case isExecutedAnew
    /// The start job fails, and from then on it answers nothing.
    case failsAndHangs
    /// It never answers anything.
    case answersNothing
  }

  private let answer: Answer
  private let bus: LocalBus
  private let loop: EventLoop
  private let environment: [String: String]
  private var connection: Connection?
  private var slots: [Slot] = []
  private var hanging: [Invocation] = []
  private(set) package var units: [String] = []
  private(set) package var properties: [String: Variant] = [:]
  /// Of each unit, as it was asked for.
  private(set) package var environments: [[String]] = []
  private(set) package var released: [String] = []

  package init(
    _ answer: Answer, environment: [String: String] = ["A": "b", "C": "d=e", "F": ""],
    on bus: LocalBus,
    _ loop: EventLoop
  ) throws {
    self.answer = answer
    self.environment = environment
    (self.bus, self.loop) = (bus, loop)
    try connect()
  }

  private func connect() throws {
    let connection = try bus.connect()
    guard try connection.requestName("org.freedesktop.systemd1") else {
      throw SessionError("there is a manager")
    }
    try connection.attach(to: loop)
    slots = try ["/org/freedesktop/systemd1", "/unit"].map { path in
      try connection.intercept(path: path) { [unowned self] in handle($0) }
    }
    self.connection = connection
  }

  private func handle(_ call: borrowing Message) -> Bool {
    let manager: StaticString = "org.freedesktop.systemd1.Manager"
    let invocation = Invocation(retaining: call)
    if case .answersNothing = answer {
      hanging.append(invocation)
    } else if case .failsAndHangs = answer, call.isCall(of: "GetUnit", in: manager) {
      hanging.append(invocation)
    } else if call.isCall(of: "StartTransientUnit", in: manager) {
      start(call, invocation)
    } else if call.isCall(of: "GetUnit", in: manager) {
      invocation.reply { reply throws(BusError) in try reply.append(objectPath: "/unit") }
    } else if call.isCall(of: "UnrefUnit", in: manager) {
      if let unit = try? call.readString() { released.append(unit) }
      invocation.reply()
    } else if call.isCall(of: "Get", in: "org.freedesktop.DBus.Properties") {
      get(call, invocation)
    } else {
      invocation.reply()
    }
    return true
  }

  private func get(_ call: borrowing Message, _ invocation: Invocation) {
    _ = try? call.readString()
    let name = try? call.readString()
    invocation.reply { [answer, environment] reply throws(BusError) in
      guard name == "ExecMainStatus", case .job(_, let status) = answer else {
        return try reply.append(.strings(environment.map { "\($0.key)=\($0.value)" } + ["F"]))
      }
      try reply.append(.int32(status))
    }
  }

  private func start(_ call: borrowing Message, _ invocation: Invocation) {
    let unit = (try? call.readString()) ?? ""
    units.append(unit)
    _ = try? call.readString()
    try? call.readArray(of: "(sv)") { () throws(BusError) in
      try call.readContainer("r", "sv") { () throws(BusError) in
        let name = try call.readString()
        properties[name] = try call.readVariant()
      }
    }
    if case .strings(let variables)? = properties["Environment"] { environments.append(variables) }
    switch answer {
    case .refuses:
      invocation.fail(BusError(name: "org.example.Refused", message: "no"))
    case .hangs:
      hanging.append(invocation)
    case .leaves:
      hanging.append(invocation)
      slots = []
      connection = nil
    case .isSilent:
      invocation.reply { reply throws(BusError) in try reply.append(objectPath: "/job/1") }
    case .isExecutedAnew:
      invocation.reply { reply throws(BusError) in try reply.append(objectPath: "/job/1") }
      connection?.flush()
      slots = []
      connection = nil
      while connection == nil { try? connect() }
      emitJobRemoved(of: unit, "canceled")
    case .job, .failsAndHangs, .answersNothing:
      let result = if case .job(let result, _) = answer { result } else { "failed" }
      invocation.reply { reply throws(BusError) in try reply.append(objectPath: "/job/1") }
      // Of somebody else's unit, then of ours, then once more.
      for name in ["other.service", unit, unit] {
        emitJobRemoved(of: name, name == "other.service" ? "failed" : result)
      }
    }
  }

  private func emitJobRemoved(of unit: String, _ result: String) {
    try? connection?.emitSignal(
      path: "/org/freedesktop/systemd1", interface: "org.freedesktop.systemd1.Manager",
      member: "JobRemoved"
    ) { signal throws(BusError) in
      try signal.append(UInt32(1))
      try signal.append(objectPath: "/job/1")
      try signal.append(unit)
      try signal.append(result)
    }
  }
}

extension Message {
  fileprivate func append(objectPath: String) throws(BusError) {
    guard
      sd_bus_message_append_basic(pointer, CChar(bitPattern: UInt8(ascii: "o")), objectPath) >= 0
    else { throw BusError(name: BusError.invalidArguments, message: objectPath) }
  }
}
