internal import Bus
internal import Desktop
internal import Files
internal import Glibc
internal import Launcher
internal import Navigation
internal import NavigationClient
internal import Preferences

enum OpenCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    let forcesBrowser = arguments.has(.browser)
    let startsShell = arguments.has(.shell)
    guard !startsShell || (!forcesBrowser && arguments.operands.isEmpty) else {
      throw ToolError(.usage, "--shell takes no URLs: where they belong is decided")
    }
    let action: DesktopAction? = startsShell ? .shell : forcesBrowser ? .browser : nil
    let variables = LaunchContext.allowedVariables.map { ($0, variable($0)) }
    var options = OpenOptions(
      activationToken: variable("XDG_ACTIVATION_TOKEN"),
      startupID: variable("DESKTOP_STARTUP_ID"), forcesBrowser: forcesBrowser,
      environment: Dictionary(uniqueKeysWithValues: variables).compactMapValues { $0 },
      notifies: isatty(STDERR_FILENO) == 0)
    var client = try? NavigationClient()
    var hasBus = client != nil
    var status = ExitStatus.success
    // Without a URL there is something to start all the same.
    let targets =
      arguments.operands.isEmpty ? [.start(action)] : arguments.operands.map(Target.link)
    for target in targets {
      do throws(ToolError) {
        try open(target, options, &client, &hasBus)
        // Both are good for one application only.
        options.activationToken = nil
        options.startupID = nil
      } catch {
        Output.error(error.subject ?? Command.open.rawValue, error.message)
        // One notification is enough.
        options.notifies = false
        if status == .success { status = error.status }
      }
    }
    return status
  }

  /// A variable of this process; `nil` also if it is not text, which the service could only be told wrongly.
  private static func variable(_ name: String) -> String? {
    getenv(name).flatMap { String(validatingCString: $0) }
  }

  /// Asks the service, as long as there is one; otherwise does what it would do.
  private static func open(
    _ target: Target, _ options: OpenOptions, _ client: inout NavigationClient?,
    _ hasBus: inout Bool
  ) throws(ToolError) {
    if let service = client {
      do throws(ClientError) {
        switch target {
        case .link(let url): _ = try service.open(url, options)
        case .start(let action): try service.activate(action, options)
        }
        return
      } catch {
        switch error {
        case .refused, .invalidArguments: throw ToolError(calling: error, about: target.url)
        // Better twice than never.
        case .lost: break
        // The next link would wait as long again.
        case .unreachable, .timedOut: client = nil
        }
      }
    }
    try LocalOpener.open(target, options, &hasBus)
  }
}

/// What is to be opened.
private enum Target {
  case link(String)
  /// An application with nothing to open; without an action the browser, else the shell.
  case start(DesktopAction?)

  var url: String? {
    if case .link(let url) = self { url } else { nil }
  }
}

/// Opens links without the service, by the same decision and the same launches.
private enum LocalOpener {
  /// How long a notification may take to be shown, in microseconds.
  private static let patience: UInt64 = 5_000_000
  /// How many applications may send a link on, each to the next one.
  private static let chainLimit = 8
  /// The applications that led to this process, as far as it was told.
  private static let chain =
    Session.ownEnvironment[LaunchContext.chainVariable].flatMap { Int($0) } ?? 0

  /// - Parameter hasBus: Whether there may be a bus; one that is not there is looked for once.
  static func open(
    _ target: Target, _ options: OpenOptions, _ hasBus: inout Bool
  ) throws(ToolError) {
    let connection = hasBus ? try? Connection.answering() : nil
    hasBus = connection != nil
    let state = LocalState(connection)
    var decision: Decision?
    do throws(NavigationError) {
      if let problem = BaseDirectories.ownProblem { throw NavigationError(.storeFailed, problem) }
      switch target {
      case .link(let url):
        let link = state.settings.policy.decide(url)
        decision = link
        let handover = try handover(of: link, options, state)
        try start(handover.entry, [handover.url], options, state, connection)
      case .start(let action):
        try start(try state.choices.application(for: action), [], options, state, connection)
      }
    } catch {
      if options.notifies, state.settings.notify, let connection {
        let call = try? FailureNotice(of: decision, reason: error.message).makeCall(on: connection)
        if let call { _ = try? connection.call(call, timeout: patience) }
      }
      throw ToolError(.failure, about: target.url, error.message)
    }
  }

  private static func handover(
    of link: Decision, _ options: OpenOptions, _ state: LocalState
  ) throws(NavigationError) -> Handover {
    let policy = state.settings.policy
    let handover = try link.handover(
      in: policy, among: state.choices,
      options: HandoverOptions(
        forcesBrowser: options.forcesBrowser, shellInstances: state.shellInstances))
    guard handover.destination == .switch else { return handover }
    // Only the service makes an instance the active one.
    return try link.handover(
      in: policy, among: state.choices, options: HandoverOptions(forcesBrowser: true))
  }

  private static func start(
    _ entry: DesktopEntry, _ urls: [String], _ options: OpenOptions, _ state: LocalState,
    _ connection: Connection?
  ) throws(NavigationError) {
    guard chain < chainLimit else {
      throw NavigationError(
        .loopDetected,
        "\(entry.id) is not started: \(chain) applications have sent on what they were given; "
          + "set another application, or turn off link forwarding in this one")
    }
    // Nobody remembers launches between two processes; the service, where it runs, needs no such mark.
    var context = LaunchContext(
      asked: options.activationToken, startupID: options.startupID,
      environment: options.environment)
    context.environment[LaunchContext.chainVariable] = "\(max(chain, 0) + 1)"
    let plans: [LaunchPlan]
    do throws(LaunchPlanError) {
      plans = try entry.launchPlans(urls: urls, searchPath: state.choices.searchPath)
    } catch {
      throw NavigationError(.launchFailed, error.description)
    }
    for plan in plans {
      if let error = launch(plan, in: state.session, context, connection) {
        throw NavigationError(.launchFailed, error)
      }
    }
  }

  /// Starts one application and waits until it has started. Returns why it has not.
  private static func launch(
    _ plan: LaunchPlan, in session: Session, _ context: LaunchContext, _ connection: Connection?
  ) -> String? {
    do throws(BusError) {
      let loop = try EventLoop()
      try connection?.attach(to: loop)
      let manager = connection.map { UserManager(connection: $0, loop: loop) }
      let launcher = Launcher(connection: connection, manager: manager, loop: loop)
      var failure: String?
      launcher.launch(plan, in: session, context: context) { error in
        failure = error?.description
        loop.exit(0)
      }
      _ = try loop.run()
      return failure
    } catch {
      return error.message
    }
  }
}
