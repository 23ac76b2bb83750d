internal import Bus
internal import Desktop
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
  let manager: UserManager
  let launcher: Launcher
  var decider: Decider
  var breaker = Breaker()
  /// As it was at the last call that needed it.
  var session = Session.own
  var watches: [EventSource] = []
  var reloadTimer: EventSource?
  /// When the service ends, once it is to end.
  var deadline: EventSource?

  var settings: Settings { store.settings }

  init(connection: Connection, loop: EventLoop, store: PreferenceStore) {
    self.connection = connection
    self.loop = loop
    self.store = store
    manager = UserManager(connection: connection, loop: loop)
    launcher = Launcher(connection: connection, manager: manager, loop: loop)
    decider = Decider(store.settings.policy)
  }

  /// The applications that links go to in the session as it is now.
  func withChoices(_ body: @escaping (ApplicationChoices) -> Void) {
    manager.session { [self] session in
      self.session = session
      body(choices)
    }
  }

  /// The applications that links go to, in the session as it was last seen.
  var choices: ApplicationChoices {
    ApplicationChoices(session.directories, browser: settings.browser, shell: settings.shell)
  }
}
