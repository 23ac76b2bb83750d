internal import CSystemd

/// A method call that waits for its answer.
///
/// Every call gets exactly one: the first answer counts, and a call that is dropped without one gets
/// an error, so that no caller waits for a time-out.
package final class Invocation {
  private let call: Message
  private var isAnswered = false
  /// Called when nobody holds on to the call any more.
  package var whenGone: () -> Void = {}

  /// Keeps what an answer needs, and not the arguments: a call of many megabytes may wait for long.
  package init(retaining call: borrowing Message) {
    self.call = call.withoutArguments ?? Message(retaining: call.pointer)
  }

  deinit {
    fail(
      BusError(
        name: "org.freedesktop.DBus.Error.NoReply", message: "the call ended without an answer"))
    whenGone()
  }

  package var sender: String? { call.sender }

  /// Sends the reply that `body` fills.
  package func reply(_ body: (borrowing Message) throws(BusError) -> Void = { _ in }) {
    guard !isAnswered else { return }
    do throws(BusError) {
      let reply = try call.makeReturn()
      try body(reply)
      try reply.send()
      isAnswered = true
    } catch {
      fail(error)
    }
  }

  /// Sends an error instead of a reply.
  package func fail(_ error: BusError) {
    guard !isAnswered else { return }
    isAnswered = true
    guard !send(error) else { return }
    // Where the connection is gone, so is whoever waits.
    _ = send(
      BusError(
        name: "org.freedesktop.DBus.Error.Failed",
        message: "the call failed, and the reason cannot be sent"))
  }

  private func send(_ error: BusError) -> Bool {
    var raw = sd_bus_error()
    defer { sd_bus_error_free(&raw) }
    error.write(to: &raw)
    return sd_bus_reply_method_error(call.pointer, &raw) >= 0
  }
}

extension Message {
  /// A call from the same sender with the same serial number, so that an answer to it is one to this;
  /// `nil` where it cannot be made.
  fileprivate var withoutArguments: Message? {
    var copy: OpaquePointer?
    var serial: UInt64 = 0
    guard let sender = sd_bus_message_get_sender(pointer),
      sd_bus_message_get_cookie(pointer, &serial) >= 0,
      sd_bus_message_new_method_call(
        sd_bus_message_get_bus(pointer), &copy, nil, sd_bus_message_get_path(pointer),
        sd_bus_message_get_interface(pointer), sd_bus_message_get_member(pointer)) >= 0,
      let copy
    else { return nil }
    let message = Message(adopting: copy)
    let isAnswered = sd_bus_message_get_expect_reply(pointer)
    guard sd_bus_message_set_sender(copy, sender) >= 0,
      sd_bus_message_set_expect_reply(copy, isAnswered) >= 0,
      sd_bus_message_seal(copy, serial, 0) >= 0
    else { return nil }
    return message
  }

  /// A reply to this call, still to be filled.
  package func makeReturn() throws(BusError) -> Message {
    var reply: OpaquePointer?
    try check(sd_bus_message_new_method_return(pointer, &reply), "sd_bus_message_new_method_return")
    guard let reply else { throw BusError(negativeErrno: -12, doing: "method return") }
    return Message(adopting: reply)
  }

  /// Queues the message on the connection it was made for.
  package func send() throws(BusError) {
    try check(sd_bus_send(nil, pointer, nil), "sd_bus_send")
  }
}
