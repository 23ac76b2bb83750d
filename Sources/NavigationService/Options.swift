internal import Bus
internal import Launcher

/// An `a{sv}` that a caller sent. Unknown keys are ignored, wrong types are errors.
struct Options {
  /// Those of the members of fs.sovereign.Navigation.
  static let names: Set = [
    "activation-token", "desktop-startup-id", "destination", "environment", "activate", "added-at",
    "notify",
  ]

  private let values: [String: Variant]

  init(_ values: [String: Variant]) {
    self.values = values
  }

  /// Reads what comes next in `call`: the options of a member of fs.sovereign.Navigation.
  init(of call: borrowing Message) throws(BusError) {
    values = try call.readOptions(Self.names)
  }

  /// Reads what comes next in `call`: the platform data of a member of org.freedesktop.Application.
  init(platformDataOf call: borrowing Message) throws(BusError) {
    values = try call.readOptions([
      "activation-token", "desktop-startup-id", "environment", "notify",
    ])
  }

  func string(_ key: String) throws(BusError) -> String? {
    guard let value = values[key] else { return nil }
    guard case .string(let string) = value else { throw wrongType(key, value, "s") }
    return string
  }

  func bool(_ key: String) throws(BusError) -> Bool? {
    guard let value = values[key] else { return nil }
    guard case .bool(let bool) = value else { throw wrongType(key, value, "b") }
    return bool
  }

  func int64(_ key: String) throws(BusError) -> Int64? {
    guard let value = values[key] else { return nil }
    guard case .int64(let number) = value else { throw wrongType(key, value, "x") }
    return number
  }

  func stringDictionary(_ key: String) throws(BusError) -> [String: String]? {
    guard let value = values[key] else { return nil }
    guard case .stringDictionary(let dictionary) = value else {
      throw wrongType(key, value, "a{ss}")
    }
    return dictionary
  }

  private func wrongType(_ key: String, _ value: Variant, _ expected: String) -> BusError {
    .invalidArgument(
      "the option \(key) has the type \(value.signature), where \(expected) is expected")
  }
}

extension LaunchContext {
  /// What `Open`'s options, or the platform data of an `org.freedesktop.Application` call, say.
  ///
  /// - Parameter isConfined: Whether the caller runs in a sandbox: it would choose the display that the
  ///   user sees, or does not see, the application on.
  init(_ options: Options, isConfined: Bool) throws(BusError) {
    let environment = try options.stringDictionary("environment") ?? [:]
    self.init(
      asked: try options.string("activation-token"),
      startupID: try options.string("desktop-startup-id"),
      environment: isConfined ? [:] : environment)
  }
}
