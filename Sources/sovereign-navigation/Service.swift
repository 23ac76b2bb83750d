internal import Navigation
internal import NavigationClient

extension ToolError {
  /// What a failed call means for the program's status.
  init(calling error: ClientError, about subject: String? = nil) {
    switch error {
    case .unreachable:
      self.init(
        .unreachable, about: subject, "\(error); \(Tool.name) doctor says what to do")
    case .lost, .timedOut: self.init(.unreachable, about: subject, error.description)
    case .refused(let refusal):
      let isForbidden = refusal.code == .notAllowed || refusal.code == .locked
      self.init(isForbidden ? .notAllowed : .failure, about: subject, error.description)
    case .invalidArguments: self.init(.usage, about: subject, error.description)
    }
  }
}

/// The service, connected to when it is first needed.
enum Service {
  static func connect() throws(ToolError) -> NavigationClient {
    do throws(ClientError) {
      return try NavigationClient()
    } catch {
      throw ToolError(calling: error)
    }
  }

  /// Runs one call; `subject` is what the error line names.
  static func call<Result>(
    about subject: String? = nil, _ body: () throws(ClientError) -> Result
  ) throws(ToolError) -> Result {
    do throws(ClientError) {
      return try body()
    } catch {
      throw ToolError(calling: error, about: subject)
    }
  }
}
