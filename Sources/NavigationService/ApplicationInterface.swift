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
    service.answerActivate(call)
  }
}

@c @implementation
func application_open(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    service.answerOpen(call)
  }
}

@c @implementation
func application_activate_action(
  _ message: OpaquePointer?, _ service: UnsafeMutableRawPointer?,
  _ error: UnsafeMutablePointer<sd_bus_error>?
) -> CInt {
  answer(message, service, error) { (service, call) throws(BusError) in
    service.answerAction(call)
  }
}

extension NavigationService {
  private static let interface: StaticString = "org.freedesktop.Application"

  /// Takes a call that lacks the platform data: KDE sends none where it runs without a display server.
  func answerWithoutPlatformData(_ call: borrowing Message) -> Bool {
    if call.isCall(of: "Open", in: Self.interface), call.hasSignature("as") {
      answerOpen(call, hasData: false)
    } else if call.isCall(of: "Activate", in: Self.interface), call.hasSignature("") {
      answerActivate(call, hasData: false)
    } else if call.isCall(of: "ActivateAction", in: Self.interface), call.hasSignature("sav") {
      answerAction(call, hasData: false)
    } else {
      return false
    }
    return true
  }

  fileprivate func answerOpen(_ call: borrowing Message, hasData: Bool = true) {
    let invocation = Invocation(retaining: call)
    var urls: [String] = []
    do throws(BusError) {
      try call.readURLs { urls.append(Message.text($0)) }
    } catch {
      // Whether the caller shows it comes after the URLs.
      report(error.message, of: decider.decide(urls.first ?? ""), notifies: true)
      return invocation.fail(error)
    }
    let data = hasData ? Options(platformDataOf: call) : Options()
    let isConfined = caller.isConfined
    let request = OpenRequest(
      urls: urls, context: CallContext(LaunchContext(data, isConfined: isConfined)),
      forcesBrowser: false, isConfined: isConfined, notifies: data.notifies)
    open(request, from: invocation) { outcomes in
      for case .failure(let error) in outcomes { return invocation.fail(request.answer(error)) }
      invocation.reply()
    }
  }

  fileprivate func answerAction(_ call: borrowing Message, hasData: Bool = true) {
    do throws(BusError) {
      answerActivate(call, try call.readAction(), hasData: hasData)
    } catch {
      report(error.message, of: nil, notifies: true)
      Invocation(retaining: call).fail(error)
    }
  }

  fileprivate func answerActivate(
    _ call: borrowing Message, _ action: DesktopAction? = nil, hasData: Bool = true
  ) {
    let data = hasData ? Options(platformDataOf: call) : Options()
    let invocation = Invocation(retaining: call)
    let isConfined = caller.isConfined
    activate(
      action, context: LaunchContext(data, isConfined: isConfined), notifies: data.notifies,
      from: invocation
    ) { error in
      if let error {
        invocation.fail(error.answer(isConfined: isConfined))
      } else {
        invocation.reply()
      }
    }
  }
}

extension Message {
  /// An action's name and, passed over, its parameters: none takes any.
  fileprivate func readAction() throws(BusError) -> DesktopAction {
    let name = try readText()
    guard let action = DesktopAction(rawValue: name) else {
      let names = DesktopAction.allCases.map(\.rawValue).joined(separator: " and ")
      throw .invalidArgument("there is no such action; there are \(names)")
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
