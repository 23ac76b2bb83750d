internal import Bus
internal import Desktop
internal import NavigationClient

/// `register` and `unregister`.
enum RegisterCommand {
  /// A handler that cannot be reached would lose every link, so that only the service makes itself one.
  static func register(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    guard arguments.operands.isEmpty else { throw ToolError(.usage, "it takes no arguments") }
    if arguments.has(.check) { return check(asJSON: arguments.has(.json)) }
    guard !arguments.has(.json) else { throw ToolError(.usage, "--json goes with --check") }
    let client = try Service.connect()
    try Service.call { () throws(ClientError) in try client.register() }
    // Here the desktop may be another than the service was told of.
    let state = LocalState(try? Connection.answering())
    for handler in state.webHandlers {
      guard !handler.isOurs, let source = handler.source else { continue }
      throw ToolError(
        .failure,
        "all is written, but here the default for \(handler.scheme): links is still \(source.id), "
          + "named by \(source.file); take it out there")
    }
    if let finding = state.browserFindings.last {
      Output.error(
        "register",
        "it is done, but "
          + (state.lacksBrowser
            ? "links to anything but your instance have nowhere to go: " : "")
          + "\(finding.what); \(finding.remedy)")
    }
    return .success
  }

  /// Leaving works without the service, too.
  static func unregister(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    guard arguments.operands.isEmpty else { throw ToolError(.usage, "it takes no arguments") }
    try unregister()
    return .success
  }

  static func unregister() throws(ToolError) {
    do throws(ClientError) {
      try NavigationClient().unregister()
    } catch {
      switch error {
      case .refused, .invalidArguments: throw ToolError(calling: error)
      case .unreachable, .timedOut, .lost: try unregisterOurselves()
      }
    }
  }

  static func unregisterOurselves() throws(ToolError) {
    do throws(RegistrationError) {
      try LocalState(try? Connection.answering()).registrar.unregister()
    } catch {
      throw ToolError(.failure, error.description)
    }
  }

  private static func check(asJSON: Bool) -> ExitStatus {
    let handlers = LocalState(try? Connection.answering()).webHandlers
    let areOurs = handlers.allSatisfy(\.isOurs)
    if asJSON {
      let rows = handlers.map { handler in
        JSON.object([
          ("scheme", .string(handler.scheme)),
          ("handler", handler.source.map { .string($0.id) } ?? .null),
          ("source", handler.source.map { .string($0.file) } ?? .null),
        ])
      }
      Output.line(JSON.object([("default", .bool(areOurs)), ("handlers", .array(rows))]).text)
    } else {
      for handler in handlers {
        Output.line("\(handler.scheme): \(Output.printable(handler.description))")
      }
    }
    return areOurs ? .success : .failure
  }
}
