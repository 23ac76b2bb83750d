internal import Bus

extension NavigationService {
  /// How long the end waits for what is being started, in microseconds.
  private static let patience: UInt64 = 500_000

  /// Ends the loop when everything that was asked for is answered and started, but soon in any case:
  /// whom we then still owe an answer the bus tells that none will come.
  func end() {
    guard deadline == nil else { return }
    deadline = try? loop.after(Self.patience) { [loop] in loop.exit(0) }
    do throws(BusError) {
      // What was sent to the name before arrives before the answer; what is sent later is for the
      // service that the bus then starts.
      let call = try connection.makeBusCall("ReleaseName")
      try call.append(Address.name)
      try connection.send(call, timeout: Self.patience) { [self] _ in
        hasReleasedName = true
        endIfDone()
      }
    } catch {
      loop.exit(0)
    }
  }

  /// Ends the loop where it is to end and nobody waits for an answer.
  func endIfDone() {
    guard hasReleasedName, breaker.requests == 0, waitingDecisions == 0 else { return }
    if !isAskingForSession { loop.exit(0) }
  }
}
