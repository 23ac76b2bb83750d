internal import Bus
internal import Desktop
internal import Files
internal import Glibc
internal import Navigation
internal import NavigationClient
internal import Preferences

enum ForgetCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    guard arguments.operands.isEmpty else { throw ToolError(.usage, "it takes no arguments") }
    let state = LocalState(try? Connection.answering())
    let files = files(state)
    for path in files { Output.line(Output.printable(path)) }
    if !arguments.has(.yes) {
      guard isatty(STDIN_FILENO) == 1 else {
        throw ToolError(
          .usage, "nothing is deleted: there is no terminal to ask in; --yes does without")
      }
      guard isConfirmed(files.count) else { throw ToolError(.failure, "nothing is changed") }
    }
    guard let service = runningService else {
      try RegisterCommand.unregisterOurselves()
      try delete(state)
      return .success
    }
    try RegisterCommand.unregister()
    do {
      // Before it changes a setting it looks at the files, and nothing is left of this one to be changed.
      defer { try? service.setOption("Notify", to: "") }
      try delete(state)
    }
    try checkThatAllIsForgotten(by: service, state.preferences.paths)
    return .success
  }

  /// One that does not run is not started to be forgotten: it might follow a shell's store.
  private static var runningService: NavigationClient? {
    guard let client = try? NavigationClient(), ((try? client.processID()) ?? nil) != nil else {
      return nil
    }
    return client
  }

  /// What there is now: the preferences first, so that whatever is left does not bring them back.
  private static func files(_ state: LocalState) -> [String] {
    let paths = state.preferences.paths
    let record = state.registrar.recordPath
    return ([paths.file] + paths.brokenCopies + [paths.good, paths.followed, record])
      .filter { path in
        var status = stat()
        return lstat(path, &status) == 0
      }
  }

  private static func delete(_ state: LocalState) throws(ToolError) {
    var failure: FileError?
    for path in files(state) {
      do throws(FileError) {
        try DurableFile(path: path).remove()
      } catch {
        failure = failure ?? error
      }
    }
    let paths = state.preferences.paths
    for path in [paths.file, paths.good] { DurableFile(path: path).removeLeftovers() }
    // What somebody else put there stays, and so does the directory.
    for path in [paths.file, paths.good] { rmdir(parent(of: path)) }
    if let failure { throw ToolError(.failure, "not everything is deleted: \(failure)") }
  }

  /// Its files may be others than those that were deleted.
  private static func checkThatAllIsForgotten(
    by service: NavigationClient, _ paths: PreferencePaths
  ) throws(ToolError) {
    func remaining() throws(ToolError) -> Int {
      let state = try Service.call { () throws(ClientError) in try service.state() }
      // Of a store that it follows again it has instances again.
      let followed = FollowedStore(paths).instances
      return state.instances.count { instance in
        guard !instance.isPreset else { return false }
        return (try? InstanceAddress(instance.origin).origin)
          .map { followed?.contains($0) != true } ?? true
      }
    }
    var count = try remaining()
    // A file without a copy of its good state may be away only for a moment, and is waited for.
    for _ in 0..<10 where count > 0 {
      usleep(100_000)
      count = try remaining()
    }
    guard count > 0 else { return }
    throw ToolError(
      .failure,
      "the service still has \(count) instance\(count == 1 ? "" : "s"): it keeps its files elsewhere "
        + "than this terminal's environment says; run this in a terminal of the desktop session, or "
        + "remove what `\(Tool.name) instances` lists")
  }

  private static func isConfirmed(_ count: Int) -> Bool {
    let what = count == 0 ? "" : count == 1 ? " and delete this file" : " and delete these files"
    let answer = Output.answer(to: "Unregister\(what)? [y/N]") ?? ""
    return ["y", "yes"].contains(answer.lowercased())
  }
}
