/// An error of the `fs.sovereign.Navigation` interface.
public struct NavigationError: Error, Hashable, Sendable {
  /// What went wrong; the raw value is the last part of the D-Bus error name.
  public enum Code: String, Sendable, CaseIterable {
    /// The URL does not parse, or is no address that an instance can have.
    case invalidURL = "InvalidUrl"
    /// The URL's scheme is never opened, or cannot be an instance's.
    case unsupportedScheme = "UnsupportedScheme"
    /// No browser but ourselves is installed.
    case noBrowser = "NoBrowser"
    /// No shell is installed.
    case noShell = "NoShell"
    /// No application handles the URL's scheme.
    case noHandler = "NoHandler"
    /// The application was found but did not start.
    case launchFailed = "LaunchFailed"
    /// The URL keeps coming back from the application it was given to.
    case loopDetected = "LoopDetected"
    /// The caller may not do this.
    case notAllowed = "NotAllowed"
    /// An administrator has fixed this setting.
    case locked = "Locked"
    /// The change could not be stored durably.
    case storeFailed = "StoreFailed"
    /// No stored instance has this origin.
    case unknownInstance = "UnknownInstance"
    /// Something is too long, or there are too many.
    case limitExceeded = "LimitExceeded"
  }

  /// What went wrong.
  public let code: Code
  /// A sentence: what was wrong with what, and what to do.
  public let message: String

  /// The D-Bus error name.
  public var name: String { Self.prefix + code.rawValue }

  /// Makes an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The error behind a D-Bus error name, or `nil` if the name is of another interface.
  public init?(name: String, message: String) {
    guard name.hasPrefix(Self.prefix),
      let code = Code(rawValue: String(name.dropFirst(Self.prefix.count)))
    else { return nil }
    self.init(code, message)
  }

  private static let prefix = "fs.sovereign.Navigation.Error."
}

extension NavigationError: CustomStringConvertible {
  /// The message.
  public var description: String { message }
}
