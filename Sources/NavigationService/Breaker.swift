internal import Navigation

/// Stops links that go round in circles, and floods.
///
/// It remembers the launches of the last minute. Times are in microseconds of the monotonic clock.
struct Breaker {
  private struct Launch {
    let time: UInt64
    let url: Int
    let caller: String
    let application: String
  }

  private var launches: [Launch] = []
  /// Launches that have not ended.
  private(set) var pending = 0
  /// Calls that ask for launches and are not answered yet.
  private(set) var requests = 0

  private static let second: UInt64 = 1_000_000
  private static let memory = 60 * second
  /// More than a user makes in a minute, however many programs ask.
  private static let capacity = 4096
  static let pendingLimit = 64

  /// Lets one call in that asks for launches, or says why not. Each holds all of its URLs.
  mutating func begin() throws(NavigationError) {
    guard requests < Self.pendingLimit else { throw Self.tooManyPending }
    requests += 1
  }

  /// A call that was let in is answered.
  mutating func end() {
    requests -= 1
  }

  private static var tooManyPending: NavigationError {
    NavigationError(
      .limitExceeded,
      "\(pendingLimit) applications are still being started; try again when they have started")
  }

  /// Lets one launch of `urls` in `application` through, or says why not.
  ///
  /// - Parameters:
  ///   - mayReturn: Whether the application may send the URL back once more: true where it goes to
  ///     another one then, because the caller asked for the browser or is the shell.
  mutating func admit(
    urls: [String], from caller: Caller, to application: String, mayReturn: Bool, at now: UInt64
  ) throws(NavigationError) {
    launches.removeAll { $0.time + Self.memory <= now }
    if launches.count >= Self.capacity { launches.removeFirst(launches.count - Self.capacity + 1) }

    guard pending < Self.pendingLimit else { throw Self.tooManyPending }
    // A start with nothing to open comes back just as well.
    let hashes = urls.isEmpty ? ["".hashValue] : urls.map(\.hashValue)
    for hash in hashes {
      try check(hash, from: caller, to: application, mayReturn: mayReturn, at: now)
    }
    let recent = launches.count {
      $0.caller == caller.uniqueName && $0.time + 10 * Self.second > now
    }
    guard recent < 50 else {
      throw NavigationError(
        .limitExceeded,
        "\(caller.unit ?? caller.uniqueName) opened 50 links within ten seconds; wait before "
          + "the next")
    }
    launches += hashes.map { hash in
      Launch(time: now, url: hash, caller: caller.uniqueName, application: application)
    }
    pending += 1
  }

  private func check(
    _ url: Int, from caller: Caller, to application: String, mayReturn: Bool, at now: UInt64
  ) throws(NavigationError) {
    let same = launches.filter { $0.url == url }
    if !mayReturn, let sender = same.first(where: { caller.belongs(to: $0.application) }) {
      throw NavigationError(
        .loopDetected,
        "\(sender.application) was given this link within the last minute and sent it back; "
          + "set another application, or turn off link forwarding in this one")
    }
    guard same.count < 15, same.count(where: { $0.time + 2 * Self.second > now }) < 5 else {
      throw NavigationError(
        .loopDetected,
        "this link keeps coming back: it was opened \(same.count) times within a minute, now for "
          + "\(application), asked for by \(caller.unit ?? caller.uniqueName)")
    }
  }

  /// A launch that was let through has ended, well or not.
  mutating func finish() {
    pending -= 1
  }
}
