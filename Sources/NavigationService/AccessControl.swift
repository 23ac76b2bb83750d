internal import Bus
internal import Desktop
internal import Launcher
internal import Navigation
internal import Preferences

/// What a call asks for, as far as it matters who may ask for it.
enum Access {
  case decision
  case link
  /// An application with nothing to open. Launchers are often gone when their call is seen: nobody
  /// can tell then where they ran, and what they may start is what a link may start.
  case start
  case reading
  /// Of the active origin and the instances.
  case change
  /// Of how links are opened on this desktop.
  case configuration
  /// What is not named here, and whatever comes later.
  case other

  /// The members that are not `other`; the most frequent first.
  static let members: [(interface: StaticString, member: StaticString, access: Access)] = [
    (navigation, "Decide", .decision),
    (navigation, "DecideMany", .decision),
    (navigation, "Open", .link),
    (navigation, "Explain", .link),
    (navigation, "SetActive", .change),
    (navigation, "AddInstance", .change),
    (navigation, "RemoveInstance", .change),
    (navigation, "SetOption", .configuration),
    (navigation, "Register", .configuration),
    (navigation, "Unregister", .configuration),
    (application, "Open", .link),
    (application, "Activate", .start),
    (application, "ActivateAction", .start),
    ("org.freedesktop.DBus.Properties", "Get", .reading),
    ("org.freedesktop.DBus.Properties", "GetAll", .reading),
    ("org.freedesktop.DBus.Introspectable", "Introspect", .decision),
  ]
  private static let navigation: StaticString = "fs.sovereign.Navigation"
  private static let application: StaticString = "org.freedesktop.Application"

  init(to call: borrowing Message) {
    for (interface, member, access) in Self.members
    where call.isCall(of: member, in: interface) {
      self = access
      return
    }
    self = .other
  }

  func isOpen(to caller: Caller) -> Bool {
    switch self {
    case .decision, .link: true
    case .start: !caller.isConfined || caller.confinement == .unknown
    case .reading, .change: !caller.isConfined
    case .configuration, .other: caller.confinement == .none
    }
  }
}

extension NavigationService {
  /// Lets a call in, or answers it with the reason why not; returns whether it is let in.
  ///
  /// Unless anybody may make it, `caller` is its sender, as long as it is handled.
  func admit(_ call: borrowing Message) -> Bool {
    let access = Access(to: call)
    guard access != .decision else { return true }
    identify(call.sender ?? "")
    do throws(BusError) {
      guard access.isOpen(to: caller) else { throw BusError(notAllowed) }
      if access == .change || access == .configuration {
        try checkMayWrite()
        try checkIsStillShell(access)
        noteChange(by: caller)
      }
      return true
    } catch {
      Invocation(retaining: call).fail(error)
      return false
    }
  }

  /// An edit may just have named another application as the shell.
  private func checkIsStillShell(_ access: Access) throws(BusError) {
    guard caller.isNamedAsShell else { return }
    readEdits()
    caller.isNamedAsShell = isShell(caller.confinement)
    guard access.isOpen(to: caller) else { throw BusError(notAllowed) }
  }

  /// A flood from one caller costs one question a second.
  private func identify(_ sender: String) {
    if caller.uniqueName != sender || caller.process == nil || loop.now >= callerIsOld {
      caller = Caller(sender, on: connection)
      callerIsOld = loop.now + 1_000_000
    }
    caller.isNamedAsShell = caller.confinement != .none && isShell(caller.confinement)
  }

  private var notAllowed: NavigationError {
    let allowed =
      caller.isNamedAsShell
      ? "a shell in a sandbox may change the active origin and the instances, and no setting"
      : "an application in a sandbox may ask where a link belongs and open it, and nothing else"
    return NavigationError(.notAllowed, "\(allowed); its sandbox is \(caller.confinement)")
  }

  /// Whether a sandbox is the application that the user or the administrator named as the shell.
  private func isShell(_ sandbox: Confinement) -> Bool {
    guard let shell = settings.shell else { return false }
    let installed = ApplicationDirectories(session.directories)
    // A Flatpak may have the id of an application of the host's, and comes next where the program of that
    // is gone. Links go there; rights do not.
    let entries = [try? installed.firstEntry(shell), try? installed.entry(shell)]
    return entries.allSatisfy { $0.map(sandbox.isApplication) ?? false }
  }
}

extension Confinement: CustomStringConvertible {
  var description: String {
    switch self {
    case .none: "none"
    case .flatpak(let id): "the Flatpak \(id?.prefix(255) ?? "of no application")"
    case .snap(let name): "the snap \(name.prefix(255))"
    case .unknown: "unknown, because the caller could not be identified"
    }
  }
}
