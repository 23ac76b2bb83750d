package import Bus
internal import CSystemd

extension Connection {
  /// Answers whatever `peer` has asked anybody so far, as if it had asked us; its calls have one number after
  /// the other.
  package func answerAllCalls(
    of peer: Connection, _ answer: (borrowing Message) throws(BusError) -> Void
  ) throws {
    var name: UnsafePointer<CChar>?
    guard sd_bus_get_unique_name(peer.pointer, &name) >= 0 else { throw SessionError("no name") }
    for number in 1...UInt64(100) {
      let call = try makeCall(to: "a.b", path: "/", interface: "a.b", member: "C")
      guard sd_bus_message_set_sender(call.pointer, name) >= 0,
        sd_bus_message_seal(call.pointer, number, 0) >= 0
      else { throw SessionError("the call cannot be made up") }
      try answer(call)
    }
    flush()
  }

  /// Tells `peer` what only the user manager can know.
  package func sayJobIsCanceled(of unit: String, to peer: Connection) throws {
    var name: UnsafePointer<CChar>?
    var pointer: OpaquePointer?
    guard sd_bus_get_unique_name(peer.pointer, &name) >= 0,
      sd_bus_message_new_signal(
        self.pointer, &pointer, "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager",
        "JobRemoved") >= 0, let pointer, sd_bus_message_set_destination(pointer, name) >= 0
    else { throw SessionError("the signal cannot be made up") }
    let signal = Message(adopting: pointer)
    try signal.append(UInt32(1))
    guard sd_bus_message_append_basic(pointer, CChar(bitPattern: UInt8(ascii: "o")), "/job/1") >= 0
    else { throw SessionError("the signal cannot be filled") }
    try signal.append(unit)
    try signal.append("canceled")
    try signal.send()
    flush()
  }
}
