internal import Bus
internal import Desktop
internal import Files
internal import Launcher
internal import Preferences

/// What the service would decide from, as this program finds it by itself.
struct LocalState {
  let session: Session
  let settings: Settings
  let choices: ApplicationChoices
  let registrar: Registrar

  /// - Parameter connection: To the session bus, or `nil` if there is none.
  init(_ connection: Connection?) {
    session = Session.current(connection)
    let own = BaseDirectories(environment: Session.ownEnvironment)
    // Making a store only reads.
    settings = PreferenceStore(own, now: { 0 }).settings
    choices = ApplicationChoices(
      session.directories, browser: settings.browser,
      previousBrowser: Registrar.previousBrowser(own), shell: settings.shell)
    registrar = Registrar(session.directories, state: own)
  }
}
