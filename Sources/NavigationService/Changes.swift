internal import Bus
internal import Desktop
internal import Files
internal import Navigation
internal import Preferences
internal import WebOrigin

// A change is durable on disk first; then one PropertiesChanged carries all of it, then comes
// ActiveChanged, then the reply, which is the caller's to send.
extension NavigationService {
  /// The origin of an instance that a person typed.
  func instanceOrigin(_ url: String) throws(BusError) -> Origin {
    do throws(InstanceAddressError) {
      return try InstanceAddress(url).origin
    } catch {
      throw BusError(error)
    }
  }

  /// Changes the active origin or the instances, as somebody asks for it.
  ///
  /// - Parameters:
  ///   - origin: Of the instance that it is about.
  ///   - isChoice: Whether it says which instance is active.
  func change(
    _ origin: Origin?, isChoice: Bool,
    _ transform: (inout Policy) throws(PolicyChangeError) -> Void
  ) throws(BusError) {
    try checkMayWrite()
    try catchUpWithShell()
    readEdits()
    try apply(transform)
    try letStand(changeOf: origin, isChoice: isChoice)
  }

  /// Makes a change of the active origin or the instances.
  ///
  /// The files are to be read before: what is asked for is compared with what they say, and who asks for
  /// what an edit by hand has just changed would else be told that it is so.
  func apply(_ transform: (inout Policy) throws(PolicyChangeError) -> Void) throws(BusError) {
    let old = settings.policy
    var new = old
    do throws(PolicyChangeError) {
      try transform(&new)
    } catch {
      throw BusError(error, in: settings)
    }
    do throws(LockedSetting) {
      try settings.check(new)
    } catch {
      throw BusError(error)
    }
    var layer = store.user
    layer.adopt(new, insteadOf: old)
    try save(layer)
  }

  /// Changes the file, and tells everybody what is different then.
  private func save(_ layer: Layer) throws(BusError) {
    let outcome: Outcome
    do throws(StoreError) {
      outcome = try store.save(layer)
    } catch {
      throw BusError(NavigationError(.storeFailed, error.description))
    }
    announce(outcome)
    // The change is made, so everybody knows; but the caller was promised that it lasts.
    if let error = outcome.durabilityError {
      throw BusError(NavigationError(.storeFailed, error.description))
    }
  }

  /// Takes over what the store holds now.
  private func announce(_ outcome: Outcome) {
    report(outcome.news, as: MessageID.preferenceProblem)
    if store.isToBeReadAgain { preferenceWatcher?.tryAgain() }
    if outcome.current != outcome.previous { sessionChoices.invalidate() }
    announceChange(from: outcome.previous, to: outcome.current)
    letStand(outcome.current.policy, insteadOf: outcome.previous.policy)
    if outcome.current.shell != outcome.previous.shell { otherChangers = [:] }
    let wasUnknown = outcome.previous.unknownAdministrator != nil
    let isUnknown = outcome.current.unknownAdministrator != nil
    if outcome.current.follow != outcome.previous.follow || isUnknown != wasUnknown {
      followShell()
    }
  }

  private func announceChange(from previous: Settings, to current: Settings) {
    let (old, new) = (previous.policy, current.policy)
    if new != old { decider = Decider(new) }
    var changed: [String] = []
    if new.active != old.active { changed.append("ActiveOrigin") }
    if new.instances != old.instances { changed.append("Instances") }
    if current.locked != previous.locked { changed.append("Locked") }
    guard !changed.isEmpty else { return }
    do throws(BusError) {
      try connection.emitPropertiesChanged(
        path: Address.path, interface: Address.interface, names: changed)
      guard new.active != old.active else { return }
      try connection.emitSignal(
        path: Address.path, interface: Address.interface, member: "ActiveChanged"
      ) { (signal) throws(BusError) in
        try signal.append(new.active?.description ?? "")
      }
    } catch {
      Journal.log(.error, "the change cannot be announced: \(error)")
    }
  }

  func report(_ diagnostics: [Diagnostic], as id: String) {
    for diagnostic in diagnostics {
      Journal.log(.warning, diagnostic.description, fields: [("MESSAGE_ID", id)])
    }
  }
}

/// Identifies kinds of journal lines; `journalctl MESSAGE_ID=…`.
enum MessageID {
  /// Something is wrong with a preference file.
  static let preferenceProblem = "3f0b8a0e8f8d4b6c9a3d0d6c1d6f5b21"
  /// Something is wrong with the store of a shell that does not know this service.
  static let shellStoreProblem = "875fdcb72b7c41e7a9fe62bd1b498020"
  /// A link was not opened, or an application not started.
  static let notOpened = "b4b1e91e015948568d5086f5c725a708"
}

// MARK: Options

extension NavigationService {
  /// `SetOption`: checks the value, stores it and answers.
  func setOption(_ name: String, to value: String, _ call: borrowing Message) throws(BusError) {
    guard let key = Key(rawValue: name), Key.options.contains(key) else {
      let names = Key.options.map(\.rawValue).joined(separator: ", ")
      throw .invalidArgument("there is no option `\(name.prefix(80))`; there are \(names)")
    }
    readEdits()
    try check(key)
    guard key == .browser || key == .shell else {
      let wasFollowed = settings.follow
      try store(value, in: key)
      // What the shell said and could not be taken over may be by now. Where this changes whether it is
      // followed, that has been looked at.
      if key == .follow, wasFollowed, settings.follow { followShell() }
      return try call.makeReturn().send()
    }
    // Which applications there are depends on the session. What resets one must not overtake what set it.
    let invocation = Invocation(retaining: call)
    withChoices(for: invocation, keeping: value.utf8.count) { [self] _ in
      do throws(BusError) {
        try store(value, in: key)
        invocation.reply()
      } catch {
        invocation.fail(error)
      }
    }
  }

  private func store(_ value: String, in key: Key) throws(BusError) {
    try checkMayWrite()
    readEdits()
    try check(key)
    if key == .browser || key == .shell, !value.isEmpty { try checkApplication(value, as: key) }
    var layer = store.user
    do throws(InvalidValue) {
      try layer.set(key, to: value)
    } catch {
      throw .invalidArgument(error.description)
    }
    try save(layer)
  }

  /// An edit that was just read may have made the browser-to-be the shell.
  private func checkApplication(_ id: String, as key: Key) throws(BusError) {
    let choices = sessionChoices.current()
    let objection =
      key == .browser ? choices.objection(toBrowser: id) : choices.objection(toShell: id)
    guard let objection else { return }
    throw BusError(
      NavigationError(
        key == .browser ? .noBrowser : .noShell,
        "\(id.prefix(255)) cannot be the \(key == .browser ? "browser" : "shell"): "
          + objection.description))
  }

  private func check(_ key: Key) throws(BusError) {
    do throws(LockedSetting) {
      try settings.check(key)
    } catch {
      throw BusError(error)
    }
  }
}

// MARK: Edits by hand

extension NavigationService {
  /// Reads the files, and reads them again whenever one, or what leads to it, changes.
  func followPreferences() {
    let watcher = FileWatcher(
      "the preference files", in: loop, at: { [unowned self] in store.watches },
      changed: { [unowned self] in announce(store.reload()) })
    preferenceWatcher = watcher
    watcher.start()
    announce(store.reload())
  }

  /// Takes over what the files say now, before a change.
  func readEdits() {
    announce(store.reloadBeforeChange())
  }
}
