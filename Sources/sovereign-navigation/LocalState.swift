internal import Bus
internal import Desktop
internal import Files
internal import Launcher
internal import Preferences
internal import WebOrigin

/// What the service would decide from, as this program finds it by itself.
struct LocalState {
  let session: Session
  let settings: Settings
  let choices: ApplicationChoices
  let registrar: Registrar
  /// The instances that a shell finds which does not know the service, as far as its store tells.
  let shellInstances: Set<Origin>?

  /// - Parameter connection: To the session bus, or `nil` if there is none.
  init(_ connection: Connection?) {
    session = Session.current(connection)
    let own = BaseDirectories(environment: Session.ownEnvironment)
    // Making a store only reads.
    let store = PreferenceStore(own, now: { 0 })
    settings = store.settings
    shellInstances = settings.follow ? FollowedStore(store.paths).instances : nil
    choices = ApplicationChoices(
      session.directories, browser: settings.browser,
      previousBrowser: Registrar.previousBrowser(own), shell: settings.shell)
    registrar = Registrar(session.directories, state: own)
  }
}
