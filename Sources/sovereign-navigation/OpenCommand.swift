internal import Bus
internal import Desktop
internal import Glibc
internal import Launcher
internal import Navigation
internal import NavigationClient
internal import Preferences

enum OpenCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    let forcesBrowser = arguments.has(.browser)
    let environment = Session.ownEnvironment
    var options = OpenOptions(
      activationToken: environment["XDG_ACTIVATION_TOKEN"],
      startupID: environment["DESKTOP_STARTUP_ID"], forcesBrowser: forcesBrowser,
      environment: environment.filter { LaunchContext.allowedVariables.contains($0.key) })
    var client = try? NavigationClient()
    var status = ExitStatus.success
    // Without a URL there is something to start all the same.
    for url in arguments.operands.isEmpty ? [nil] : arguments.operands.map(Optional.some) {
      do throws(ToolError) {
        try open(url, options, &client)
        // Both are good for one application only.
        options.activationToken = nil
        options.startupID = nil
      } catch {
        Output.error(error.subject, error.message)
        if status == .success { status = error.status }
      }
    }
    return status
  }

  /// Asks the service, as long as there is one; otherwise does what it would do.
  private static func open(
    _ url: String?, _ options: OpenOptions, _ client: inout NavigationClient?
  ) throws(ToolError) {
    if let service = client {
      do throws(ClientError) {
        if let url {
          _ = try service.open(DecideCommand.sendable(url), options)
        } else {
          try service.activate(options)
        }
        return
      } catch {
        switch error {
        case .refused, .invalidArguments: throw ToolError(calling: error, about: url)
        // Better twice than never.
        case .lost: break
        // The next link would wait as long again.
        case .unreachable, .timedOut: client = nil
        }
      }
    }
    try LocalOpener.open(url, options)
  }
}

/// Opens links without the service, by the same decision and the same launches.
private enum LocalOpener {
  static func open(_ url: String?, _ options: OpenOptions) throws(ToolError) {
    let connection = try? Connection()
    let state = LocalState(connection)
    let (entry, urls) = try application(for: url, options, state)
    let context = LaunchContext(
      activationToken: options.activationToken, startupID: options.startupID,
      environment: options.environment)
    let plans: [LaunchPlan]
    do throws(LaunchPlanError) {
      plans = try entry.launchPlans(urls: urls, searchPath: state.choices.searchPath)
    } catch {
      throw ToolError(.failure, about: url, error.description)
    }
    for plan in plans {
      if let error = launch(plan, in: state.session, context, connection) {
        throw ToolError(.failure, about: url, error)
      }
    }
  }

  private static func application(
    for url: String?, _ options: OpenOptions, _ state: LocalState
  ) throws(ToolError) -> (DesktopEntry, [String]) {
    let (policy, choices) = (state.settings.policy, state.choices)
    guard let url else {
      guard let entry = choices.browser ?? choices.shell else {
        throw ToolError(.failure, "no web browser and no shell is installed; install one")
      }
      return (entry, [])
    }
    do throws(NavigationError) {
      let decision = policy.decide(url)
      var handover = try decision.handover(
        in: policy, among: choices,
        options: HandoverOptions(
          forcesBrowser: options.forcesBrowser, shellInstances: state.shellInstances))
      if handover.destination == .switch {
        // Only the service makes an instance the active one.
        handover = try decision.handover(
          in: policy, among: choices, options: HandoverOptions(forcesBrowser: true))
      }
      return (handover.entry, [handover.url])
    } catch {
      throw ToolError(.failure, about: url, error.message)
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
