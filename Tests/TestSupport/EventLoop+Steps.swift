package import Bus
internal import CSystemd

extension EventLoop {
  /// Processes events until `isDone`; an error if that takes longer than `limit`.
  package func run(limit: Duration = hangLimit, until isDone: () -> Bool) throws {
    let end = ContinuousClock.now + limit
    while !isDone() {
      guard ContinuousClock.now < end else {
        throw TimeLimitExceeded(what: "what the loop was to do", limit: limit)
      }
      let result = sd_event_run(pointer, 100_000)
      guard result >= 0 else { throw SystemError("sd_event_run", errno: -result) }
    }
  }

  /// Processes events for some time, in microseconds.
  package func run(for time: UInt64) throws {
    var isOver = false
    let timer = try after(time) { isOver = true }
    try run { isOver }
    withExtendedLifetime(timer) {}
  }
}
