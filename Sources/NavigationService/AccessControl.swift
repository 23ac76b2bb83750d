internal import Bus
internal import Navigation
internal import Preferences

/// What a call needs before it is answered.
private enum Access {
  /// Nothing: whoever reaches the service may ask.
  case everyone
  /// Confined callers get an answer, and less than others.
  case confined
  /// Callers in a sandbox are refused. Launchers are often gone when their call is seen: nobody can
  /// tell then where they ran, and what they may start is what a link may start.
  case unlessSandboxed
  /// Only callers of whom it is known that they are not confined.
  case unconfined

  /// What is not named here, and whatever comes later, is for unconfined callers.
  init(to call: borrowing Message) {
    if call.isCall(of: "Decide", in: "fs.sovereign.Navigation")
      || call.isCall(of: "DecideMany", in: "fs.sovereign.Navigation")
      || call.isCall(of: "Introspect", in: "org.freedesktop.DBus.Introspectable")
    {
      self = .everyone
    } else if call.isCall(of: "Open", in: "fs.sovereign.Navigation")
      || call.isCall(of: "Explain", in: "fs.sovereign.Navigation")
      || call.isCall(of: "Open", in: "org.freedesktop.Application")
    {
      self = .confined
    } else if call.isCall(of: "Activate", in: "org.freedesktop.Application")
      || call.isCall(of: "ActivateAction", in: "org.freedesktop.Application")
    {
      self = .unlessSandboxed
    } else {
      self = .unconfined
    }
  }
}

extension NavigationService {
  /// Refuses a call that its sender may not make; returns whether it did.
  ///
  /// Otherwise `confinement` says where the sender runs, as long as the call is handled.
  func refuse(_ call: borrowing Message) -> Bool {
    let access = Access(to: call)
    guard access != .everyone else { return false }
    confinement = confinement(of: call)
    switch (access, confinement) {
    case (.everyone, _), (.confined, _), (_, .none), (.unlessSandboxed, .unknown): return false
    case (.unlessSandboxed, _), (.unconfined, _): break
    }
    Invocation(retaining: call).fail(
      BusError(
        NavigationError(
          .notAllowed,
          "an application in a sandbox may ask where a link belongs and open it, and nothing "
            + "else; its sandbox is \(confinement)")))
    return true
  }

  /// A sandbox that the user or the administrator named as the shell is none.
  private func confinement(of call: borrowing Message) -> Confinement {
    guard let sender = call.sender else { return .unknown }
    do throws(BusError) {
      let found = try connection.withProcess(behind: sender, Confinement.init(ofProcess:))
      return settings.shell.map(found.isApplication) ?? false ? .none : found
    } catch {
      return .unknown
    }
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
