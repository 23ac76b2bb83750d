internal import Bus
internal import Launcher
internal import Navigation

/// The options that a caller sent in an `a{sv}`. Unknown ones are ignored. Where one comes twice, the last
/// one counts.
///
/// Nothing is copied but what is asked for, and of that no more than can be of use.
struct Options {
  /// What an option is read as.
  enum Kind {
    case text
    case bool
    case int64
    /// Of an environment, the variables that a caller may set.
    case variables

    var signature: String {
      switch self {
      case .text: "s"
      case .bool: "b"
      case .int64: "x"
      case .variables: "a{ss}"
      }
    }
  }

  /// `Open`'s.
  static let ofOpen = ofPlatformData + [("destination", Kind.text)]
  /// `AddInstance`'s.
  static let ofAddInstance = [("activate", Kind.bool), ("added-at", .int64)]
  private static let ofPlatformData = [
    ("activation-token", Kind.text), ("desktop-startup-id", .text), ("environment", .variables),
    ("notify", .bool),
  ]

  private var values: [String: Variant] = [:]

  /// None.
  init() {}

  /// Reads what comes next in `call`: the options of a member of fs.sovereign.Navigation. Another type than
  /// that of `kinds` is an error.
  init(of call: borrowing Message, _ kinds: [(String, Kind)]) throws(BusError) {
    try read(call, kinds) { (name, kind, signature) throws(BusError) in
      throw .invalidArgument(
        "the option \(name) has the type \(signature), where \(kind.signature) is expected")
    }
  }

  /// Reads what comes next in `call`: the platform data of a member of org.freedesktop.Application. A link
  /// is not lost over them: what has another type, and what is after something unreadable, is ignored.
  init(platformDataOf call: borrowing Message) {
    try? read(call, Self.ofPlatformData) { _, _, _ in }
  }

  private mutating func read(
    _ call: borrowing Message, _ kinds: [(String, Kind)],
    wrongType: (String, Kind, String) throws(BusError) -> Void
  ) throws(BusError) {
    var room = Limits.options
    try call.readArray(of: "{sv}") { () throws(BusError) in
      room -= 1
      guard room >= 0 else { throw .tooManyOptions }
      try call.readContainer("e", "sv") { () throws(BusError) in
        let bytes = try call.readBytes()
        guard let (name, kind) = kinds.first(where: { bytes.elementsEqual($0.0.utf8) }) else {
          return try call.skip(room: &room, else: .tooManyOptions)
        }
        let signature = try call.peek()?.contents ?? ""
        guard signature == kind.signature else {
          try wrongType(name, kind, signature)
          return try call.skip(room: &room, else: .tooManyOptions)
        }
        values[name] = try call.readContainer("v", signature) { () throws(BusError) in
          try Self.readValue(kind, of: call, room: &room)
        }
      }
    }
  }

  private static func readValue(
    _ kind: Kind, of call: borrowing Message, room: inout Int
  ) throws(BusError) -> Variant {
    switch kind {
    case .text: return .string(text(try call.readBytes()))
    case .bool: return .bool(try call.readBool())
    case .int64: return .int64(try call.readInt64())
    case .variables:
      var variables: [String: String] = [:]
      try call.readArray(of: "{ss}") { () throws(BusError) in
        room -= 1
        guard room >= 0 else { throw .tooManyOptions }
        try call.readContainer("e", "ss") { () throws(BusError) in
          let bytes = try call.readBytes()
          let value = try call.readBytes()
          let name = LaunchContext.allowedVariables.first { bytes.elementsEqual($0.utf8) }
          if let name { variables[name] = text(value) }
        }
      }
      return .stringDictionary(variables)
    }
  }

  /// Cut where it is too long for any use of it.
  private static func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: bytes.prefix(LaunchContext.longestValue + 1), as: UTF8.self)
  }

  func text(_ name: String) -> String? {
    if case .string(let text)? = values[name] { text } else { nil }
  }

  func bool(_ name: String) -> Bool? {
    if case .bool(let bool)? = values[name] { bool } else { nil }
  }

  func int64(_ name: String) -> Int64? {
    if case .int64(let number)? = values[name] { number } else { nil }
  }

  func variables(_ name: String) -> [String: String] {
    if case .stringDictionary(let variables)? = values[name] { variables } else { [:] }
  }
}

extension BusError {
  static var tooManyOptions: BusError {
    BusError(
      NavigationError(
        .limitExceeded, "the options consist of more than \(Limits.options) values"))
  }
}

extension LaunchContext {
  /// What `Open`'s options, or the platform data of an `org.freedesktop.Application` call, say.
  ///
  /// - Parameter isConfined: Whether the caller runs in a sandbox: it would choose the display that the
  ///   user sees, or does not see, the application on.
  init(_ options: Options, isConfined: Bool) {
    self.init(
      asked: options.text("activation-token"), startupID: options.text("desktop-startup-id"),
      environment: isConfined ? [:] : options.variables("environment"))
  }
}
