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
    values = try call.readOptions(["activation-token", "desktop-startup-id"])
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
  /// What `Open`'s options say.
  init(_ options: Options) throws(BusError) {
    try self.init(platformData: options)
    environment = (try options.stringDictionary("environment") ?? [:])
      .filter { Self.allowedVariables.contains($0.key) && $0.value.canBeAVariable }
  }

  /// What the platform data of an `org.freedesktop.Application` call say.
  init(platformData: Options) throws(BusError) {
    self.init(
      activationToken: try Self.token("activation-token", in: platformData),
      startupID: try Self.token("desktop-startup-id", in: platformData))
  }

  /// A link is not lost over a token that no application can be given.
  private static func token(_ key: String, in options: Options) throws(BusError) -> String? {
    guard let token = try options.string(key), !token.isEmpty, token.canBeAVariable else {
      return nil
    }
    return token
  }
}

extension String {
  /// Whether a program can be started with it as the value of a variable: systemd refuses a unit over a
  /// control character, the kernel a string over 128 KiB. Nothing that is meant is longer than a path.
  fileprivate var canBeAVariable: Bool {
    utf8.count <= 4096 && utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
