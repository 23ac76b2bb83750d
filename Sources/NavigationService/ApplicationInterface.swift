// swift-format-ignore-file: AlwaysUseLowerCamelCase
// The handlers have the names that the C interface gives them.

internal import Bus
internal import CNavigationInterface
internal import CSystemd
internal import Launcher
internal import Navigation

// org.freedesktop.Application: how desktops reach the handler of web links.

@c @implementation
func application_activate(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    service.answerActivate(nil, Options(platformDataOf: call), call)
  }
}

@c @implementation
func application_open(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    let urls = try call.readAllURLs()
    service.answerOpen(urls, Options(platformDataOf: call), call)
  }
}

@c @implementation
func application_activate_action(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    let action = try call.readAction()
    service.answerActivate(action, Options(platformDataOf: call), call)
  }
}

extension NavigationService {
  private static let interface: StaticString = "org.freedesktop.Application"

  /// Takes a call that lacks the platform data: KDE sends none where it runs without a display server.
  func answerWithoutPlatformData(_ call: borrowing Message) -> Bool {
    do throws(BusError) {
      if call.isCall(of: "Open", in: Self.interface), call.hasSignature("as") {
        answerOpen(try call.readAllURLs(), Options(), call)
      } else if call.isCall(of: "Activate", in: Self.interface), call.hasSignature("") {
        answerActivate(nil, Options(), call)
      } else if call.isCall(of: "ActivateAction", in: Self.interface), call.hasSignature("sav") {
        let action = try call.readAction()
        answerActivate(action, Options(), call)
      } else {
        return false
      }
    } catch {
      Invocation(retaining: call).fail(error)
    }
    return true
  }

  fileprivate func answerOpen(
    _ urls: [String], _ data: Options, _ call: borrowing Message
  ) {
    let isConfined = caller.isConfined
    let request = OpenRequest(
      urls: urls, context: CallContext(LaunchContext(data, isConfined: isConfined)),
      forcesBrowser: false, isConfined: isConfined, notifies: data.notifies)
    let invocation = Invocation(retaining: call)
    open(request, from: invocation) { outcomes in
      for case .failure(let error) in outcomes { return invocation.fail(request.answer(error)) }
      invocation.reply()
    }
  }

  fileprivate func answerActivate(
    _ action: DesktopAction?, _ data: Options, _ call: borrowing Message
  ) {
    let context = LaunchContext(data, isConfined: caller.isConfined)
    let notifies = data.notifies
    let invocation = Invocation(retaining: call)
    activate(action, context: context, notifies: notifies, from: invocation) { error in
      if let error { invocation.fail(BusError(error)) } else { invocation.reply() }
    }
  }
}

extension Message {
  fileprivate func readAllURLs() throws(BusError) -> [String] {
    var urls: [String] = []
    try readURLs { urls.append(Self.text($0)) }
    return urls
  }

  /// An action's name and, passed over, its parameters: none takes any.
  fileprivate func readAction() throws(BusError) -> DesktopAction {
    let name = try readText()
    guard let action = DesktopAction(rawValue: name) else {
      let names = DesktopAction.allCases.map(\.rawValue).joined(separator: " and ")
      throw .invalidArgument("there is no action `\(name.prefix(80))`; there are \(names)")
    }
    var room = Limits.options
    try skip(room: &room, else: .tooManyOptions)
    return action
  }
}

extension Options {
  /// Most that call as desktops do show no error themselves.
  fileprivate var notifies: Bool { bool("notify") ?? true }
}
