internal import Bus
internal import Files
internal import Glibc
internal import Navigation
internal import NavigationClient
internal import Preferences
internal import WebOrigin

enum ImportCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    let path =
      try arguments.single("file")
      ?? LocalState(try? Connection.answering()).preferences.paths.shellStore
    let (store, flaws) = try read(path) { usleep(200_000) }
    let client = try Service.connect()

    var problems: [(subject: String?, message: String)] = flaws.map { (path, $0.description) }
    var status = flaws.isEmpty ? ExitStatus.success : .failure
    /// One that the service refuses does not keep the others from being stored.
    func attempt<Result>(
      _ origin: Origin, _ call: () throws(ClientError) -> Result
    ) throws(ToolError) -> Bool {
      do throws(ToolError) {
        _ = try Service.call(about: origin.description, call)
        return true
      } catch {
        guard error.status == .failure || error.status == .notAllowed else { throw error }
        problems.append((error.subject, error.message))
        if status == .success { status = error.status }
        return false
      }
    }

    var stored: [Instance] = []
    for instance in store.instances {
      let isStored = try attempt(instance.origin) { () throws(ClientError) in
        try client.addInstance(
          instance.origin.description, label: instance.givenLabel, activate: false,
          addedAt: instance.addedAt)
      }
      if isStored { stored.append(instance) }
    }
    var active: Origin?
    if let origin = store.active,
      try attempt(origin, { () throws(ClientError) in try client.setActive(origin.description) })
    {
      active = origin
    }

    for instance in stored {
      let columns = [instance.origin.description, Output.printable(instance.label)]
      Output.line(
        (columns + (instance.origin == active ? ["active"] : [])).joined(separator: "\t"))
    }
    if store.instances.isEmpty { Output.error(path, "it holds no instances") }
    for problem in problems { Output.error(problem.subject, problem.message) }
    return status
  }

  /// - Parameter pause: Lets the shell go on if it seems to be writing the file.
  static func read(
    _ path: String, pause: () -> Void
  ) throws(ToolError) -> (ShellStore, [ShellStoreFlaw]) {
    do throws(ShellStoreError) {
      do throws(ShellStoreError) {
        return try ShellStore.read(ShellStore.bytes(at: path))
      } catch .notJSON {
        pause()
        return try ShellStore.read(ShellStore.bytes(at: path))
      }
    } catch .file(let error) {
      let which = "name the file in which the shell stores its instances"
      switch error.cause {
      case .absent where path.unicodeScalars.contains("\u{FFFD}"):
        // Arguments are text here, and of what is not UTF-8 the text is another name.
        throw ToolError(
          .failure, about: path,
          "it does not exist, or its name is not UTF-8; rename it, or \(which)")
      case .absent: throw ToolError(.failure, about: path, "it does not exist; \(which)")
      case .notRegular: throw ToolError(.failure, about: path, "it is not a regular file; \(which)")
      default: throw ToolError(.failure, error.description)
      }
    } catch {
      throw ToolError(.failure, about: path, error.description)
    }
  }
}
