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
  func answer(_ error: NavigationError) -> BusError { error.answer(isConfined: isConfined) }
}

extension NavigationError {
  /// What a caller is told of an error; a sandbox learns nothing about the user's applications.
  func answer(isConfined: Bool) -> BusError {
    guard isConfined else { return BusError(self) }
    switch code {
    case .launchFailed:
      return BusError(
        NavigationError(.launchFailed, "the application for this link did not start"))
    case .loopDetected:
      return BusError(NavigationError(.loopDetected, "this link keeps coming back"))
    case .noBrowser, .noShell:
      return BusError(NavigationError(code, "no application for this link is installed"))
    default:
      return BusError(self)
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
      keeping: request.urls.reduce(0) { $0 + $1.utf8.count },
      { [self] caller in
        let opening = Opening(request, from: caller, after: sessionChoices.changes) {
          [self] outcomes in
          completion(outcomes)
          finish()
        }
        sessionChoices.wait { [self] end in goOn(with: opening, until: end) }
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
      { [self] caller in
        let completion = { [self] (error: NavigationError?) in
          if let error { report(error, of: nil, notifies: notifies) }
          completion(error)
          finish()
        }
        withChoices { [self] choices in
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
        }
      })
  }

  /// Lets a call in that starts applications. Once it is answered, `finish` is due.
  ///
  /// - Parameter length: Of the text that `body` keeps, in bytes.
  private func begin(
    _ invocation: Invocation, refused: (NavigationError) -> Void, keeping length: Int = 0,
    _ body: (Caller) -> Void
  ) {
    do throws(NavigationError) {
      try waitingCalls.admit(invocation, keeping: length)
    } catch {
      return refused(error)
    }
    requests += 1
    body(caller)
  }

  private func finish() {
    requests -= 1
    endIfDone()
  }

  /// Decides the links and finds each its application, and starts those when all is found; returns whether
  /// it is.
  private func goOn(with opening: Opening, until end: UInt64) -> Bool {
    let count = opening.urls.count
    repeat {
      if opening.changes != sessionChoices.changes {
        // Somebody may have been told already that the change is made.
        breaker.withdraw(opening.groups.flatMap(\.keys))
        opening.startOver(sessionChoices.changes)
      }
      if opening.decisions.count < count {
        opening.decisions.append(decider.decide(opening.urls[opening.decisions.count]))
      } else if opening.found < count {
        find(opening, with: lookAround(opening))
      }
      if opening.found == count {
        launch(opening)
        return true
      }
    } while Clock.monotonicMicroseconds < end
    return false
  }

  private func lookAround(_ opening: Opening) -> Opening.Surroundings {
    if let known = opening.surroundings { return known }
    let choices = sessionChoices.current()
    // Its own links tell nothing about it.
    let sender = opening.sender ?? breaker.sender(opening.caller, at: loop.now)
    let isFromShell =
      choices.shell.map { shell in
        opening.caller.belongs(to: shell) || breaker.isGivenALink(sender, as: shell.id)
      } ?? false
    let surroundings = Opening.Surroundings(
      choices: choices, sender: sender,
      options: HandoverOptions(
        forcesBrowser: opening.request.forcesBrowser, isFromShell: isFromShell,
        isActiveLocked: settings.locks[.activeOrigin] != nil, shellInstances: shellInstances))
    opening.sender = sender
    opening.surroundings = surroundings
    return surroundings
  }

  /// Finds the next link its application. Where it makes another instance the active one, that and what
  /// follows is to be decided anew.
  private func find(_ opening: Opening, with surroundings: Opening.Surroundings) {
    let (request, choices, sender) = (opening.request, surroundings.choices, surroundings.sender)
    let index = opening.found
    let decision = opening.decisions[index]
    do throws(NavigationError) {
      guard decision.destination != .handler || !request.isConfined else {
        throw NavigationError(
          .notAllowed, "an application in a sandbox may open web links only; this one is another")
      }
      var options = surroundings.options
      // What the shell sends for another instance is for the shell.
      if index == opening.switching { options.isFromShell = false }
      var handover = try decision.handover(in: settings.policy, among: choices, options: options)
      if handover.destination == .switch, request.isConfined || opening.switching != nil {
        handover = try decision.handover(
          in: settings.policy, among: choices, options: HandoverOptions(forcesBrowser: true))
      }
      let isSwitch = handover.destination == .switch || index == opening.switching
      let key = try breaker.admit(
        .init(
          url: handover.url, application: handover.entry.id, written: decision.url,
          mayReturn: request.forcesBrowser || handover.detour == .fromShell,
          isSwitch: isSwitch && surroundings.options.isFromShell),
        from: sender, at: loop.now)
      if handover.destination == .switch {
        // Nothing is stored for a link that is going round.
        breaker.withdraw([key])
        opening.switching = index
        // What was found belongs to the instance that is active now.
        launch(opening)
        return switchInstance(to: decision)
      }
      let isSwitched = index == opening.switching && handover.destination == .shell
      let destination = isSwitched ? .switch : handover.destination
      log(decision, handover, destination, isSwitched ? .otherInstance : decision.reason)
      add(handover, index, destination, key, to: &opening.groups)
    } catch {
      opening.outcomes[index] = .failure(error)
    }
    opening.found += 1
  }

  /// Starts what was found so far.
  private func launch(_ opening: Opening) {
    let groups = opening.groups
    opening.groups = []
    opening.launched = opening.found
    guard let surroundings = opening.surroundings, !groups.isEmpty else {
      return completeIfDone(opening)
    }
    opening.launches += groups.count
    for group in groups {
      launch(
        group, from: surroundings.sender, context: opening.request.context,
        among: surroundings.choices
      ) { [self] error in
        for (index, destination) in zip(group.indices, group.destinations) {
          opening.outcomes[index] = error.map(OpenOutcome.failure) ?? .success(destination)
        }
        opening.launches -= 1
        completeIfDone(opening)
      }
    }
  }

  private func completeIfDone(_ opening: Opening) {
    guard opening.launches == 0, opening.launched == opening.urls.count else { return }
    // One call may bring thousands of links, and most of them the same line.
    var reported: Set<String> = []
    for (decision, outcome) in zip(opening.decisions, opening.outcomes) {
      guard case .failure(let error)? = outcome,
        reported.insert(decision.subject + error.message).inserted
      else { continue }
      report(error, of: decision, notifies: opening.request.notifies)
    }
    opening.completion(opening.outcomes.compactMap { $0 })
  }

  /// URLs for one application go there in one launch, if it takes several.
  private func add(
    _ handover: Handover, _ index: Int, _ destination: Destination, _ key: Breaker.Key,
    to groups: inout [LaunchGroup]
  ) {
    let takesSeveral = handover.entry.takesSeveralURLs
    let existing = groups.firstIndex { group in
      takesSeveral && group.entry == handover.entry && group.hasRoom(for: handover.url)
    }
    if let existing {
      groups[existing].add(handover, index, destination, key)
    } else {
      var group = LaunchGroup(entry: handover.entry)
      group.add(handover, index, destination, key)
      groups.append(group)
    }
  }

  /// Makes the instance of a link the active one; a link is not lost because that fails.
  private func switchInstance(to decision: Decision) {
    guard let instance = decision.instance else { return }
    do throws(BusError) {
      try change(instance.origin, isChoice: true) { (policy) throws(PolicyChangeError) in
        try policy.setActive(instance.origin, now: Clock.unixMilliseconds)
      }
    } catch {
      // It may be active all the same, and only not yet be safe from a power cut.
      let isActive = settings.policy.active == instance.origin
      Journal.log(
        .warning,
        "\(instance.origin) \(isActive ? "became" : "did not become") active: \(error.message)")
    }
  }

  private func launch(
    _ group: LaunchGroup, from sender: Breaker.Sender, context: CallContext,
    among choices: ApplicationChoices, completion: @escaping (NavigationError?) -> Void
  ) {
    let plans: [LaunchPlan]
    do throws(NavigationError) {
      // First: one call may bring thousands of links, each for a launch of its own.
      try breaker.start(from: sender, at: loop.now)
      do throws(NavigationError) {
        plans = try self.plans(for: group.entry, urls: group.urls, among: choices)
      } catch {
        breaker.finish()
        throw error
      }
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

  private func log(
    _ decision: Decision, _ handover: Handover, _ destination: Destination, _ reason: Reason
  ) {
    let why = (handover.detour ?? reason).rawValue
    Journal.log(
      .info, "\(decision.subject) → \(destination.rawValue) (\(why)), \(handover.entry.id)")
  }
}

/// An `Open` on its way.
private final class Opening {
  /// What the links' applications are found by.
  struct Surroundings {
    let choices: ApplicationChoices
    let sender: Breaker.Sender
    let options: HandoverOptions
  }

  let request: OpenRequest
  let caller: Caller
  let completion: ([OpenOutcome]) -> Void
  /// Of the first links; the others follow.
  var decisions: [Decision] = []
  /// How many links are refused, or have a group of `groups` or had one.
  var found = 0
  var groups: [LaunchGroup] = []
  /// How many links are refused, or had a group.
  var launched = 0
  /// Launches that have not ended.
  var launches = 0
  /// The link that made its instance the active one, or was to; one at most does.
  var switching: Int?
  var sender: Breaker.Sender?
  var surroundings: Surroundings?
  /// Those of the choices when the links that are not launched were decided first.
  private(set) var changes: Int
  var outcomes: [OpenOutcome?]

  var urls: [String] { request.urls }

  init(
    _ request: OpenRequest, from caller: Caller, after changes: Int,
    completion: @escaping ([OpenOutcome]) -> Void
  ) {
    self.request = request
    self.caller = caller
    self.changes = changes
    self.completion = completion
    outcomes = Array(repeating: nil, count: request.urls.count)
  }

  /// Forgets what was decided and found for links that are not launched.
  func startOver(_ changes: Int) {
    self.changes = changes
    surroundings = nil
    groups = []
    found = launched
    decisions.removeLast(decisions.count - launched)
  }
}

/// The URLs that one launch of an application opens.
private struct LaunchGroup {
  let entry: DesktopEntry
  private(set) var urls: [String] = []
  /// Of the URLs together, in bytes.
  private var length = 0
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
    length + url.utf8.count <= LaunchPlan.argumentLimit
  }

  mutating func add(
    _ handover: Handover, _ index: Int, _ destination: Destination, _ key: Breaker.Key
  ) {
    urls.append(handover.url)
    length += handover.url.utf8.count
    indices.append(index)
    destinations.append(destination)
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
