// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The handlers have the names that the C interface gives them.

internal import Bus
internal import CNavigationInterface
internal import CSystemd
internal import Launcher

// org.freedesktop.Application: how desktops reach the handler of web links.

@c @implementation
func application_activate(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    let context = try LaunchContext(platformData: Options(try call.readOptions()))
    let invocation = Invocation(retaining: call)
    service.activate(context: context, from: invocation) { error in
      if let error { invocation.fail(BusError(error)) } else { invocation.reply() }
    }
  }
}

@c @implementation
func application_open(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    var urls: [String] = []
    try call.readURLs { urls.append(Message.text($0)) }
    let request = OpenRequest(
      urls: urls, context: try LaunchContext(platformData: Options(try call.readOptions())),
      forcesBrowser: false)
    let invocation = Invocation(retaining: call)
    service.open(request, from: invocation) { outcomes in
      for case .failure(let error) in outcomes { return invocation.fail(BusError(error)) }
      invocation.reply()
    }
  }
}

@c @implementation
func application_activate_action(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (_, call) throws(BusError) in
    throw .invalidArgument("there is no action ‘\(try call.readURL().prefix(80))’")
  }
}
