internal import Bus
internal import Desktop
internal import Launcher
internal import Navigation
internal import Preferences
internal import WebOrigin

// A shell that does not know this service keeps a store of its own. What changes there is taken over,
// until that shell has called a member that changes something: then it knows us.
extension NavigationService {
  /// How long a shell may take to write its store, in microseconds.
  private static let writing: UInt64 = 200_000

  private var followsShell: Bool { settings.follow && followed.isFollowing }

  /// Follows the shell's store, or stops following it.
  func followShell() {
    guard followsShell else {
      shellWatcher = nil
      return
    }
    let watcher = FileWatcher(
      "the shell's store", in: loop, at: { [unowned self] in followed.watches },
      changed: { [unowned self] in lookAtShell() })
    shellWatcher = watcher
    watcher.start()
    lookAtShell()
  }

  private func lookAtShell() {
    // What an edit changes is none of the shell's doing.
    readEdits()
    // The edit may say that the shell is not followed. What it says would be lost where it may be locked;
    // it is looked at when that is known.
    guard followsShell, settings.unknownAdministrator == nil else { return }
    let look = followed.look()
    reportShell(look.news)
    if look.isUnfinished { shellWatcher?.check(after: Self.writing) }
    if look.isToBeReadAgain { shellWatcher?.tryAgain() }
    guard let change = look.change else { return }
    let before = settings.policy
    do throws(BusError) {
      try apply { (policy) throws(PolicyChangeError) in
        try change.apply(to: &policy)
        policy = settings.permitted(policy)
      }
    } catch {
      // It may be made all the same, and only not yet be safe from a power cut.
      guard settings.policy != before else {
        return reportShell(followed.refuse(change, because: error.message))
      }
      Journal.log(.warning, error.message)
    }
    let active = settings.policy.active
    let source = active == change.new.active ? "" : activeSource
    Journal.log(
      .info,
      "\(followed.path) is taken over: \(active?.description ?? "nothing") is active"
        + (source.isEmpty ? "" : ", for \(source) says so"))
    reportShell(followed.accept(change))
  }

  private func reportShell(_ diagnostics: [Diagnostic]) {
    report(diagnostics, as: MessageID.shellStoreProblem)
  }

  /// Takes over what the shell said before a change, which counts before it.
  ///
  /// Where it cannot be remembered that this was taken over, the next start would take it over again, and
  /// undo the change.
  func catchUpWithShell() throws(BusError) {
    if followsShell { lookAtShell() }
    try keepWhatShellSaid("nothing is changed")
  }

  /// That the store is followed no more is remembered, too.
  private func keepWhatShellSaid(_ consequence: String) throws(BusError) {
    let problems = followed.keep()
    guard let problem = problems.first, settings.follow else { return }
    throw BusError(NavigationError(.storeFailed, "\(consequence): \(problem)"))
  }

  /// Lets somebody else's change stand until the store changes next, over a restart as well.
  ///
  /// - Parameter isChoice: Whether it says which instance is active, be it the one that was.
  func letStand(changeOf origin: Origin?, isChoice: Bool) throws(BusError) {
    reportShell(followed.giveWay(toChangeOf: origin.map { [$0] } ?? [], isOfActive: isChoice))
    try keepWhatShellSaid("the change is made, but may not last")
  }

  /// The same for a change by whatever way, once it is made.
  func letStand(_ new: Policy, insteadOf old: Policy) {
    guard new != old else { return }
    let origins = Set(old.instances).symmetricDifference(new.instances).map(\.origin)
    reportShell(
      followed.giveWay(toChangeOf: Set(origins), isOfActive: new.active != old.active))
  }

  /// Notes who calls a member that changes something. The call itself does not wait for that.
  func noteChange(by caller: Caller) {
    guard followsShell else { return }
    guard caller.unit != nil || caller.isNamedAsShell,
      loop.now >= otherChangers[caller.uniqueName] ?? 0
    else { return }
    // Programs come and go, and each that changes something has a name of its own.
    if otherChangers.count >= 256 { otherChangers = [:] }
    // An application may become the shell; a flood from one costs one look a second.
    otherChangers[caller.uniqueName] = loop.now + 1_000_000
    withChoices { [self] _ in
      guard stage < .handedOver else { return }
      // An edit may just have made another one the shell, and the end is for good.
      readEdits()
      guard followed.isFollowing, let shell = sessionChoices.current().shell,
        caller.belongs(to: shell)
      else { return }
      Journal.log(
        .info, "\(shell.id) sets the instances itself; \(followed.path) is followed no more")
      reportShell(followed.end())
      followShell()
    }
  }

  /// The instances that a shell finds which does not know this service, as far as its store tells.
  var shellInstances: ShellInstances? { followsShell ? followed.instances : nil }

  /// The file that says which instance is active, or that none is; empty if none says anything of it.
  var activeSource: String {
    if let source = settings.activeSource { return source }
    return followsShell && followed.isSource(of: settings.policy.active)
      ? followed.path : store.activeSource ?? ""
  }
}
