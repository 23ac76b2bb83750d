/// An action of the service's desktop entry: an application that is started with nothing to open.
public enum DesktopAction: String, Sendable, CaseIterable {
  /// The browser that links go to.
  case browser
  /// The shell that links go to.
  case shell
}
