package import Files
internal import Glibc

/// Makes this service the desktop's handler of web links, and puts back what was there.
package struct Registrar {
  private let directories: BaseDirectories
  private let record: DurableFile

  /// - Parameters:
  ///   - directories: Of the session, with its `XDG_CURRENT_DESKTOP`.
  ///   - state: Those that the service's own files are in.
  package init(_ directories: BaseDirectories, state: BaseDirectories) {
    self.directories = directories
    record = DurableFile(path: Self.recordPath(state))
  }

  private static func recordPath(_ state: BaseDirectories) -> String {
    state.stateHome + "/sovereign/registration.conf"
  }

  /// The browser that was in force when we became the handler, if we did.
  package static func previousBrowser(_ state: BaseDirectories) -> String? {
    let record = try? RegistrationRecord(
      DurableFile(path: recordPath(state)).read(limit: recordLimit))
    return record?.browser
  }

  /// What is known of the time before we became the handler.
  package enum Memory: Hashable, Sendable {
    case none
    case kept
    case broken(String)
    /// It may be all right.
    case unreadable(String)
  }

  package var memory: Memory {
    do throws(RegistrationError) {
      let now = try look()
      return now.record == nil ? .none : .kept
    } catch {
      switch error {
      case .recordBroken(_, let reason): return .broken(reason.description)
      case .file(let reason) where reason.path == record.path:
        return .unreadable(reason.description)
      default: return access(record.path, F_OK) == 0 ? .kept : .none
      }
    }
  }

  package var recordPath: String { record.path }

  /// Whether one of the user's lists names us.
  package var isNamed: Bool {
    let groups = [AssociationList.Group.defaults, .added]
    return lists.contains { path in
      let list = AssociationList(path: path, groups: groups)
      return groups.contains { group in
        AssociationFile.types.contains { type in
          list.ids(group, for: type).contains { $0.id == DesktopEntry.ours }
        }
      }
    }
  }

  /// The files of the user that decide who the handler is, most important first.
  package var lists: [String] { names.map { "\(directories.configHome)/\($0)" } }

  /// The file of the user that counts on every desktop.
  package var plainList: String { "\(directories.configHome)/\(AssociationList.plainName)" }

  /// A list of the user that no program can read, and why.
  package struct UnusableList: Hashable, Sendable {
    package let path: String
    package let reason: String
  }

  package var unusableLists: [UnusableList] {
    lists.compactMap { path in
      do throws(RegistrationError) {
        if let text = try read(path) { try Registration.check(text, at: path) }
        return nil
      } catch {
        switch error {
        case .file(let reason): return UnusableList(path: path, reason: reason.description)
        case .broken(_, let reason): return UnusableList(path: path, reason: reason.description)
        default: return nil
        }
      }
    }
  }

  /// Makes us the default. What was there is on disk before anything is touched.
  package func register() throws(RegistrationError) {
    try checkInstallation()
    let found = try look()
    removeLeftovers(beside: found)
    var now = found
    var notDurable: FileError?
    for attempt in 1...3 {
      var steps = try steps(registering: now)
      if steps.first.map(isOfRecord) == true {
        try keep(steps.removeFirst(), insteadOf: found)
        // That takes a while, in which another program may change a list.
        if attempt < 3, let next = try? look(), next.lists.map(\.text) != now.lists.map(\.text) {
          now = next
          continue
        }
      }
      notDurable = try apply(steps, at: now, foundRecord: found.recordText)
      break
    }
    let associations = Associations(directories)
    for scheme in ["http", "https"] {
      let handler = associations.handler(ofScheme: scheme)
      guard handler?.id != DesktopEntry.ours else { continue }
      throw .beaten(scheme: scheme, by: handler)
    }
    if let notDurable { throw .notDurable(notDurable) }
  }

  /// Puts back what was there, except what somebody changed since.
  package func unregister() throws(RegistrationError) {
    let found = try look(ignoringBrokenRecord: true)
    removeLeftovers(beside: found)
    var notDurable: FileError?
    for step in found.unregistering() {
      do throws(FileError) {
        try perform(step)
      } catch  where error.isReplaced {
        notDurable = error
      } catch {
        throw .notRestored(error)
      }
    }
    if let handler = Associations(directories).handler(ofScheme: "https"),
      handler.id == DesktopEntry.ours
    {
      throw .stillDefault(handler)
    }
    if let notDurable { throw .notDurable(notDurable) }
  }
}

// MARK: What is there

extension Registrar {
  /// In bytes. The record holds each list twice.
  private static let recordLimit = 64 << 20

  private var names: [String] {
    Associations.desktops(directories).map(AssociationList.name(forDesktop:))
      + [AssociationList.plainName]
  }

  /// Where the desktop finds no handler, every link would die.
  private func checkInstallation() throws(RegistrationError) {
    let entry: DesktopEntry
    do throws(DesktopEntryError) {
      entry = try ApplicationDirectories(directories).firstEntry(DesktopEntry.ours)
    } catch {
      throw .notInstalled(error.description)
    }
    if let program = entry.missingProgram(searchPath: directories.searchPath) {
      throw .notInstalled(Unsuitability.programMissing(program).description)
    }
  }

  func look(ignoringBrokenRecord: Bool = false) throws(RegistrationError) -> Registration {
    let text = try read(record.path, limit: Self.recordLimit)
    var known: RegistrationRecord?
    do throws(KeyFileError) {
      if let text { known = try RegistrationRecord(text) }
    } catch {
      guard ignoringBrokenRecord else { throw .recordBroken(path: record.path, error) }
    }
    let place = directories.dataHome + Registration.List.oldPlace
    // Programs may have put us into any of those at the old place. It goes without those, too.
    let old = names.map { place + $0 }.filter(canBeRead)
    let used = lists + old.filter { $0 == place + AssociationList.plainName }
    var found: [Registration.List] = []
    for path in used + (known?.files ?? []).map(\.path) + old
    where !found.contains(where: { $0.path == path }) {
      found.append(
        .init(
          path: path, isInUse: used.contains(path), text: try read(path),
          missingDirectories: missingDirectories(of: path)))
    }
    return Registration(
      recordPath: record.path, recordText: text, record: known, lists: found)
  }

  /// A longer list is one that we would not read ourselves to find the default.
  private func read(
    _ path: String, limit: Int = KeyFile.maximumLength
  ) throws(RegistrationError) -> [UInt8]? {
    do throws(FileError) {
      return try DurableFile(path: path).read(limit: limit)
    } catch {
      guard error.cause == .absent else { throw .file(error) }
      return nil
    }
  }

  private func canBeRead(_ path: String) -> Bool {
    do throws(RegistrationError) {
      _ = try read(path)
      return true
    } catch {
      return false
    }
  }

  private func missingDirectories(of path: String) -> [String] {
    var missing: [String] = []
    var directory = parent(of: (try? DurableFile(path: path).chain().last) ?? path)
    while directory != "/", access(directory, F_OK) != 0 {
      missing.insert(directory, at: 0)
      directory = parent(of: directory)
    }
    return missing
  }

  /// What is to be done. Where we are the handler already, what the record says of the time before
  /// stays true.
  func steps(registering now: Registration) throws(RegistrationError) -> [Registration.Step] {
    let associations = Associations(directories)
    var previous: [String: String] = [:]
    var named: [String: String] = [:]
    for type in AssociationFile.types {
      previous[type] = associations.handler(of: type, besides: DesktopEntry.ours)?.id
      named[type] = associations.usersDefault(for: type, besides: DesktopEntry.ours)?.id
      if let record = now.record, associations.handler(of: type)?.id == DesktopEntry.ours {
        previous[type] = record.previous[type]
      }
    }
    return try now.registering(previous: previous, named: named)
  }
}

// MARK: Changing it

extension Registrar {
  private func isOfRecord(_ step: Registration.Step) -> Bool {
    step.path == record.path
  }

  /// Writes the record. If it may not survive a power cut, nothing else may be touched.
  private func keep(
    _ step: Registration.Step, insteadOf found: Registration
  ) throws(RegistrationError) {
    do throws(FileError) {
      try perform(step)
    } catch {
      if error.isReplaced { try? restore(record.path, to: found.recordText, removing: []) }
      throw .file(error.undone)
    }
  }

  /// Makes changes to lists, all of them or none.
  ///
  /// - Returns: Why they may not survive a power cut.
  private func apply(
    _ steps: [Registration.Step], at now: Registration, foundRecord: [UInt8]?
  ) throws(RegistrationError) -> FileError? {
    var notDurable: FileError?
    var done: [Registration.List] = []
    for step in steps {
      let list = now.lists.first { step.path == $0.path }
      do throws(FileError) {
        try perform(step)
      } catch  where error.isReplaced {
        notDurable = error
      } catch {
        try undo(done, foundRecord: foundRecord, because: error)
        throw .file(error)
      }
      if let list { done.append(list) }
    }
    return notDurable
  }

  private func undo(
    _ done: [Registration.List], foundRecord: [UInt8]?, because cause: FileError
  ) throws(RegistrationError) {
    do throws(FileError) {
      for list in done {
        try restore(list.path, to: list.text, removing: list.missingDirectories)
      }
      try restore(record.path, to: foundRecord, removing: [])
    } catch {
      throw .halfDone(cause, undoing: error)
    }
  }

  private func restore(
    _ path: String, to text: [UInt8]?, removing directories: [String]
  ) throws(FileError) {
    do throws(FileError) {
      try perform(text.map { .write($0, to: path) } ?? .remove(path))
    } catch  where error.isReplaced {
      // The change that is undone may not survive a power cut, either, and unregister knows both.
    }
    guard text == nil else { return }
    for directory in directories.reversed() { try perform(.removeDirectory(directory)) }
  }

  /// A run that was cut short may have written something where nothing is to be done now.
  private func removeLeftovers(beside now: Registration) {
    for path in [record.path] + now.lists.map(\.path) { DurableFile(path: path).removeLeftovers() }
  }

  func perform(_ step: Registration.Step) throws(FileError) {
    switch step {
    case .write(let text, let path):
      try DurableFile(path: path).replace(with: text)
    case .remove(let path):
      // Not the symbolic link: it was there, and led nowhere.
      let file = DurableFile(path: path)
      try DurableFile(path: file.chain().last ?? path).remove()
    case .removeDirectory(let path):
      try removeDirectory(path)
    }
  }
}
