/// One way to start one application with its URLs.
package struct LaunchPlan: Hashable, Sendable {
  /// A program and its arguments, each taken literally.
  package struct Execution: Hashable, Sendable {
    /// An absolute path.
    package let program: String
    /// With the program's name as the first.
    package let arguments: [String]
    package let workingDirectory: String?
  }

  package enum Method: Hashable, Sendable {
    /// The application is activated under `name` and then sent `uris`; where it cannot be activated,
    /// `fallback` is run.
    case bus(name: String, objectPath: String, uris: [String], fallback: Execution?)
    case exec(Execution)
  }

  /// The desktop-file id.
  package let applicationID: String
  /// What the user calls the application.
  package let applicationName: String
  package let method: Method
}

/// Why an application cannot be started with what it is to open.
package enum LaunchPlanError: Error, Hashable, Sendable {
  case notRunnable(application: String, ExecLineError)
  case hasNoCommand(application: String)
  case programNotFound(application: String, program: String)
  /// A URL, encoded, is longer than the kernel lets an argument be.
  case urlTooLong
}

extension LaunchPlanError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notRunnable(let application, let error): "\(application) cannot be run: \(error)"
    case .hasNoCommand(let application): "\(application) cannot be run: it has no Exec"
    case .programNotFound(let application, let program):
      "\(application) cannot be run: its program \(program) is not there; install it or set "
        + "another application"
    case .urlTooLong:
      "the link is longer than \(LaunchPlan.argumentLimit) bytes, the most that a program can be "
        + "given"
    }
  }
}

extension LaunchPlan {
  /// The longest argument of a program, without its terminating NUL: MAX_ARG_STRLEN in execve(2).
  package static let argumentLimit = 131_071
}

extension DesktopEntry {
  /// What starts this application with `urls`, or by itself without any: one plan for each launch.
  ///
  /// - Parameter searchPath: Where programs are looked for, as in `PATH`.
  package func launchPlans(
    urls: [String], searchPath: String
  ) throws(LaunchPlanError) -> [LaunchPlan] {
    guard let busName else {
      return try executions(urls: urls, searchPath: searchPath).map { execution in
        LaunchPlan(applicationID: id, applicationName: name, method: .exec(execution))
      }
    }
    // Each launch needs a fallback that opens the same URLs.
    let launches = takesSeveralURLs || urls.isEmpty ? [urls] : urls.map { [$0] }
    return launches.map { uris in
      let executions = try? executions(urls: uris, searchPath: searchPath)
      return LaunchPlan(
        applicationID: id, applicationName: name,
        method: .bus(
          name: busName, objectPath: Self.objectPath(ofBusName: busName), uris: uris,
          fallback: executions?.first))
    }
  }

  /// Whether one launch takes several URLs.
  package var takesSeveralURLs: Bool {
    guard let line = exec.flatMap({ try? ExecLine($0) }) else { return busName != nil }
    return line.targets == .manyURLs
  }

  private func executions(
    urls: [String], searchPath: String
  ) throws(LaunchPlanError) -> [LaunchPlan.Execution] {
    guard let exec else { throw .hasNoCommand(application: id) }
    let line: ExecLine
    do throws(ExecLineError) {
      line = try ExecLine(exec)
    } catch {
      throw .notRunnable(application: id, error)
    }
    guard let program = Executable.find(line.program, searchPath: searchPath) else {
      throw .programNotFound(application: id, program: line.program)
    }
    let commandLines = line.commandLines(urls: urls, entry: self)
    guard commandLines.joined().allSatisfy({ $0.utf8.count <= LaunchPlan.argumentLimit }) else {
      throw .urlTooLong
    }
    guard needsTerminal else {
      return commandLines.map { arguments in
        LaunchPlan.Execution(
          program: program, arguments: arguments, workingDirectory: workingDirectory)
      }
    }
    guard let terminal = Terminal.find(searchPath: searchPath) else {
      throw .programNotFound(application: id, program: "xdg-terminal-exec")
    }
    return commandLines.map { arguments in
      LaunchPlan.Execution(
        program: terminal.program,
        arguments: terminal.arguments + [program] + arguments.dropFirst(),
        workingDirectory: workingDirectory)
    }
  }
}
