internal import Bus
internal import Desktop
internal import Files
internal import Launcher
internal import Navigation
internal import Preferences

/// What the service would decide from, as this program finds it by itself.
struct LocalState {
  let session: Session
  /// Only to be read.
  let preferences: PreferenceStore
  /// The default in force when the service was registered, if it is.
  let previousBrowser: String?
  let choices: ApplicationChoices
  let registrar: Registrar
  /// The instances that a shell finds which does not know the service, as far as its store tells.
  let shellInstances: ShellInstances?

  /// - Parameter connection: To the session bus, or `nil` if there is none.
  init(_ connection: Connection?) {
    let manager = connection.flatMap(UserManager.environment)
    session = Session(managerEnvironment: manager)
    let own = BaseDirectories(ofServiceOn: connection, manager: manager)
    // Making a store only reads.
    let store = PreferenceStore(own, now: { 0 })
    let settings = store.settings
    preferences = store
    shellInstances = settings.follow ? FollowedStore(store.paths).instances : nil
    previousBrowser = Registrar.previousBrowser(own)
    choices = ApplicationChoices(
      session.directories, browser: settings.browser, browserSource: settings.browserSource,
      previousBrowser: previousBrowser, shell: settings.shell, shellSource: settings.shellSource)
    registrar = Registrar(session.directories, state: own)
  }

  var settings: Settings { preferences.settings }

  /// Our own desktop entry, the first that a desktop finds.
  var ourEntry: Result<DesktopEntry, DesktopEntryError> {
    let directories = ApplicationDirectories(session.directories)
    return Result { () throws(DesktopEntryError) in try directories.firstEntry(DesktopEntry.ours) }
  }
}
