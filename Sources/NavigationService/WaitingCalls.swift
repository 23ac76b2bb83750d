internal import Bus
internal import Navigation

/// The calls that wait for their answer, and how much text they keep meanwhile.
final class WaitingCalls {
  private struct Share {
    var calls = 0
    /// In bytes.
    var length = 0

    mutating func add(_ calls: Int, _ length: Int) {
      self.calls += calls
      self.length += length
    }

    func hasRoom(for length: Int, upTo limit: Share) -> Bool {
      calls < limit.calls && self.length + length <= limit.length
    }
  }

  /// Of one sender: no flood of one program keeps the others from asking.
  private static let limitOfSender = Share(calls: 128, length: Limits.totalLength)
  private static let limit = Share(calls: 512, length: 4 * Limits.totalLength)

  private var all = Share()
  private var senders: [String: Share] = [:]

  /// Lets a call wait, as long as somebody holds on to it, or says why not.
  ///
  /// - Parameter length: Of the text that is kept for it, in bytes.
  func admit(_ invocation: Invocation, keeping length: Int) throws(NavigationError) {
    let sender = invocation.sender ?? ""
    guard all.hasRoom(for: length, upTo: Self.limit),
      senders[sender, default: Share()].hasRoom(for: length, upTo: Self.limitOfSender)
    else {
      throw NavigationError(
        .limitExceeded, "too many calls wait for their answer; try again when they have theirs")
    }
    add(1, length, of: sender)
    invocation.whenGone = { [self] in add(-1, -length, of: sender) }
  }

  private func add(_ calls: Int, _ length: Int, of sender: String) {
    all.add(calls, length)
    senders[sender, default: Share()].add(calls, length)
    if senders[sender]?.calls == 0 { senders[sender] = nil }
  }
}
