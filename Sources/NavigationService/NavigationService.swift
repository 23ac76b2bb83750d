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
  /// Calls of `DecideMany` that go on when others had their turn.
  var waitingDecisions = 0
  /// As it was at the last call that needed it.
  var session = Session.own
  private var waiting: [(ApplicationChoices) -> Void] = []
  private(set) var isAskingForSession = false
  /// How often we may have become the handler of web links, or ceased to be it.
  var registrations = 0
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
  }

  /// The applications that links go to in the session as it is now.
  ///
  /// Calls that come while the session is being asked for wait for the next answer, all for the same
  /// one: looking the applications up for each of a flood of links would keep everybody else waiting.
  func withChoices(_ body: @escaping (ApplicationChoices) -> Void) {
    waiting.append(body)
    if !isAskingForSession { askForSession() }
  }

  private func askForSession() {
    isAskingForSession = true
    var bodies = waiting
    waiting = []
    manager.session { [self] session in
      self.session = session
      if !session.hasManager {
        // A manager that hangs is not waited for twice.
        bodies += waiting
        waiting = []
      }
      var (choices, settings, registrations) = (choices, settings, registrations)
      for body in bodies {
        if self.settings != settings || self.registrations != registrations {
          (choices, settings) = (self.choices, self.settings)
          registrations = self.registrations
        }
        body(choices)
      }
      isAskingForSession = false
      if !waiting.isEmpty { askForSession() }
      endIfDone()
    }
  }

  /// The applications that links go to, in the session as it was last seen.
  var choices: ApplicationChoices {
    ApplicationChoices(
      session.directories, browser: settings.browser, browserSource: settings.browserSource,
      previousBrowser: Registrar.previousBrowser(directories), shell: settings.shell,
      shellSource: settings.shellSource)
  }
}
