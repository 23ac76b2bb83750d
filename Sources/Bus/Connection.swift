internal import CSystemd
internal import Glibc

/// A connection to the session bus.
///
/// It belongs to the thread that made it. sd-bus(3).
package final class Connection {
  package let pointer: OpaquePointer
  /// Another connection to the same bus, for questions to the bus itself.
  private var bus: Connection?

  /// Takes over a connection that the caller owns.
  package init(adopting pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// Connects to the user's session bus, which is where sd_bus_open_user(3) finds it.
  package convenience init() throws(BusError) {
    let doing = "the session bus cannot be reached"
    let address = try SessionBus.address(doing)
    // Whoever calls us could send more of them than a process may have, and that ends the connection.
    try self.init(to: address, takingDescriptors: false, doing)
  }

  private convenience init(
    to address: String, takingDescriptors: Bool, _ doing: String
  ) throws(BusError) {
    var bus: OpaquePointer?
    try check(sd_bus_new(&bus), doing)
    guard let bus else { throw BusError(negativeErrno: -ENOMEM, doing: doing) }
    self.init(adopting: bus)
    try check(sd_bus_set_address(bus, address), doing)
    try check(sd_bus_set_bus_client(bus, 1), doing)
    try check(sd_bus_set_trusted(bus, 1), doing)
    try check(sd_bus_negotiate_fds(bus, takingDescriptors ? 1 : 0), doing)
    try check(sd_bus_start(bus), doing)
  }

  /// Connects to the user's session bus and waits until it answers, for 5 s at most: by itself,
  /// libsystemd gives it 90 s. For programs without a loop.
  package static func answering() throws(BusError) -> Connection {
    let connection = try Connection()
    try connection.waitUntilReady(until: Clock.monotonicMicroseconds + 5_000_000)
    return connection
  }

  /// Waits until the bus answers; a connection to one that does not is closed.
  ///
  /// - Parameter deadline: By the monotonic clock.
  private func waitUntilReady(until deadline: UInt64) throws(BusError) {
    do throws(BusError) {
      try becomeReady(until: deadline)
    } catch {
      // Flushing would wait for it all the same.
      sd_bus_close(pointer)
      throw error
    }
  }

  private func becomeReady(until deadline: UInt64) throws(BusError) {
    while try check(sd_bus_is_ready(pointer), "the session bus cannot be reached") == 0 {
      guard try !process() else { continue }
      let now = Clock.monotonicMicroseconds
      guard now < deadline else {
        throw BusError(
          name: "org.freedesktop.DBus.Error.NoServer", message: "the session bus does not answer")
      }
      let result = sd_bus_wait(pointer, deadline - now)
      if result != -EINTR { try check(result, "the connection to the bus is lost") }
    }
  }

  /// Connects once more to the bus of another connection. It takes descriptors, for the bus's answers
  /// carry some.
  private convenience init(toTheBusOf other: Connection) throws(BusError) {
    var address: UnsafePointer<CChar>?
    try check(sd_bus_get_address(other.pointer, &address), "sd_bus_get_address")
    try self.init(
      to: address.map { String(cString: $0) } ?? "", takingDescriptors: true,
      "the bus cannot be reached once more")
  }

  deinit {
    sd_bus_flush_close_unref(pointer)
  }

  /// Whether the bus has not closed it, as far as that was seen.
  package var isOpen: Bool { sd_bus_is_open(pointer) > 0 }

  /// Ends the event loop, with an error, when the bus goes away.
  package func exitOnDisconnect() throws(BusError) {
    try check(sd_bus_set_exit_on_disconnect(pointer, 1), "sd_bus_set_exit_on_disconnect")
  }

  /// Lets `loop` process this connection from now on.
  package func attach(to loop: EventLoop) throws(BusError) {
    try check(sd_bus_attach_event(pointer, loop.pointer, 0), "sd_bus_attach_event")
  }

  /// Takes `name`, neither waiting for it nor letting anybody else replace us.
  ///
  /// - Returns: Whether the name is ours now; `false` if somebody else has it.
  package func requestName(_ name: String) throws(BusError) -> Bool {
    let call = try makeBusCall("RequestName")
    try call.append(name)
    // DBUS_NAME_FLAG_DO_NOT_QUEUE
    try call.append(UInt32(4))
    let reply = try self.call(call)
    try reply.checkBusSentIt()
    // DBUS_REQUEST_NAME_REPLY_PRIMARY_OWNER, …_ALREADY_OWNER
    return [1, 4].contains(try reply.readUInt32())
  }

  /// Shows `handler` every call to `path` before the exported interfaces see it; it returns whether
  /// it took the call over.
  package func intercept(
    path: String, handler: @escaping (borrowing Message) -> Bool
  ) throws(BusError) -> Slot {
    let box = Callback<Message, Bool>(handler)
    let userdata = box.retained
    var slot: OpaquePointer?
    let result = sd_bus_add_object(pointer, &slot, path, interceptorThunk, userdata)
    return try keep(slot, result, userdata, "the calls of \(path)")
  }

  private func keep(
    _ slot: OpaquePointer?, _ result: CInt, _ userdata: UnsafeMutableRawPointer, _ what: String
  ) throws(BusError) -> Slot {
    let slot = try kept(slot, result, userdata, what)
    sd_bus_slot_set_destroy_callback(slot, releaseCallback)
    return Slot(adopting: slot)
  }

  /// Lets `body` ask the bus and wait, on another connection: whoever waits on this one takes in
  /// meanwhile all that others send to it, however much that is.
  ///
  /// Others can send to that connection, too. It is replaced then, and the bus forgets what it has for it.
  ///
  /// - Parameter deadline: Until when to wait for the bus at first, by the monotonic clock.
  package func asking<Answer: ~Copyable>(
    until deadline: UInt64, _ body: (Connection) throws(BusError) -> Answer
  ) throws(BusError) -> Answer {
    dropUnlessQuiet()
    do throws(BusError) {
      let bus = if let bus { bus } else { try Connection(toTheBusOf: self) }
      self.bus = bus
      try bus.waitUntilReady(until: deadline)
      let answer = try body(bus)
      dropUnlessQuiet()
      return answer
    } catch {
      // Whatever that connection suffers from, the next question does not.
      dropUnlessQuiet(isBroken: !error.isDestinationMissing)
      throw error
    }
  }

  private func dropUnlessQuiet(isBroken: Bool = false) {
    guard let bus, isBroken || !bus.isQuiet else { return }
    // Nothing on it is worth flushing, which may take as long as the bus likes.
    sd_bus_close(bus.pointer)
    self.bus = nil
  }

  /// Whether nothing has arrived that nobody asked for.
  private var isQuiet: Bool {
    var queued: UInt64 = 0
    var request = pollfd(fd: sd_bus_get_fd(pointer), events: Int16(POLLIN), revents: 0)
    // The bus tells it its name, and nobody takes that from the queue.
    return sd_bus_get_n_queued_read(pointer, &queued) >= 0 && queued <= 1
      && poll(&request, 1, 0) == 0
  }

  package func flush() {
    sd_bus_flush(pointer)
  }
}

// MARK: Calls

extension Connection {
  package func makeCall(
    to destination: String, path: String, interface: String, member: String
  ) throws(BusError) -> Message {
    var message: OpaquePointer?
    try check(
      sd_bus_message_new_method_call(pointer, &message, destination, path, interface, member),
      "\(member) cannot be called on \(destination)")
    guard let message else { throw BusError(negativeErrno: -ENOMEM, doing: member) }
    return Message(adopting: message)
  }

  /// A call to the bus itself.
  package func makeBusCall(_ member: String) throws(BusError) -> Message {
    try makeCall(
      to: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
      interface: "org.freedesktop.DBus", member: member)
  }

  /// A call that reads one property.
  package func makePropertyRead(
    _ property: String, of interface: String, at path: String, on destination: String
  ) throws(BusError) -> Message {
    let call = try makeCall(
      to: destination, path: path, interface: "org.freedesktop.DBus.Properties", member: "Get")
    try call.append(interface)
    try call.append(property)
    return call
  }

  /// Sends `call` and hands the reply, or the error, to `handler` from the loop.
  ///
  /// `handler` runs exactly once, unless the connection is closed first.
  ///
  /// - Parameter timeout: In microseconds; 0 means libsystemd's default of 25 s.
  package func send(
    _ call: borrowing Message, timeout: UInt64 = 0, handler: @escaping (borrowing Message) -> Void
  ) throws(BusError) {
    let box = Callback<Message, Void>(handler)
    let userdata = box.retained
    var slot: OpaquePointer?
    let result = sd_bus_call_async(pointer, &slot, call.pointer, messageThunk, userdata, timeout)
    try keep(slot, result, userdata, "sd_bus_call_async").float()
  }

  /// The same for a call to the owner of `name`. The handler is told the error that the reply is, and
  /// `BusError.forged` where somebody else sent it.
  package func send(
    _ call: borrowing Message, toOwnerOf name: String, timeout: UInt64 = 0,
    handler: @escaping (borrowing Message, BusError?) -> Void
  ) throws(BusError) {
    var owner: String?
    // The bus answers this before the owner gets the call.
    try askForOwner(of: name) { owner = $0 }
    try send(call, timeout: timeout) { reply in handler(reply, reply.error(from: owner)) }
  }

  /// Asks the bus for the unique name of the owner of `name`; `nil` if there is none.
  package func askForOwner(
    of name: String, completion: @escaping (String?) -> Void
  ) throws(BusError) {
    try send(makeOwnerQuestion(name)) { reply in completion(Self.readOwner(reply)) }
  }

  private func makeOwnerQuestion(_ name: String) throws(BusError) -> Message {
    let question = try makeBusCall("GetNameOwner")
    try question.append(name)
    return question
  }

  private static func readOwner(_ reply: borrowing Message) -> String? {
    reply.isFromBus && reply.error == nil ? try? reply.readString() : nil
  }

  /// Sends `call` to the owner of `name` and waits for its reply. For programs without a loop.
  ///
  /// - Parameter timeout: In microseconds.
  package func call(
    _ call: borrowing Message, toOwnerOf name: String, timeout: UInt64
  ) throws(BusError) -> Message {
    let owner = Self.readOwner(try self.call(makeOwnerQuestion(name), timeout: timeout))
    let reply = try self.call(call, timeout: timeout)
    if let error = reply.error(from: owner) { throw error }
    return reply
  }

  /// Sends `call` and waits for the reply. For programs without a loop.
  ///
  /// - Parameter timeout: In microseconds; 0 means libsystemd's default of 25 s.
  package func call(_ call: borrowing Message, timeout: UInt64 = 0) throws(BusError) -> Message {
    var error = sd_bus_error()
    defer { sd_bus_error_free(&error) }
    var reply: OpaquePointer?
    let result = sd_bus_call(pointer, call.pointer, timeout, &error, &reply)
    guard result >= 0, let reply else {
      if error.name != nil { throw BusError(copying: error) }
      throw BusError(negativeErrno: result, doing: "sd_bus_call")
    }
    return Message(adopting: reply)
  }
}

// MARK: Signals

extension Connection {
  package func emitSignal(
    path: String, interface: String, member: String,
    _ body: (borrowing Message) throws(BusError) -> Void
  ) throws(BusError) {
    var message: OpaquePointer?
    try check(
      sd_bus_message_new_signal(pointer, &message, path, interface, member), "signal \(member)")
    guard let message else { throw BusError(negativeErrno: -ENOMEM, doing: member) }
    let signal = Message(adopting: message)
    try body(signal)
    try signal.send()
  }

  /// Emits one `PropertiesChanged` that carries the new values of `names`.
  package func emitPropertiesChanged(
    path: String, interface: String, names: [String]
  ) throws(BusError) {
    var pointers: [UnsafeMutablePointer<CChar>?] = names.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    let result = sd_bus_emit_properties_changed_strv(pointer, path, interface, &pointers)
    try check(result, "PropertiesChanged")
  }

  /// Calls `handler` for every message that `rule` matches, as long as the slot lives; and once with the
  /// error, should the bus refuse the rule.
  ///
  /// The rule is sent without waiting for the bus's answer; what this connection sends later is
  /// processed by the bus after it.
  package func match(
    _ rule: String, handler: @escaping (borrowing Message) -> Void
  ) throws(BusError) -> Slot {
    let box = Callback<Message, Void>(handler)
    let userdata = box.retained
    var slot: OpaquePointer?
    let result = sd_bus_add_match_async(
      pointer, &slot, rule, messageThunk, installedThunk, userdata)
    return try keep(slot, result, userdata, "the match \(rule)")
  }

  /// Processes one message. Returns whether there was one.
  package func process() throws(BusError) -> Bool {
    try check(sd_bus_process(pointer, nil), "the connection to the bus is lost") > 0
  }

  /// What becomes readable when messages arrive, for a loop that is not ours.
  package var fileDescriptor: Int32 {
    get throws(BusError) { try check(sd_bus_get_fd(pointer), "the connection to the bus is lost") }
  }

  /// Processes one message, or waits for one if none has arrived. For programs without a loop.
  package func wait() throws(BusError) {
    guard try !process() else { return }
    let result = sd_bus_wait(pointer, UInt64.max)
    if result == -EINTR { return }
    try check(result, "the connection to the bus is lost")
  }
}

private func messageThunk(
  _ message: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  guard let message, let callback = Callback<Message, Void>.from(userdata) else { return 0 }
  callback.run(Message(retaining: message))
  return 0
}

/// Without one, libsystemd closes the connection where the bus refuses a rule.
private func installedThunk(
  _ message: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  guard sd_bus_message_is_method_error(message, nil) > 0 else { return 0 }
  return messageThunk(message, userdata, error)
}

private func interceptorThunk(
  _ message: OpaquePointer?, _ userdata: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  guard let message, let callback = Callback<Message, Bool>.from(userdata) else { return 0 }
  return callback.run(Message(retaining: message)) ? 1 : 0
}
