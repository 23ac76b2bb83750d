internal import Bus

/// The properties of the service.
public struct ServiceState: Hashable, Sendable {
  /// A stored instance.
  public struct Instance: Hashable, Sendable {
    /// Its origin.
    public let origin: String
    /// What the user calls it.
    public let label: String
    /// When it was added, in milliseconds since the Unix epoch.
    public let addedAt: Int64
    /// Whether an administrator put it there.
    public let isPreset: Bool
  }

  /// The active origin; empty if there is none.
  public private(set) var activeOrigin = ""
  /// The stored instances, in order.
  public private(set) var instances: [Instance] = []
  /// The desktop-file id of the browser that links go to; empty if there is none.
  public private(set) var browser = ""
  /// The desktop-file id of the shell that links go to; empty if there is none.
  public private(set) var shell = ""
  /// Whether the service is the desktop's default for https links.
  public private(set) var isRegistered = false
  /// The settings that an administrator has fixed.
  public private(set) var locked: [String] = []
  /// The version of the interface.
  public private(set) var version: UInt32 = 0

  init(reading reply: borrowing Message) throws(BusError) {
    // A copy: the closures below may not capture a parameter that is being initialized.
    var state = (
      active: "", browser: "", shell: "", isRegistered: false, locked: [String](),
      version: UInt32(0)
    )
    var instances: [Instance] = []
    try reply.readArray(of: "{sv}") { () throws(BusError) in
      try reply.readContainer("e", "sv") { () throws(BusError) in
        switch try reply.readString() {
        case "Instances":
          instances = try Self.readInstances(reply)
        case let name:
          switch (name, try reply.readVariant()) {
          case ("ActiveOrigin", .string(let value)): state.active = value
          case ("Browser", .string(let value)): state.browser = value
          case ("Shell", .string(let value)): state.shell = value
          case ("Registered", .bool(let value)): state.isRegistered = value
          case ("Locked", .strings(let value)): state.locked = value
          case ("Version", .uint32(let value)): state.version = value
          default: break
          }
        }
      }
    }
    activeOrigin = state.active
    self.instances = instances
    browser = state.browser
    shell = state.shell
    isRegistered = state.isRegistered
    locked = state.locked
    version = state.version
  }

  private static func readInstances(_ reply: borrowing Message) throws(BusError) -> [Instance] {
    var instances: [Instance] = []
    try reply.readContainer("v", "a(ssxa{sv})") { () throws(BusError) in
      try reply.readArray(of: "(ssxa{sv})") { () throws(BusError) in
        try reply.readContainer("r", "ssxa{sv}") { () throws(BusError) in
          let origin = try reply.readString()
          let label = try reply.readString()
          let addedAt = try reply.readInt64()
          let extras = try reply.readOptions()
          instances.append(
            Instance(
              origin: origin, label: label, addedAt: addedAt,
              isPreset: extras["preset"] == .bool(true)))
        }
      }
    }
    return instances
  }
}
