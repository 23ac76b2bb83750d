// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The handlers have the names that the C interface gives them.

internal import Bus
internal import CNavigationInterface
internal import CSystemd
internal import Launcher
internal import Navigation
internal import WebOrigin

/// Where the service is on the bus.
enum Address {
  static let name = "fs.sovereign.Navigation"
  static let path = "/fs/sovereign/Navigation"
  static let interface = "fs.sovereign.Navigation"
}

/// Runs a handler: what it throws becomes the error reply.
func answer(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?,
  _ body: (NavigationService, borrowing Message) throws(BusError) -> Void
) -> CInt {
  guard let message, let service else { return -22 }
  do throws(BusError) {
    try body(
      Unmanaged<NavigationService>.fromOpaque(service).takeUnretainedValue(),
      Message(retaining: message))
    return 1
  } catch let failure {
    return failure.write(to: error)
  }
}

@c @implementation
func navigation_decide(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    // What cannot be read is no URL, and no error either.
    let url = (try? call.readBytes()) ?? UnsafeBufferPointer(start: nil, count: 0)
    let destination = service.decider.destination(of: url)
    let reply = try call.makeReturn()
    try reply.append(destination.rawValue)
    try reply.send()
  }
}

@c @implementation
func navigation_decide_many(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    try service.decideMany(call)
  }
}

@c @implementation
func navigation_explain(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    service.explain(try call.readText(), Invocation(retaining: call))
  }
}

@c @implementation
func navigation_open(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    let url = try call.readText()
    let options = try Options(of: call, Options.ofOpen)
    let destination = options.text("destination")
    guard destination == nil || destination == Destination.browser.rawValue else {
      throw .invalidArgument("the option destination takes only `browser`")
    }
    let isConfined = service.caller.isConfined
    let request = OpenRequest(
      urls: [url], context: CallContext(LaunchContext(options, isConfined: isConfined)),
      forcesBrowser: destination != nil, isConfined: isConfined,
      notifies: options.bool("notify") ?? false)
    let invocation = Invocation(retaining: call)
    service.open(request, from: invocation) { outcomes in
      switch outcomes.first {
      case .success(let destination)?:
        invocation.reply { (reply) throws(BusError) in try reply.append(destination.rawValue) }
      case .failure(let error)?:
        invocation.fail(request.answer(error))
      case nil:
        break
      }
    }
  }
}

@c @implementation
func navigation_set_active(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    let url = try call.readText()
    let origin = url.isEmpty ? nil : try service.instanceOrigin(url)
    try service.change(origin, isChoice: true) { (policy) throws(PolicyChangeError) in
      try policy.setActive(origin, now: Clock.unixMilliseconds)
    }
    let reply = try call.makeReturn()
    try reply.append(origin?.description ?? "")
    try reply.send()
  }
}

@c @implementation
func navigation_add_instance(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    let origin = try service.instanceOrigin(try call.readText())
    let label = try call.readText()
    let options = try Options(of: call, Options.ofAddInstance)
    let activate = options.bool("activate") ?? true
    let addedAt = options.int64("added-at") ?? Clock.unixMilliseconds
    try service.change(origin, isChoice: activate) { (policy) throws(PolicyChangeError) in
      try policy.add(origin, label: label, activate: activate, addedAt: addedAt)
    }
    let reply = try call.makeReturn()
    try reply.append(origin.description)
    try reply.send()
  }
}

@c @implementation
func navigation_remove_instance(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    let origin = try service.instanceOrigin(try call.readText())
    try service.change(origin, isChoice: false) { (policy) throws(PolicyChangeError) in
      try policy.remove(origin)
    }
    try call.makeReturn().send()
  }
}

@c @implementation
func navigation_set_option(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    let name = try call.readText()
    let value = try call.readText()
    try service.setOption(name, to: value, call)
  }
}

@c @implementation
func navigation_register(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    service.changeRegistration(to: true, Invocation(retaining: call))
  }
}

@c @implementation
func navigation_unregister(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    service.changeRegistration(to: false, Invocation(retaining: call))
  }
}

extension Message {
  /// The next string, cut where it is too long for any use of it, so that no huge one is copied.
  func readText() throws(BusError) -> String {
    Self.text(try readBytes())
  }

  static func text(_ url: UnsafeBufferPointer<UInt8>) -> String {
    String(decoding: url.prefix(Limits.length + 1), as: UTF8.self)
  }

  /// Runs `body` for each string of the array that comes next, as long as there are not too many.
  func readURLs(
    _ body: (UnsafeBufferPointer<UInt8>) throws(BusError) -> Void
  ) throws(BusError) {
    var count = 0
    var length = 0
    try readArray(of: "s") { () throws(BusError) in
      let url = try readBytes()
      count += 1
      length += url.count
      guard count <= Limits.urls, length <= Limits.totalLength else {
        throw BusError(
          NavigationError(
            .limitExceeded,
            "more than \(Limits.urls) URLs or \(Limits.totalLength >> 20) MiB; send them in parts"))
      }
      try body(url)
    }
  }
}
