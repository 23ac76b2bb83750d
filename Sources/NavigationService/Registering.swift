internal import Bus
internal import Desktop
internal import Files
internal import Launcher

extension NavigationService {
  private var registrar: Registrar { Registrar(session.directories, state: directories) }

  /// `Register` and `Unregister`: changes what the desktop opens web links with, and answers.
  ///
  /// - Parameter isWanted: Whether to register.
  func changeRegistration(to isWanted: Bool, _ invocation: Invocation) {
    // The lists are those of the session as it is now.
    withChoices(for: invocation) { [self] choices in
      do throws(BusError) {
        try checkMayWrite()
      } catch {
        return invocation.fail(error)
      }
      watchRegistration(told: choices.isOursTheDefault)
      var failure: RegistrationError?
      do throws(RegistrationError) {
        if isWanted { try registrar.register() } else { try registrar.unregister() }
      } catch {
        failure = error
      }
      sessionChoices.invalidate()
      // The directory may be new.
      registrationWatcher?.start()
      // Where it succeeded, that is known; a list that cannot be read now would say otherwise.
      announceRegistration(
        failure == nil ? isWanted : sessionChoices.current().isOursTheDefault)
      if let failure { invocation.fail(BusError(failure)) } else { invocation.reply() }
    }
  }

  /// Notes what somebody was told, and watches the user's lists from then on: changes matter to those
  /// who know how it was.
  func watchRegistration(told isRegistered: Bool) {
    guard registrationWatcher == nil else { return }
    toldRegistered = isRegistered
    let watcher = FileWatcher(
      "the lists of default applications", in: loop,
      at: { [unowned self] in
        registrar.lists.reduce(into: []) { $0.formUnion(Watch.all(on: $1)) }
      },
      changed: { [unowned self] in
        withChoices { [self] choices in announceRegistration(choices.isOursTheDefault) }
      })
    registrationWatcher = watcher
    watcher.start()
    // What was told was read before.
    watcher.check(after: 0)
  }

  private func announceRegistration(_ isRegistered: Bool) {
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
