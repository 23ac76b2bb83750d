internal import Bus
internal import Desktop
internal import Files
internal import Glibc
internal import Launcher
internal import NavigationClient
internal import Preferences

enum ForgetCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    guard arguments.operands.isEmpty else { throw ToolError(.usage, "it takes no arguments") }
    let files = files
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
      try delete()
      return .success
    }
    try RegisterCommand.unregister()
    // Before it changes a setting it looks at the files, and nothing is left of this one to be changed.
    defer { try? service.setOption("Notify", to: "") }
    try delete()
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
  private static var files: [String] {
    let directories = BaseDirectories(environment: Session.ownEnvironment)
    let paths = PreferencePaths(directories)
    let record = Registrar(directories, state: directories).recordPath
    return ([paths.file] + paths.brokenCopies + [paths.good, paths.followed, record])
      .filter { path in
        var status = stat()
        return lstat(path, &status) == 0
      }
  }

  private static func delete() throws(ToolError) {
    var failure: FileError?
    for path in files {
      do throws(FileError) {
        try DurableFile(path: path).remove()
      } catch {
        failure = failure ?? error
      }
    }
    let paths = PreferencePaths(BaseDirectories(environment: Session.ownEnvironment))
    for path in [paths.file, paths.good] { DurableFile(path: path).removeLeftovers() }
    // What somebody else put there stays, and so does the directory.
    for path in [paths.file, paths.good] { rmdir(parent(of: path)) }
    if let failure { throw ToolError(.failure, "not everything is deleted: \(failure)") }
  }

  private static func isConfirmed(_ count: Int) -> Bool {
    let what = count == 0 ? "" : count == 1 ? " and delete this file" : " and delete these files"
    let answer = Output.answer(to: "Unregister\(what)? [y/N]") ?? ""
    return ["y", "yes"].contains(answer.lowercased())
  }
}
