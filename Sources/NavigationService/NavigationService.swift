internal import Bus
internal import Desktop
internal import Files
internal import Launcher
internal import Navigation
internal import Preferences

/// The service: what the user chose, and everything that answers from it.
///
/// It lives on one thread, in one loop; every method runs to its end before the next call is seen.
final class NavigationService {
  let connection: Connection
  let loop: EventLoop
  let store: PreferenceStore
  /// Where the service's own files are.
  let directories: BaseDirectories
  let manager: UserManager
  let launcher: Launcher
  var decider: Decider
  /// Who sent the call that is being answered; `admit` finds it out.
  var caller = Caller(uniqueName: "", unit: nil)
  /// When `caller` is looked at again, should it be the next one, too.
  var callerIsOld: UInt64 = 0
  var breaker = Breaker()
  let turns: Turns
  let waitingCalls = WaitingCalls()
  /// Calls that ask for launches and are not answered yet.
  var requests = 0
  let sessionChoices: SessionChoices
  /// Whether we were the handler when somebody was last told, or asked.
  var toldRegistered: Bool?
  var registrationWatcher: FileWatcher?
  var preferenceWatcher: FileWatcher?
  let followed: FollowedStore
  var shellWatcher: FileWatcher?
  /// Who changed something and was not the shell, by unique name, and when that is found out again.
  var otherChangers: [String: UInt64] = [:]
  /// When the next notification may be shown.
  var nextNotice: UInt64 = 0
  /// When the journal may hear of the next call that was not even let in.
  var nextRefusal: UInt64 = 0
  var stage = Stage.serving
  /// When it ends at the latest, once its name is another's.
  var deadline: EventSource?

  var settings: Settings { store.settings }
  /// As it was at the last call that needed it.
  var session: Session { sessionChoices.session }

  init(
    connection: Connection, loop: EventLoop, store: PreferenceStore, directories: BaseDirectories
  ) {
    self.connection = connection
    self.loop = loop
    self.store = store
    self.directories = directories
    followed = FollowedStore(store.paths)
    manager = UserManager(connection: connection, loop: loop)
    launcher = Launcher(connection: connection, manager: manager, loop: loop)
    decider = Decider(store.settings.policy)
    turns = Turns(loop)
    sessionChoices = SessionChoices(manager, turns) { session in
      ApplicationChoices(
        session.directories, browser: store.settings.browser,
        browserSource: store.settings.browserSource,
        previousBrowser: Registrar.previousBrowser(directories), shell: store.settings.shell,
        shellSource: store.settings.shellSource)
    }
    turns.whenTaken = { [unowned self] in endIfDone() }
  }

  /// Runs `body` with the applications that links go to in the session as it is now.
  func withChoices(_ body: @escaping (ApplicationChoices) -> Void) {
    sessionChoices.wait { [sessionChoices] _ in
      body(sessionChoices.current())
      return true
    }
  }

  /// The same for a call that waits for its answer; where too many do, it gets an error.
  ///
  /// - Parameter length: Of the text that `body` keeps, in bytes.
  func withChoices(
    for invocation: Invocation, keeping length: Int = 0,
    _ body: @escaping (ApplicationChoices) -> Void
  ) {
    do throws(NavigationError) {
      try waitingCalls.admit(invocation, keeping: length)
    } catch {
      return invocation.fail(BusError(error))
    }
    withChoices(body)
  }
}
