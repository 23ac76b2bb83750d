internal import Bus
internal import Desktop
internal import Launcher
internal import Navigation
internal import Preferences
internal import WebOrigin

/// URLs that somebody asked to open.
struct OpenRequest {
  let urls: [String]
  let context: CallContext
  let forcesBrowser: Bool
  /// Whether the caller runs in a sandbox.
  let isConfined: Bool
  /// Whether the caller cannot tell the user that something was not opened.
  let notifies: Bool
}

extension OpenRequest {
  /// What the caller is told of an error; a sandbox learns nothing about the user's applications.
  func answer(_ error: NavigationError) -> BusError {
    guard isConfined else { return BusError(error) }
    switch error.code {
    case .launchFailed:
      return BusError(
        NavigationError(.launchFailed, "the application for this link did not start"))
    case .loopDetected:
      return BusError(NavigationError(.loopDetected, "this link keeps coming back"))
    case .noBrowser, .noShell:
      return BusError(NavigationError(error.code, "no application for this link is installed"))
    default:
      return BusError(error)
    }
  }
}

/// What the launches for one call take from it.
final class CallContext {
  private var context: LaunchContext

  init(_ context: LaunchContext) {
    self.context = context
  }

  /// For one launch. The first one gets the token, which is good for one.
  func take() -> LaunchContext {
    defer { (context.activationToken, context.startupID) = (nil, nil) }
    return context
  }
}

/// What became of one URL: where it was opened, or why it was not.
typealias OpenOutcome = Result<Destination, NavigationError>

extension NavigationService {
  /// Decides and starts what is needed; `completion` gets an outcome for each URL, in order.
  func open(
    _ request: OpenRequest, from invocation: Invocation,
    completion: @escaping ([OpenOutcome]) -> Void
  ) {
    begin(
      invocation,
      refused: { error in
        reportRefusal(
          error, of: decider.decide(request.urls.first ?? ""), notifies: request.notifies)
        completion([.failure(error)])
      },
      { [self] caller, choices in
        open(request, from: caller, among: choices) { [self] outcomes in
          completion(outcomes)
          finish()
        }
      })
  }

  /// Starts an application with nothing to open: the browser, else the shell, or what `action` says.
  func activate(
    _ action: DesktopAction? = nil, context: LaunchContext, notifies: Bool,
    from invocation: Invocation, completion: @escaping (NavigationError?) -> Void
  ) {
    let context = CallContext(context)
    begin(
      invocation,
      refused: { error in
        reportRefusal(error, of: nil, notifies: notifies)
        completion(error)
      },
      { [self] caller, choices in
        let completion = { [self] (error: NavigationError?) in
          if let error { report(error, of: nil, notifies: notifies) }
          completion(error)
          finish()
        }
        do throws(NavigationError) {
          let entry = try choices.application(for: action)
          let sender = breaker.sender(caller, at: loop.now)
          let key = try breaker.admit(
            .init(url: nil, application: entry.id), from: sender, at: loop.now)
          let group = LaunchGroup(entry: entry, keys: [key])
          launch(group, from: sender, context: context, among: choices, completion: completion)
        } catch {
          completion(error)
        }
      })
  }

  /// Lets a call in that starts applications, and finds out which there are. Once it is answered,
  /// `finish` is due.
  private func begin(
    _ invocation: Invocation, refused: (NavigationError) -> Void,
    _ body: @escaping (Caller, ApplicationChoices) -> Void
  ) {
    do throws(NavigationError) {
      try breaker.begin()
    } catch {
      return refused(error)
    }
    let caller = caller
    withChoices { body(caller, $0) }
  }

  private func finish() {
    breaker.end()
    endIfDone()
  }

  private func open(
    _ request: OpenRequest, from caller: Caller, among choices: ApplicationChoices,
    completion: @escaping ([OpenOutcome]) -> Void
  ) {
    let sender = breaker.sender(caller, at: loop.now)
    let options = HandoverOptions(
      forcesBrowser: request.forcesBrowser,
      isFromShell: choices.shell.map { shell in
        caller.belongs(to: shell) || breaker.isGivenALink(sender, as: shell.id)
      } ?? false, isActiveLocked: settings.locks[.activeOrigin] != nil,
      shellInstances: shellInstances)
    let decisions = request.urls.map(decider.decide)
    var outcomes = [OpenOutcome?](repeating: nil, count: decisions.count)
    var groups: [LaunchGroup] = []
    for (index, decision) in decisions.enumerated() {
      do throws(NavigationError) {
        guard decision.destination != .handler || !request.isConfined else {
          throw NavigationError(
            .notAllowed, "an application in a sandbox may open web links only; this one is another")
        }
        var handover = try decision.handover(
          in: settings.policy, among: choices, options: options)
        var key = try admit(handover, from: sender, request)
        // Nothing is stored for a link that is going round.
        if handover.destination == .switch, request.isConfined || !switchInstance(to: decision) {
          breaker.withdraw([key])
          handover = try decision.handover(
            in: settings.policy, among: choices, options: HandoverOptions(forcesBrowser: true))
          key = try admit(handover, from: sender, request)
        }
        log(decision, handover)
        add(handover, index, key, to: &groups)
      } catch {
        outcomes[index] = .failure(error)
      }
    }

    func complete() {
      // One call may bring thousands of links, and most of them the same line.
      var reported: Set<String> = []
      for (decision, outcome) in zip(decisions, outcomes) {
        guard case .failure(let error)? = outcome,
          reported.insert(decision.subject + error.message).inserted
        else { continue }
        report(error, of: decision, notifies: request.notifies)
      }
      completion(outcomes.compactMap { $0 })
    }
    var remaining = groups.count
    guard remaining > 0 else { return complete() }
    for group in groups {
      launch(group, from: sender, context: request.context, among: choices) { error in
        for (index, destination) in zip(group.indices, group.destinations) {
          outcomes[index] = error.map(OpenOutcome.failure) ?? .success(destination)
        }
        remaining -= 1
        if remaining == 0 { complete() }
      }
    }
  }

  private func admit(
    _ handover: Handover, from sender: Breaker.Sender, _ request: OpenRequest
  ) throws(NavigationError) -> Breaker.Key {
    let link = Breaker.Link(
      url: handover.url, application: handover.entry.id,
      mayReturn: request.forcesBrowser || handover.detour == .fromShell)
    return try breaker.admit(link, from: sender, at: loop.now)
  }

  /// URLs for one application go there in one launch, if it takes several.
  private func add(
    _ handover: Handover, _ index: Int, _ key: Breaker.Key, to groups: inout [LaunchGroup]
  ) {
    let takesSeveral = handover.entry.takesSeveralURLs
    let existing = groups.firstIndex { group in
      takesSeveral && group.entry == handover.entry && group.hasRoom(for: handover.url)
    }
    if let existing {
      groups[existing].add(handover, index, key)
    } else {
      var group = LaunchGroup(entry: handover.entry)
      group.add(handover, index, key)
      groups.append(group)
    }
  }

  /// Makes the instance of a link the active one; a link is not lost because that fails.
  private func switchInstance(to decision: Decision) -> Bool {
    guard let instance = decision.instance else { return false }
    do throws(BusError) {
      try change(instance.origin, isChoice: true) { (policy) throws(PolicyChangeError) in
        try policy.setActive(instance.origin, now: Clock.unixMilliseconds)
      }
      return true
    } catch {
      // It may be active all the same, and only not yet be safe from a power cut.
      let isActive = settings.policy.active == instance.origin
      Journal.log(
        .warning,
        "\(instance.origin) \(isActive ? "became" : "did not become") active: \(error.message)")
      return isActive
    }
  }

  private func launch(
    _ group: LaunchGroup, from sender: Breaker.Sender, context: CallContext,
    among choices: ApplicationChoices, completion: @escaping (NavigationError?) -> Void
  ) {
    let plans: [LaunchPlan]
    do throws(NavigationError) {
      plans = try self.plans(for: group.entry, urls: group.urls, among: choices)
      try breaker.start(from: sender, at: loop.now)
    } catch {
      breaker.withdraw(group.keys)
      return completion(error)
    }
    var remaining = plans.count
    var firstError: NavigationError?
    for plan in plans {
      launcher.launch(
        plan, in: session, context: context.take(), began: { [self] in note($0, of: group) },
        completion: { [self] error in
          if let error {
            firstError = firstError ?? NavigationError(.launchFailed, error.description)
          }
          remaining -= 1
          guard remaining == 0 else { return }
          breaker.finish()
          completion(firstError)
        })
    }
  }

  /// How an application is started with its URLs, or why it cannot be.
  func plans(
    for entry: DesktopEntry, urls: [String], among choices: ApplicationChoices
  ) throws(NavigationError) -> [LaunchPlan] {
    do throws(LaunchPlanError) {
      return try entry.launchPlans(urls: urls, searchPath: choices.searchPath)
    } catch {
      throw NavigationError(error)
    }
  }

  /// Keeps what the application's processes are told by, should they send the links back.
  private func note(_ processes: LaunchedProcesses, of group: LaunchGroup) {
    for key in group.keys { breaker.link(key, isOpenedBy: processes) }
    guard case .owner(let name) = processes else { return }
    let owner = Caller(name, on: connection)
    for key in group.keys { breaker.link(key, isOpenedBy: owner) }
  }

  private func log(_ decision: Decision, _ handover: Handover) {
    let why = (handover.detour ?? decision.reason).rawValue
    Journal.log(
      .info, "\(decision.subject) → \(handover.destination.rawValue) (\(why)), \(handover.entry.id)"
    )
  }
}

/// The URLs that one launch of an application opens.
private struct LaunchGroup {
  let entry: DesktopEntry
  private(set) var urls: [String] = []
  /// Which of the request's URLs these are.
  private(set) var indices: [Int] = []
  private(set) var destinations: [Destination] = []
  /// What the breaker knows them by.
  private(set) var keys: [Breaker.Key]

  init(entry: DesktopEntry, keys: [Breaker.Key] = []) {
    self.entry = entry
    self.keys = keys
  }

  /// Together they must fit a command line, and none that is too long by itself may take others along.
  func hasRoom(for url: String) -> Bool {
    urls.reduce(url.utf8.count) { $0 + $1.utf8.count } <= LaunchPlan.argumentLimit
  }

  mutating func add(_ handover: Handover, _ index: Int, _ key: Breaker.Key) {
    urls.append(handover.url)
    indices.append(index)
    destinations.append(handover.destination)
    keys.append(key)
  }
}

extension NavigationError {
  init(_ error: LaunchPlanError) {
    switch error {
    case .urlTooLong: self.init(.limitExceeded, error.description)
    case .notRunnable, .hasNoCommand, .programNotFound:
      self.init(.launchFailed, error.description)
    }
  }
}
