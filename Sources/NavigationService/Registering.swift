internal import Bus
internal import Desktop
internal import Files
internal import Launcher

extension NavigationService {
  private var registrar: Registrar { Registrar(session.directories, state: directories) }

  /// `Register` and `Unregister`: changes what the desktop opens web links with, and answers.
  func changeRegistration(
    _ invocation: Invocation, _ change: @escaping (Registrar) throws(RegistrationError) -> Void
  ) {
    // The lists are those of the session as it is now.
    withChoices { [self] choices in
      follow(choices.isOursTheDefault)
      var failure: RegistrationError?
      do throws(RegistrationError) {
        try change(registrar)
      } catch {
        failure = error
      }
      registrations += 1
      // The directory may be new.
      watchRegistration()
      announceRegistration()
      if let failure { invocation.fail(BusError(failure)) } else { invocation.reply() }
    }
  }

  /// Notes what somebody was told, and watches the user's lists from then on: changes matter to those
  /// who know how it was.
  @discardableResult
  func follow(_ isRegistered: Bool) -> Bool {
    if registrationFollower == nil {
      registrationFollower = RegistrationFollower(isRegistered: isRegistered)
      watchRegistration()
    }
    return isRegistered
  }

  private func announceRegistration() {
    let isRegistered = choices.isOursTheDefault
    guard let follower = registrationFollower, follower.isRegistered != isRegistered else { return }
    follower.isRegistered = isRegistered
    do throws(BusError) {
      try connection.emitPropertiesChanged(
        path: Address.path, interface: Address.interface, names: ["Registered"])
    } catch {
      Journal.log(.error, "the change cannot be announced: \(error)")
    }
  }

  private func watchRegistration() {
    let paths = registrar.lists.flatMap { (try? DurableFile(path: $0).chain()) ?? [$0] }
    registrationFollower?.watches = Set(paths).compactMap { path in
      let directory = parent(of: path)
      let name = String(path.dropFirst(directory.count).drop { $0 == "/" })
      // A directory that is not there has nothing in it.
      return try? loop.onChange(of: name, in: directory) { [unowned self] in
        registrationFollower?.timer = try? loop.after(100_000) { [unowned self] in
          withChoices { [self] _ in
            watchRegistration()
            announceRegistration()
          }
        }
      }
    }
  }
}

/// What is needed to tell others when we become the handler of web links, or cease to be it.
final class RegistrationFollower {
  /// What was last told.
  var isRegistered: Bool
  var watches: [EventSource] = []
  var timer: EventSource?

  init(isRegistered: Bool) {
    self.isRegistered = isRegistered
  }
}
