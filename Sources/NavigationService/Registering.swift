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
      registrationWatcher?.start()
      announceRegistration()
      if let failure { invocation.fail(BusError(failure)) } else { invocation.reply() }
    }
  }

  /// Notes what somebody was told, and watches the user's lists from then on: changes matter to those
  /// who know how it was.
  @discardableResult
  func follow(_ isRegistered: Bool) -> Bool {
    if registrationWatcher == nil {
      toldRegistered = isRegistered
      let watcher = FileWatcher(
        "the lists of default applications", in: loop,
        at: { [unowned self] in
          registrar.lists.reduce(into: []) { $0.formUnion(Watch.all(on: $1)) }
        },
        changed: { [unowned self] in withChoices { [self] _ in announceRegistration() } })
      registrationWatcher = watcher
      watcher.start()
    }
    return isRegistered
  }

  private func announceRegistration() {
    let isRegistered = choices.isOursTheDefault
    guard toldRegistered != isRegistered else { return }
    toldRegistered = isRegistered
    do throws(BusError) {
      try connection.emitPropertiesChanged(
        path: Address.path, interface: Address.interface, names: ["Registered"])
    } catch {
      Journal.log(.error, "the change cannot be announced: \(error)")
    }
  }
}
