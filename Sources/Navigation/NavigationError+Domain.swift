extension NavigationError {
  package init(_ error: InstanceAddressError) {
    let code: Code =
      switch error {
      case .malformed, .credentials, .ambiguousHost: .invalidURL
      case .unsupportedScheme: .unsupportedScheme
      case .tooLong: .limitExceeded
      }
    self.init(code, error.description)
  }

  package init(_ error: PolicyChangeError) {
    let code: Code =
      switch error {
      case .unknownInstance: .unknownInstance
      case .presetInstance: .locked
      case .tooManyInstances, .labelTooLong: .limitExceeded
      }
    self.init(code, error.description)
  }
}
