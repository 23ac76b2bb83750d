internal import Bus
internal import Desktop
internal import Launcher
internal import Navigation
internal import Preferences
internal import WebOrigin

/// What every layer's error is called on the bus.
extension BusError {
  init(_ error: NavigationError) {
    self.init(name: error.name, message: error.message)
  }

  init(_ error: InstanceAddressError) {
    switch error {
    case .unsupportedScheme, .schemeOrUser:
      self.init(NavigationError(.unsupportedScheme, error.description))
    case .tooLong: self.init(NavigationError(.limitExceeded, error.description))
    case .malformed, .credentials, .ambiguousHost:
      self.init(NavigationError(.invalidURL, error.description))
    }
  }

  init(_ error: PolicyChangeError) {
    switch error {
    case .unknownInstance: self.init(NavigationError(.unknownInstance, error.description))
    case .presetInstance: self.init(NavigationError(.locked, error.description))
    case .notSwitched: self.init(NavigationError(.notAllowed, error.description))
    case .tooManyInstances, .labelTooLong:
      self.init(NavigationError(.limitExceeded, error.description))
    }
  }

  /// - Parameter settings: Those that were to be changed.
  init(_ error: PolicyChangeError, in settings: Settings) {
    self.init(error)
    if case .presetInstance(let origin) = error, let path = settings.presetSources[origin] {
      self.init(NavigationError(.locked, "\(error): \(path) names it"))
    }
  }

  init(_ error: LockedSetting) {
    self.init(NavigationError(.locked, error.description))
  }

  init(_ error: RegistrationError) {
    let code: NavigationError.Code =
      switch error {
      case .notInstalled: .noHandler
      case .stillDefault: .locked
      case .file, .broken, .tooLong, .recordBroken, .notKept, .halfDone, .notRestored, .notDurable,
        .beaten:
        .storeFailed
      }
    self.init(NavigationError(code, error.description))
  }

  static func invalidArgument(_ message: String) -> BusError {
    BusError(name: invalidArguments, message: message)
  }
}
