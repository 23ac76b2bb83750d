internal import Bus
internal import Desktop
internal import NavigationClient
internal import Preferences

enum StatusCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    guard arguments.operands.isEmpty else { throw ToolError(.usage, "it takes no arguments") }
    let client = try Service.connect()
    let state = try Service.call { () throws(ClientError) in try client.state() }
    // Where no URL is asked about, it explains who is active all the same.
    let explanation = try Service.call { () throws(ClientError) in try client.explain("") }
    let source = explanation["active-source"] ?? ""
    let locks = explanation.locks
    let process = try Service.call { () throws(ClientError) in try client.processID() }
    let owner = process.map(ServiceLook.Owner.init)
    let isReplaced = owner?.isReplaced ?? false
    let local = LocalState(try? Connection.answering())
    let handlers = local.webHandlers

    if arguments.has(.json) {
      Output.line(
        JSON.object([
          ("process-id", process.map { .number(Int64($0)) } ?? .null),
          ("executable", owner?.program.map { .string($0) } ?? .null),
          ("executable-replaced", .bool(isReplaced)),
          ("version", .number(Int64(state.version))),
          ("active-origin", .string(state.activeOrigin)), ("active-source", .string(source)),
          ("instances", .number(Int64(state.instances.count))),
          ("browser", .string(state.browser)), ("shell", .string(state.shell)),
          ("default-handler", handlers.first?.source.map { .string($0.id) } ?? .null),
          ("default", .bool(state.isRegistered)),
          ("locked", .array(state.locked.map(JSON.string))), ("locked-by", JSON(locks)),
        ]).text)
      return .success
    }
    let running =
      isReplaced
      ? "running, but its program was replaced; restart it to use the new one" : "running"
    row("service", "\(running)\(process.map { " (process \($0))" } ?? "")")
    row(
      "active",
      (state.activeOrigin.isEmpty ? "none" : state.activeOrigin)
        + origin(of: source, local.preferences))
    row("instances", String(state.instances.count))
    row("browser", state.browser.isEmpty ? "none" : state.browser)
    row("shell", state.shell.isEmpty ? "none" : state.shell)
    let isOne = handlers.allSatisfy { $0.source == handlers.first?.source }
    for handler in isOne ? Array(handlers.prefix(1)) : handlers {
      row("default", handler.description + (isOne ? "" : " (for \(handler.scheme))"))
    }
    for lock in state.locked { row("locked", lock + (locks[lock].map { ", by \($0)" } ?? "")) }
    return .success
  }

  /// - Parameter source: The file that says which instance is active; empty if none does.
  private static func origin(of source: String, _ preferences: PreferenceStore) -> String {
    guard !source.isEmpty else { return "" }
    if source == preferences.paths.good {
      return ", named by \(source), for \(preferences.paths.file) does not say"
    }
    // Of an administrator's there is no copy.
    let isUsed = !preferences.diagnostics.contains { $0.path == source && $0.problem.isOfAll }
    return ", named by \(source)" + (isUsed ? "" : " when that could last be used")
  }

  private static func row(_ title: String, _ value: String) {
    let padding = String(repeating: " ", count: max(0, 10 - title.utf8.count))
    Output.line("\(title)\(padding) \(Output.printable(value))")
  }
}
