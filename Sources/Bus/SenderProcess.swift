internal import CSystemd
internal import Glibc

/// The process that a connection to the bus belongs to.
private struct SenderProcess: ~Copyable {
  let id: Int32
  /// Its pidfd, where the bus gives one: those of Debian 13 do, those of Debian 12 do not.
  private let descriptor: Int32?

  init(id: Int32, descriptor: Int32?) {
    self.id = id
    self.descriptor = descriptor
  }

  deinit {
    if let descriptor { close(descriptor) }
  }

  /// Whether the process has ended; `nil` where only the bus can tell whether it has. pidfd_open(2).
  var hasEnded: Bool? {
    guard let descriptor else { return nil }
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) != 0
  }
}

extension Connection {
  /// How long to wait for the bus to say who somebody is, in microseconds.
  private static let patience: UInt64 = 5_000_000

  /// Hands the process behind a unique name to `body`, and throws if there is none, or if it ended
  /// meanwhile: what `body` found out may be about another process with the same number then.
  ///
  /// It waits for the bus itself, which answers from what it knows. The corresponding D-Bus method
  /// is `org.freedesktop.DBus.GetConnectionCredentials`.
  package func withProcess<Result>(
    behind name: String, _ body: (Int32) -> Result
  ) throws(BusError) -> Result {
    let deadline = Clock.monotonicMicroseconds + Self.patience
    let process = try process(behind: name, until: deadline)
    let result = body(process.id)
    let hasEnded: Bool
    if let ended = process.hasEnded {
      hasEnded = ended
    } else {
      hasEnded = try self.process(behind: name, until: deadline).id != process.id
    }
    guard !hasEnded else {
      throw BusError(name: BusError.noReply, message: "the caller has ended")
    }
    return result
  }

  private func process(
    behind name: String, until deadline: UInt64
  ) throws(BusError) -> SenderProcess {
    let reply = try asking(until: deadline) { (bus) throws(BusError) in
      let call = try bus.makeBusCall("GetConnectionCredentials")
      try call.append(name)
      return try bus.call(
        call, timeout: Clock.timeout(from: Clock.monotonicMicroseconds, until: deadline))
    }
    try reply.checkBusSentIt()
    var id: UInt32?
    var descriptor: Int32?
    try reply.readArray(of: "{sv}") { () throws(BusError) in
      try reply.readContainer("e", "sv") { () throws(BusError) in
        switch try reply.readString() {
        case "ProcessID":
          id = try reply.readContainer("v", "u") { () throws(BusError) in try reply.readUInt32() }
        case "ProcessFD":
          descriptor = try reply.readContainer("v", "h") { () throws(BusError) in
            try reply.readDescriptor()
          }
        default:
          try reply.skip("v")
        }
      }
    }
    guard let id else {
      throw BusError(name: BusError.noReply, message: "the bus does not know the caller's process")
    }
    return SenderProcess(id: Int32(bitPattern: id), descriptor: descriptor)
  }
}
