// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The handlers have the names that the C interface gives them.

internal import Bus
internal import CNavigationInterface
internal import CSystemd
internal import Desktop
internal import Navigation
internal import Preferences
internal import WebOrigin

/// The version of the interface; documented in its XML.
private let interfaceVersion: UInt32 = 1

/// A property of the interface.
private enum Property: String, CaseIterable {
  case activeOrigin = "ActiveOrigin"
  case instances = "Instances"
  case browser = "Browser"
  case shell = "Shell"
  case registered = "Registered"
  case locked = "Locked"
  case version = "Version"

  var signature: String {
    switch self {
    case .activeOrigin, .browser, .shell: "s"
    case .instances: "a(ssxa{sv})"
    case .locked: "as"
    case .registered: "b"
    case .version: "u"
    }
  }

  /// Whether the answer depends on the session, which must be asked for first.
  var needsSession: Bool { self == .browser || self == .shell || self == .registered }
}

extension NavigationService {
  private func append(
    _ property: Property, to message: borrowing Message,
    among choices: @autoclosure () -> ApplicationChoices
  ) throws(BusError) {
    switch property {
    case .activeOrigin: try message.append(settings.policy.active?.description ?? "")
    case .browser: try message.append(choices().browser?.id ?? "")
    case .shell: try message.append(choices().shell?.id ?? "")
    case .registered: try message.append(choices().isOursTheDefault)
    case .locked: try message.append(settings.locked.map(\.rawValue))
    case .version: try message.append(interfaceVersion)
    case .instances:
      try message.appendContainer("a", "(ssxa{sv})") { () throws(BusError) in
        for instance in settings.policy.instances {
          try message.appendContainer("r", "ssxa{sv}") { () throws(BusError) in
            try message.append(instance.origin.description)
            try message.append(instance.label)
            try message.append(instance.addedAt)
            try message.append(options: [("preset", .bool(instance.isPreset))])
          }
        }
      }
    }
  }

  fileprivate func appendProperty(
    named name: String, to message: borrowing Message
  ) throws(BusError) {
    guard let property = Property(rawValue: name) else {
      throw .invalidArgument("there is no property \(name)")
    }
    // Who reads it is answered elsewhere: this is for a signal, which says what is announced.
    if property == .registered, let toldRegistered { return try message.append(toldRegistered) }
    try append(property, to: message, among: sessionChoices.current())
  }

  /// Answers what the tables of sd-bus cannot: reads that need the session as it is now, which a getter
  /// must not wait for, and calls of the application that lack their platform data.
  func interceptCalls() throws(BusError) -> Slot {
    try connection.intercept(path: Address.path) { [unowned self] call in
      guard admit(call) else { return true }
      let taken: Bool
      if call.isCall(of: "Get", in: "org.freedesktop.DBus.Properties") {
        taken = answerGet(call)
      } else if call.isCall(of: "GetAll", in: "org.freedesktop.DBus.Properties") {
        taken = answerGetAll(call)
      } else {
        return answerWithoutPlatformData(call)
      }
      // What is not taken is read again, from the start, by sd-bus.
      if !taken { _ = try? call.rewind() }
      return taken
    }
  }

  private func answerGet(_ call: borrowing Message) -> Bool {
    guard call.hasSignature("ss"),
      let interface = try? call.readString(), interface == Address.interface,
      let name = try? call.readString(),
      let property = Property(rawValue: name), property.needsSession
    else { return false }
    let invocation = Invocation(retaining: call)
    withChoices(for: invocation) { [self] choices in
      if property == .registered { watchRegistration(told: choices.isOursTheDefault) }
      invocation.reply { (reply) throws(BusError) in
        try reply.appendContainer("v", property.signature) { () throws(BusError) in
          try append(property, to: reply, among: choices)
        }
      }
    }
    return true
  }

  private func answerGetAll(_ call: borrowing Message) -> Bool {
    // The empty string means all interfaces; the others of this object have no properties.
    guard call.hasSignature("s"), let interface = try? call.readString(),
      interface == Address.interface || interface.isEmpty
    else { return false }
    let invocation = Invocation(retaining: call)
    withChoices(for: invocation) { [self] choices in
      watchRegistration(told: choices.isOursTheDefault)
      invocation.reply { (reply) throws(BusError) in
        try reply.appendContainer("a", "{sv}") { () throws(BusError) in
          for property in Property.allCases {
            try reply.appendContainer("e", "sv") { () throws(BusError) in
              try reply.append(property.rawValue)
              try reply.appendContainer("v", property.signature) { () throws(BusError) in
                try append(property, to: reply, among: choices)
              }
            }
          }
        }
      }
    }
    return true
  }
}

@c @implementation
func navigation_get_property(
  _ bus: OpaquePointer?, _ path: UnsafePointer<CChar>?, _ interface: UnsafePointer<CChar>?,
  _ property: UnsafePointer<CChar>?, _ reply: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(reply, service, error) { (service, reply) throws(BusError) in
    try service.appendProperty(named: property.map { String(cString: $0) } ?? "", to: reply)
  }
}
