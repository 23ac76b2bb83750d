internal import Bus
internal import Desktop
internal import Navigation
internal import NavigationClient

/// `browser` and `shell`.
struct ApplicationCommand {
  enum Role: String {
    case browser
    case shell

    /// The option of the service.
    var option: String { self == .browser ? "Browser" : "Shell" }
  }

  let role: Role

  func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    let id = try arguments.single("desktop-file id")
    guard id == nil || !arguments.has(.reset) else {
      throw ToolError(.usage, "an id and --reset exclude each other")
    }
    guard !arguments.has(.json) || (id == nil && !arguments.has(.reset)) else {
      throw ToolError(.usage, "--json goes with neither an id nor --reset")
    }
    if arguments.has(.reset) {
      try set("")
    } else if let id {
      guard !id.isEmpty else {
        throw ToolError(.usage, "the id is empty; --reset restores the default")
      }
      try set(id)
    } else {
      try show(asJSON: arguments.has(.json))
    }
    return .success
  }

  private func set(_ id: String) throws(ToolError) {
    let client = try Service.connect()
    do throws(ClientError) {
      try client.setOption(role.option, to: id)
    } catch .refused(let refusal) where refusal.code == .noBrowser || refusal.code == .noShell {
      // A name is not an id yet: firefox instead of firefox.desktop.
      let advice =
        id.hasSuffix(".desktop")
        ? "\(Tool.name) \(role.rawValue) lists those that can" : "an id ends in .desktop"
      throw ToolError(.failure, "\(refusal.message); \(advice)")
    } catch {
      throw ToolError(calling: error)
    }
  }

  /// Looked up here, in the session and the preferences that the service has, too.
  private func show(asJSON: Bool) throws(ToolError) {
    let choices = LocalState(try? Connection.answering()).choices
    let candidates = role == .browser ? choices.browserCandidates : choices.shellCandidates
    let chosen = role == .browser ? choices.browser : choices.shell
    if asJSON {
      let rows = candidates.map { candidate in
        JSON.object([
          ("id", .string(candidate.id)), ("source", .string(candidate.source)),
          ("usable", .bool(candidate.unsuitability == nil)),
          ("reason", candidate.unsuitability.map { .string($0.description) } ?? .null),
        ])
      }
      Output.line(
        JSON.object([
          (role.rawValue, chosen.map { .string($0.id) } ?? .null), ("candidates", .array(rows)),
        ]).text)
      return
    }
    guard !candidates.isEmpty else {
      return Output.line("no application was found that could be the \(role.rawValue)")
    }
    for candidate in candidates {
      let mark = candidate.id == chosen?.id ? "* " : "  "
      let verdict =
        candidate.unsuitability?.description ?? (mark == "* " ? "is used" : "could be used")
      Output.line(
        "\(mark)\(Output.printable(candidate.id)): \(Output.printable(verdict)) "
          + "(named by \(Output.printable(candidate.source)))")
    }
  }
}
