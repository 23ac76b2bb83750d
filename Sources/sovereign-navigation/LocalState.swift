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

  /// - Parameter connection: To the session bus, or `nil` if there is none.
  init(_ connection: Connection?) {
    session = Session.current(connection)
    // Making a store only reads.
    settings =
      PreferenceStore(BaseDirectories(environment: Session.ownEnvironment), now: { 0 }).settings
    choices = ApplicationChoices(
      session.directories, browser: settings.browser, shell: settings.shell)
  }
}
