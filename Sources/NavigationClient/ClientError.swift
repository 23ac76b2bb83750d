internal import Bus
public import Navigation

/// Why the service did not do what it was asked.
public enum ClientError: Error, Hashable, Sendable {
  /// There is no session bus, or nothing on it provides the service; the reason, in words.
  ///
  /// Nothing was done. Have an answer of your own: open the link in the browser.
  case unreachable(String)
  /// The service was lost after the call was sent, so that nobody knows whether it was carried out.
  case lost(String)
  /// The service did not answer in time; it may still carry the call out.
  case timedOut(String)
  /// The service refused.
  case refused(NavigationError)
  /// The call does not fit the interface: an unknown option, a wrong type, a text with NUL; the reason, in
  /// words.
  case invalidArguments(String)

  init(_ error: BusError) {
    if let refusal = NavigationError(name: error.name, message: error.message) {
      self = .refused(refusal)
    } else if error.name == BusError.invalidArguments {
      self = .invalidArguments(error.message)
    } else if error.isTimeout {
      self = .timedOut(error.message)
    } else if error.name == BusError.noReply {
      self = .lost(error.message)
    } else {
      self = .unreachable(error.message)
    }
  }
}

extension ClientError: CustomStringConvertible {
  /// A sentence that says what went wrong.
  public var description: String {
    switch self {
    case .unreachable(let reason): "the service cannot be reached: \(reason)"
    case .lost(let reason): "the service was lost: \(reason)"
    case .timedOut(let reason): "the service did not answer in time: \(reason)"
    case .refused(let error): error.message
    case .invalidArguments(let reason): reason
    }
  }
}
