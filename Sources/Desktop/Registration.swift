internal import Files

/// What registering and unregistering do to the user's files, worked out from what they hold.
///
/// Each step leaves a state from which either can start again: a crash between two of them loses
/// nothing.
struct Registration {
  /// A file with the user's choices.
  struct List: Hashable {
    let path: String
    /// Whether the desktop in use reads it.
    let isInUse: Bool
    let text: [UInt8]?
    /// The directories that it lacks, the outermost first.
    let missingDirectories: [String]

    static let oldPlace = "/applications/"

    fileprivate var role: AssociationFile.Role {
      if path.hasSuffix(Self.oldPlace + AssociationList.plainName) { return .old }
      return path.hasSuffix("/" + AssociationList.plainName) ? .plain : .desktop
    }
  }

  /// A change to the disk.
  enum Step: Hashable {
    case write([UInt8], to: String)
    case remove(String)
    /// If it is empty.
    case removeDirectory(String)

    var path: String {
      switch self {
      case .write(_, let path), .remove(let path), .removeDirectory(let path): path
      }
    }
  }

  let recordPath: String
  /// The text of the record that is there, and what it says, if it can be read.
  let recordText: [UInt8]?
  let record: RegistrationRecord?
  let lists: [List]

  /// The steps that make us the default; none if we are.
  ///
  /// - Parameters:
  ///   - previous: The handlers before us, by type.
  ///   - named: Those of them that the user's lists name.
  func registering(
    previous: [String: String], named: [String: String]
  ) throws(RegistrationError) -> [Step] {
    var new = RegistrationRecord(previous: previous)
    var steps: [Step] = []
    for list in lists {
      let old = entry(of: list)
      guard list.isInUse else {
        if let old { new.files.append(old) }
        continue
      }
      if let text = list.text, list.role != .old { try Self.check(text, at: list.path) }
      let former = former(of: list)
      var file = AssociationFile(former ?? [])
      file.register(list.role, named: named)
      if list.role != .plain, file.text == former ?? [] {
        // Nothing of ours is needed there, but may be there from the last time.
        if let old { new.files.append(old) }
        steps += restoring(list, to: former)
        continue
      }
      let made = old?.former == nil ? old?.madeDirectories : nil
      new.files.append(
        .init(
          path: list.path, former: former, written: file.text,
          madeDirectories: former == nil ? made ?? list.missingDirectories : []))
      guard file.text.count <= KeyFile.maximumLength else { throw .tooLong(path: list.path) }
      if list.text != file.text { steps.append(.write(file.text, to: list.path)) }
    }
    guard let text = new.text else { throw .notKept(recordPath) }
    return text == recordText ? steps : [.write(text, to: recordPath)] + steps
  }

  /// The steps that put back what was there; none if nothing is ours.
  func unregistering() -> [Step] {
    var steps: [Step] = []
    for list in lists {
      steps += restoring(list, to: former(of: list))
    }
    return recordText == nil ? steps : steps + [.remove(recordPath)]
  }

  private func restoring(_ list: List, to former: [UInt8]?) -> [Step] {
    if let former { return list.text == former ? [] : [.write(former, to: list.path)] }
    let directories = entry(of: list)?.madeDirectories ?? []
    return (list.text == nil ? [] : [.remove(list.path)])
      + directories.reversed().map(Step.removeDirectory)
  }

  private func entry(of list: List) -> RegistrationRecord.File? {
    record?.files.first { $0.path == list.path }
  }

  /// What a list would hold now without us; `nil` if it would not be there.
  private func former(of list: List) -> [UInt8]? {
    let entry = entry(of: list)
    if let entry, list.text == entry.written { return entry.former }
    return list.text.map { text in
      var file = AssociationFile(text)
      if text != entry?.former {
        let named = list.role == .old && entry != nil ? record?.previous : nil
        file.unregister(former: entry?.former ?? [], named: named ?? [:])
      }
      return file.text
    }
  }

  static func check(_ text: [UInt8], at path: String) throws(RegistrationError) {
    do throws(KeyFileError) {
      _ = try KeyFile(parsing: text)
    } catch {
      throw .broken(path: path, error)
    }
  }
}
