internal import Bus
internal import Navigation
internal import Preferences

/// A `DecideMany` that is being answered.
final class ManyDecisions {
  fileprivate let urls: [UnsafeBufferPointer<UInt8>]
  /// Keeps the URLs' bytes.
  fileprivate let invocation: Invocation
  fileprivate var policy: Policy
  fileprivate var destinations: [Destination] = []
  fileprivate var timer: EventSource?

  fileprivate init(
    _ urls: [UnsafeBufferPointer<UInt8>], for invocation: Invocation, under policy: Policy
  ) {
    self.urls = urls
    self.invocation = invocation
    self.policy = policy
    destinations.reserveCapacity(urls.count)
  }
}

extension NavigationService {
  /// How long other callers wait for one that asks about many URLs, in microseconds.
  private static let turn: UInt64 = 5_000
  /// More that wait for their turn are answered at once, so that what waits does not grow.
  private static let mostWaiting = 64

  /// `DecideMany`: thousands of URLs are decided in well under a millisecond, but ICU may take
  /// milliseconds for a single host.
  func decideMany(_ call: borrowing Message) throws(BusError) {
    var urls: [UnsafeBufferPointer<UInt8>] = []
    try call.readURLs { urls.append($0) }
    let many = ManyDecisions(urls, for: Invocation(retaining: call), under: settings.policy)
    goOn(with: many)
  }

  private func goOn(with many: ManyDecisions) {
    many.timer = nil
    if many.policy != settings.policy {
      // Somebody has been told already that the change is made.
      many.policy = settings.policy
      many.destinations.removeAll(keepingCapacity: true)
    }
    let end = Clock.monotonicMicroseconds + Self.turn
    while many.destinations.count < many.urls.count {
      many.destinations.append(decider.destination(of: many.urls[many.destinations.count]))
      guard Clock.monotonicMicroseconds >= end, waitingDecisions < Self.mostWaiting else {
        continue
      }
      many.timer = try? loop.after(0) { [self] in
        waitingDecisions -= 1
        goOn(with: many)
        endIfDone()
      }
      if many.timer != nil {
        waitingDecisions += 1
        return
      }
    }
    many.invocation.reply { (reply) throws(BusError) in
      try reply.appendContainer("a", "s") { () throws(BusError) in
        for destination in many.destinations { try reply.append(destination.rawValue) }
      }
    }
  }
}
