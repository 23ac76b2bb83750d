internal import Bus
internal import Launcher
internal import Navigation
internal import Preferences
internal import WebOrigin

/// The links of one call that were not opened. There may be thousands: of those with the same reason a few
/// are named, and the others counted.
struct UnopenedLinks {
  private static let limitOfReason = 3
  private static let limit = 32

  private var named: [(index: Int, link: Decision, error: NavigationError)] = []
  private var others = 0

  /// - Parameter index: Of the link in the call.
  mutating func add(_ error: NavigationError, of link: Decision, _ index: Int) {
    let same = named.filter { $0.error.message == error.message }
    guard named.count < Self.limit, same.count < Self.limitOfReason,
      !same.contains(where: { $0.link.subject == link.subject })
    else {
      others += 1
      return
    }
    named.append((index, link, error))
  }

  /// Gives what is to be said to `body`, in the order of the links.
  func report(_ body: (NavigationError, Decision) -> Void) {
    for failure in named.sorted(by: { $0.index < $1.index }) { body(failure.error, failure.link) }
    guard others > 0 else { return }
    Journal.log(
      .error, "further links of the same call that were not opened: \(others)",
      fields: [("MESSAGE_ID", MessageID.notOpened)])
  }
}

extension NavigationService {
  /// Between notifications, and between reports of a flood; in microseconds.
  private static let pause: UInt64 = 10_000_000

  func report(_ error: NavigationError, of link: Decision?, notifies: Bool) {
    report(error.message, of: link, notifies: notifies)
  }

  /// Says why something was not opened: in the journal, and to the user where the caller cannot.
  ///
  /// - Parameters:
  ///   - reason: Without any part of the link.
  ///   - link: `nil` where an application was to start with nothing to open.
  func report(_ reason: String, of link: Decision?, notifies: Bool) {
    let what =
      link.map { "\($0.subject) → \($0.destination.rawValue) (\($0.reason.rawValue))" }
      ?? "an application"
    Journal.log(
      .error, "\(what) was not opened: \(reason)",
      fields: [("MESSAGE_ID", MessageID.notOpened)])
    if notifies { show(FailureNotice(of: link, reason: reason)) }
  }

  /// Says so of a call that was not let in. There may be thousands of those.
  func reportRefusal(
    _ error: NavigationError, of link: @autoclosure () -> Decision?, notifies: Bool
  ) {
    guard loop.now >= nextRefusal else { return }
    nextRefusal = loop.now + Self.pause
    report(error, of: link(), notifies: notifies)
  }

  /// Shows a notification, unless another one was shown a moment ago. Nobody waits for it.
  private func show(_ notice: FailureNotice) {
    guard settings.notify, loop.now >= nextNotice else { return }
    nextNotice = loop.now + Self.pause
    do throws(BusError) {
      let call = try notice.makeCall(on: connection)
      try connection.send(call) { reply in
        if let error = reply.error { Self.reportUnshown(error) }
      }
    } catch {
      Self.reportUnshown(error)
    }
  }

  private static func reportUnshown(_ error: BusError) {
    Journal.log(.info, "no notification was shown: \(error.message)")
  }
}

extension Decision {
  /// What the journal may name of a link: paths and queries are the user's.
  var subject: String {
    if let origin = origin ?? instance?.origin { return origin.description }
    return url.isEmpty ? "a link" : "\(url.prefix { $0 != ":" }):"
  }
}
