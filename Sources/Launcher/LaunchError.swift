/// Why an application did not start.
package enum LaunchError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The program did not run, or the application refused.
  case failed(application: String, reason: String)

  package var description: String {
    switch self {
    case .failed(let application, let reason): "\(application) did not start: \(reason)"
    }
  }
}
