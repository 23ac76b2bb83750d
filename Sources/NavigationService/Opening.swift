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
            try breaker.start(from: sender, at: loop.now)
            let group = LaunchGroup(entry: entry, keys: [key])
            launch(group, context: context, among: choices, completion: completion)
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

  /// Decides the links, finds each its application and starts those; returns whether that is done.
  private func goOn(with opening: Opening, until end: UInt64) -> Bool {
    repeat {
      if opening.changes != sessionChoices.changes {
        // Somebody may have been told already that the change is made.
        breaker.withdraw(opening.groups.flatMap(\.keys))
        opening.startOver(sessionChoices.changes)
      }
      guard let step = opening.nextStep() else {
        opening.settle()
        endPart(of: opening)
        return true
      }
      let surroundings = lookAround(opening)
      switch step {
      case .find(let index): find(index, for: opening, in: surroundings)
      case .launch(let group): launch(group, for: opening, in: surroundings)
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

  /// Finds a link its application. Where it makes another instance the active one, that and what follows is
  /// to be decided anew.
  private func find(
    _ index: Int, for opening: Opening, in surroundings: Opening.Surroundings
  ) {
    let (request, choices, sender) = (opening.request, surroundings.choices, surroundings.sender)
    let decision = decider.decide(opening.urls[index])
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
        opening.settle()
        // What was found belongs to the instance that is active now.
        guard opening.groups.isEmpty else {
          opening.launchesFirst = true
          return
        }
        opening.switching = index
        if !switchInstance(to: decision) { opening.switching = nil }
        return
      }
      let isSwitched = index == opening.switching && handover.destination == .shell
      let destination = isSwitched ? .switch : handover.destination
      log(decision, handover, destination, isSwitched ? .otherInstance : decision.reason)
      let link = Opening.Link(index: index, decision: decision)
      add(handover, link, destination, key, to: &opening.groups)
    } catch {
      opening.refused.append((Opening.Link(index: index, decision: decision), error))
    }
    opening.rest.removeFirst()
  }

  private func launch(
    _ group: LaunchGroup, for opening: Opening, in surroundings: Opening.Surroundings
  ) {
    do throws(NavigationError) {
      try breaker.start(from: surroundings.sender, at: loop.now)
    } catch {
      // The others would be refused, too: thousands of links may each need a launch of their own.
      let groups = [group] + opening.groups
      opening.groups = []
      breaker.withdraw(groups.flatMap(\.keys))
      for group in groups { opening.end(group, error) }
      return
    }
    opening.pending += 1
    launch(group, context: opening.request.context, among: surroundings.choices) { [self] error in
      opening.end(group, error)
      endPart(of: opening)
    }
  }

  /// The turns have ended, or a launch.
  private func endPart(of opening: Opening) {
    opening.pending -= 1
    guard opening.pending == 0 else { return }
    opening.failures.report { report($0, of: $1, notifies: opening.request.notifies) }
    opening.completion(opening.outcomes.compactMap { $0 })
  }

  /// URLs for one application go there in one launch, if it takes several.
  private func add(
    _ handover: Handover, _ link: Opening.Link, _ destination: Destination, _ key: Breaker.Key,
    to groups: inout ArraySlice<LaunchGroup>
  ) {
    let existing =
      !handover.entry.takesSeveralURLs
      ? nil
      : groups.firstIndex { $0.entry == handover.entry && $0.hasRoom(for: handover.url) }
    if let existing {
      groups[existing].add(handover, link, destination, key)
    } else {
      var group = LaunchGroup(entry: handover.entry)
      group.add(handover, link, destination, key)
      groups.append(group)
    }
  }

  /// Makes the instance of a link the active one; a link is not lost because that fails.
  ///
  /// - Returns: Whether it still was to be. An edit or the shell's store, which are read for this, may say
  ///   otherwise; then the link is decided anew.
  private func switchInstance(to decision: Decision) -> Bool {
    guard let instance = decision.instance else { return false }
    var isWanted = true
    do throws(BusError) {
      try change(instance.origin, isChoice: true) { (policy) throws(PolicyChangeError) in
        isWanted = policy.switches(to: instance.origin)
        try policy.follow(linkTo: instance.origin)
      }
    } catch {
      guard isWanted else { return false }
      // It may be active all the same, and only not yet be safe from a power cut.
      let isActive = settings.policy.active == instance.origin
      Journal.log(
        .warning,
        "\(instance.origin) \(isActive ? "became" : "did not become") active: \(error.message)")
    }
    return true
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
final class Opening {
  /// What the links' applications are found by.
  struct Surroundings {
    let choices: ApplicationChoices
    let sender: Breaker.Sender
    let options: HandoverOptions
  }

  struct Link {
    /// Which of the request's URLs it is.
    let index: Int
    let decision: Decision
  }

  enum Step {
    case find(Int)
    case launch(LaunchGroup)
  }

  let request: OpenRequest
  let caller: Caller
  let completion: ([OpenOutcome]) -> Void
  /// Which links are still to be found their applications, in order.
  var rest: ArraySlice<Int>
  /// Those that were found theirs, and are not launched.
  var groups: ArraySlice<LaunchGroup> = []
  /// Those that none was found for; decided anew with the others.
  var refused: [(Link, NavigationError)] = []
  /// Whether the groups are launched before the next link is looked at.
  var launchesFirst = false
  /// Launches that have not ended, and the turns.
  var pending = 1
  /// The link that made its instance the active one, or was to; one at most does.
  var switching: Int?
  var sender: Breaker.Sender?
  var surroundings: Surroundings?
  /// Those of the choices when the links that are not launched were decided first.
  private(set) var changes: Int
  private(set) var outcomes: [OpenOutcome?]
  private(set) var failures = UnopenedLinks()

  var urls: [String] { request.urls }

  init(
    _ request: OpenRequest, from caller: Caller, after changes: Int,
    completion: @escaping ([OpenOutcome]) -> Void
  ) {
    self.request = request
    self.caller = caller
    self.changes = changes
    self.completion = completion
    rest = Array(request.urls.indices)[...]
    outcomes = Array(repeating: nil, count: request.urls.count)
  }

  /// What is to be done next, unless only launches are waited for.
  func nextStep() -> Step? {
    if launchesFirst || rest.isEmpty, let group = groups.popFirst() { return .launch(group) }
    launchesFirst = false
    return rest.first.map(Step.find)
  }

  /// Forgets what was decided and found for links that are not launched.
  func startOver(_ changes: Int) {
    self.changes = changes
    surroundings = nil
    let links = groups.flatMap(\.links) + refused.map(\.0)
    rest = (links.map(\.index) + rest).sorted()[...]
    groups = []
    refused = []
  }

  /// A launch has ended.
  func end(_ group: LaunchGroup, _ error: NavigationError?) {
    for (link, destination) in zip(group.links, group.destinations) {
      if let error { fail(link, error) } else { outcomes[link.index] = .success(destination) }
    }
  }

  /// No change makes a difference any more to what was refused.
  func settle() {
    for (link, error) in refused { fail(link, error) }
    refused = []
  }

  private func fail(_ link: Link, _ error: NavigationError) {
    outcomes[link.index] = .failure(error)
    failures.add(error, of: link.decision, link.index)
  }
}
