internal import Bus
internal import Glibc
internal import Navigation

/// How far the service has come to its end.
enum Stage: Comparable {
  case serving
  /// It gives its name up, and the bus may still have calls for it.
  case leaving
  /// Who calls its name reaches the next service; what was asked for before is answered. Its unique name
  /// goes on taking calls.
  case answering
  /// All that is left are applications that still start. The next service may write, this one not.
  case handedOver
}

extension NavigationService {
  /// How long the end waits for what is being started, in microseconds.
  private static let patience: UInt64 = 500_000
  /// How long answering what was sent before may take: a disk may be slow. The unit allows two seconds more.
  private static let longest: UInt64 = 3_000_000

  /// Whoever gives up the service's name owns this one until it has made its last change.
  private static let formerName = "\(Address.name).Former"

  /// Ends the loop when everything that was asked for is answered and started, but soon in any case:
  /// whom we then still owe an answer the bus tells that none will come.
  ///
  /// It fails where the bus has dropped us: systemd then sees that our name has gone, tells us to end,
  /// and starts us again only after a failure.
  func end() {
    guard stage == .serving else { return }
    stage = .leaving
    do throws(BusError) {
      // In this order: whoever finds the one name free finds the other one taken.
      let request = try connection.makeBusCall("RequestName")
      try request.append(Self.formerName)
      // In the queue, where another one still ends.
      try request.append(UInt32(0))
      try connection.send(request) { _ in }
      // What was sent to the name before arrives before the answer; what is sent later is for the
      // service that the bus then starts.
      try release(Address.name, by: loop.now + Self.longest) { [self] error in
        if let error { return loop.exit(error.isTimeout ? 0 : Status.failure) }
        stage = .answering
        // Hardly anybody can be kept waiting any more.
        turns.pause = 0
        deadline = try? loop.after(Self.patience) { [unowned self] in giveUp() }
        endIfDone()
      }
    } catch {
      loop.exit(Status.failure)
    }
  }

  private func release(
    _ name: String, by end: UInt64, completion: @escaping (BusError?) -> Void
  ) throws(BusError) {
    let call = try connection.makeBusCall("ReleaseName")
    try call.append(name)
    let timeout = Clock.timeout(from: loop.now, until: end)
    try connection.send(call, timeout: timeout) { [self] reply in
      // Where somebody else answered, the bus has no call to answer any more.
      if !reply.isFromBus, (try? release(name, by: end, completion: completion)) != nil { return }
      completion(reply.error)
    }
  }

  /// Ends the loop where it is to end and nobody waits for an answer.
  func endIfDone() {
    // A change that was asked for may wait for the session.
    guard stage >= .answering, sessionChoices.isIdle else { return }
    if requests == 0, turns.isEmpty { return loop.exit(0) }
    letNextWrite()
  }

  /// Whoever waits now for an application to start is told by the bus that no answer comes; many do not
  /// listen.
  private func giveUp() {
    if requests > 0 {
      Journal.log(
        .error,
        "the service ended while applications for \(requests) calls were still starting",
        fields: [("MESSAGE_ID", MessageID.notOpened)])
    }
    loop.exit(0)
  }

  /// To be called before anything is written, and again after whatever was waited for.
  func checkMayWrite() throws(BusError) {
    guard stage < .handedOver else {
      throw BusError(NavigationError(.storeFailed, "nothing is changed any more: the service ends"))
    }
  }

  private func letNextWrite() {
    guard stage == .answering else { return }
    stage = .handedOver
    preferenceWatcher = nil
    shellWatcher = nil
    try? release(Self.formerName, by: loop.now + Self.longest) { _ in }
  }

  /// Waits until the service that had the name before has made its last change. Until then the files
  /// are not ours, and calls wait, too; but not longer than that one may take.
  static func waitForFormer(on connection: Connection) throws(BusError) {
    let end = Clock.monotonicMicroseconds + longest + patience
    while Clock.monotonicMicroseconds < end {
      guard try mayHaveFormer(on: connection) else { return }
      usleep(5000)
    }
    Journal.log(
      .warning,
      "the service that ran before does not end, or the bus does not say so; this one goes on without waiting"
    )
  }

  private static func mayHaveFormer(on connection: Connection) throws(BusError) -> Bool {
    let call = try connection.makeBusCall("NameHasOwner")
    try call.append(formerName)
    do throws(BusError) {
      let reply = try connection.call(call, timeout: patience)
      try reply.checkBusSentIt()
      return try reply.readBool()
    } catch {
      // The name is ours already, and calls wait: a bus that stalls, or somebody who answers in its place,
      // must not end this.
      guard connection.isOpen else {
        throw BusError(
          name: error.name, message: "the connection to the bus is lost: \(error.message)")
      }
      return true
    }
  }
}
