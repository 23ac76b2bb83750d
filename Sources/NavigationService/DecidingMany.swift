internal import Bus
internal import Navigation
internal import Preferences

/// A `DecideMany` that is being answered.
private final class ManyDecisions {
  let urls: [UnsafeBufferPointer<UInt8>]
  /// Keeps the URLs' bytes.
  let call: Message
  let invocation: Invocation
  var policy: Policy
  var destinations: [Destination] = []

  init(
    _ urls: [UnsafeBufferPointer<UInt8>], of call: borrowing Message, for invocation: Invocation,
    under policy: Policy
  ) {
    self.urls = urls
    self.call = Message(retaining: call.pointer)
    self.invocation = invocation
    self.policy = policy
    destinations.reserveCapacity(urls.count)
  }
}

extension NavigationService {
  /// `DecideMany`: thousands of URLs are decided in well under a millisecond, but ICU may take
  /// milliseconds for a single host.
  func decideMany(_ call: borrowing Message) throws(BusError) {
    var urls: [UnsafeBufferPointer<UInt8>] = []
    var length = 0
    try call.readURLs { url in
      urls.append(url)
      length += url.count
    }
    let invocation = Invocation(retaining: call)
    do throws(NavigationError) {
      try waitingCalls.admit(invocation, keeping: length)
    } catch {
      return invocation.fail(BusError(error))
    }
    let many = ManyDecisions(urls, of: call, for: invocation, under: settings.policy)
    turns.add { [self] end in goOn(with: many, until: end) }
  }

  private func goOn(with many: ManyDecisions, until end: UInt64) -> Bool {
    if many.policy != settings.policy {
      // Somebody has been told already that the change is made.
      many.policy = settings.policy
      many.destinations.removeAll(keepingCapacity: true)
    }
    while many.destinations.count < many.urls.count {
      many.destinations.append(decider.destination(of: many.urls[many.destinations.count]))
      if many.destinations.count < many.urls.count, Clock.monotonicMicroseconds >= end {
        return false
      }
    }
    many.invocation.reply { (reply) throws(BusError) in
      try reply.appendContainer("a", "s") { () throws(BusError) in
        for destination in many.destinations { try reply.append(destination.rawValue) }
      }
    }
    return true
  }
}
