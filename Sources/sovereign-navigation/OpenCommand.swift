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
    var options = OpenOptions(
      activationToken: variable("XDG_ACTIVATION_TOKEN"),
      startupID: variable("DESKTOP_STARTUP_ID"), forcesBrowser: forcesBrowser,
      environment: displayVariables,
      notifies: isatty(STDERR_FILENO) == 0)
    var opener = Opener()
    var status = ExitStatus.success
    // Without a URL there is something to start all the same.
    let targets =
      arguments.operands.isEmpty ? [.start(action)] : arguments.operands.map(Target.link)
    for target in targets {
      do throws(ToolError) {
        try opener.open(target, options)
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

  /// What the caller says of its display. Where it has none, that is nothing: the session's has its own.
  private static var displayVariables: [String: String] {
    let variables = LaunchContext.allowedVariables.map { ($0, variable($0)) }
    let environment = Dictionary(uniqueKeysWithValues: variables).compactMapValues { $0 }
    guard Display(environment) == nil else { return environment }
    return environment.filter { !Display.variables.contains($0.key) }
  }

  /// A variable of this process; `nil` also if it is not text, which the service could only be told wrongly.
  private static func variable(_ name: String) -> String? {
    getenv(name).flatMap { String(validatingCString: $0) }
  }
}

/// Asks the service, as long as there is one; otherwise does what it would do.
private struct Opener {
  private var service: NavigationClient?
  /// Whether there may be a bus; one that is not there is looked for once.
  private let hasBus: Bool
  private var local: LocalOpener?

  init() {
    service = try? NavigationClient()
    hasBus = service != nil
  }

  mutating func open(_ target: Target, _ options: OpenOptions) throws(ToolError) {
    if let service {
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
        case .unreachable, .timedOut: self.service = nil
        }
      }
    }
    try localOpener().open(target, options)
  }

  private mutating func localOpener() throws(ToolError) -> LocalOpener {
    if let local { return local }
    do throws(BusError) {
      let opener = try LocalOpener(hasBus ? try? Connection.answering() : nil)
      local = opener
      return opener
    } catch {
      throw ToolError(.failure, error.message)
    }
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
private struct LocalOpener {
  private let connection: Connection?
  private let state: LocalState
  private let loop: EventLoop
  private let launcher: Launcher

  /// How long a notification may take to be shown, in microseconds.
  private static let patience: UInt64 = 5_000_000
  /// How many applications may send a link on, each to the next one.
  private static let chainLimit = 8
  /// The applications that led to this process, as far as it was told.
  private static let chain =
    Session.ownEnvironment[LaunchContext.chainVariable].flatMap { Int($0) } ?? 0

  init(_ connection: Connection?) throws(BusError) {
    let loop = try EventLoop()
    self.connection = connection
    self.loop = loop
    state = LocalState(connection)
    try connection?.attach(to: loop)
    launcher = Launcher(
      connection: connection,
      manager: connection.map { UserManager(connection: $0, loop: loop) }, loop: loop)
  }

  func open(_ target: Target, _ options: OpenOptions) throws(ToolError) {
    var decision: Decision?
    do throws(NavigationError) {
      if let problem = BaseDirectories.ownProblem { throw NavigationError(.storeFailed, problem) }
      switch target {
      case .link(let url):
        let policy = state.settings.policy
        let link = policy.decide(url)
        decision = link
        // Only the service makes an instance the active one.
        let handover = try link.handover(
          in: policy, among: state.choices,
          options: HandoverOptions(
            forcesBrowser: options.forcesBrowser, isActiveLocked: true,
            shellInstances: state.shellInstances))
        try start(handover.entry, [handover.url], options)
      case .start(let action):
        try start(try state.choices.application(for: action), [], options)
      }
    } catch {
      if options.notifies, state.settings.notify, let connection {
        let call = try? FailureNotice(of: decision, reason: error.message).makeCall(on: connection)
        if let call { _ = try? connection.call(call, timeout: Self.patience) }
      }
      throw ToolError(.failure, about: target.url, error.message)
    }
  }

  private func start(
    _ entry: DesktopEntry, _ urls: [String], _ options: OpenOptions
  ) throws(NavigationError) {
    let chain = Self.chain
    guard chain < Self.chainLimit else {
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
      if let error = launch(plan, context) { throw NavigationError(.launchFailed, error) }
    }
  }

  /// Starts one application and waits until it has started. Returns why it has not.
  private func launch(_ plan: LaunchPlan, _ context: LaunchContext) -> String? {
    var outcome: LaunchError??
    launcher.launch(plan, in: state.session, context: context) { outcome = .some($0) }
    do throws(BusError) {
      while outcome == nil { try loop.step() }
    } catch {
      return error.message
    }
    return outcome.flatMap { $0?.description }
  }
}
