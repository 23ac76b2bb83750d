import Files
import Navigation
import WebOrigin

/// What the bytes of a preference file mean.
struct Reading {
  private(set) var layer = Layer()
  private(set) var problems: [Problem] = []
  /// How many there are besides.
  private var unnamed = 0
  /// Whether a setting had to be taken from the fallback.
  private(set) var isPatched = false

  /// In bytes.
  static let maximumLength = 1 << 20

  /// Reads a file; a setting whose value is not usable is that of `fallback`.
  init(
    _ bytes: [UInt8], isAdministrators: Bool = false, fallback: Layer
  ) throws(Defect) {
    guard bytes.count <= Self.maximumLength else { throw .tooLarge }
    guard !bytes.isEmpty else { throw .empty }
    let file: KeyFile
    do throws(KeyFileError) {
      file = try KeyFile(parsingWithMark: bytes)
    } catch {
      throw .notKeyFile(error)
    }
    guard file.hasGroup(Group.navigation) else { throw .noNavigationGroup }

    let lines = KeyFileEditor(bytes)
    readSettings(of: file, fallback: fallback)
    if isAdministrators { try readLocks(in: lines) }
    readInstances(of: file)
    noteUnknownNames(in: file, isAdministrators: isAdministrators)
    noteUnknownLines(in: lines)
    noteRepetitions(in: lines)
    if unnamed > 0 { problems.append(.more(unnamed)) }
  }

  /// A file may have one in each line.
  private mutating func note(_ problem: @autoclosure () -> Problem) {
    if problems.count < Problem.worthNaming {
      problems.append(problem())
    } else {
      unnamed += 1
    }
  }

  private mutating func readSettings(of file: borrowing KeyFile, fallback: Layer) {
    let present = Set(file.keys(in: Group.navigation))
    for key in Key.allCases where present.contains(key.rawValue) {
      do throws(InvalidValue) {
        try layer.set(key, to: file.text(key.rawValue, in: Group.navigation))
      } catch {
        layer.take(key, from: fallback)
        isPatched = true
        note(.invalidValue(error))
      }
    }
  }

  /// What one of several lines locks is locked: GLib would take the last one alone.
  private mutating func readLocks(in lines: KeyFileEditor) throws(Defect) {
    var names: Set<String> = []
    for value in lines.rawValues(of: lockedKey, in: Group.navigation) {
      let line = Array("[\(Group.navigation)]\n\(lockedKey)=".utf8) + value
      guard let text = (try? KeyFile(parsing: line))?.string(lockedKey, in: Group.navigation)
      else { throw .locksUnreadable }
      names.formUnion(text.split(separator: ";").map { String($0).trimmed })
    }
    names.remove("")
    layer.locked = Set(names.compactMap(Lock.init(rawValue:)))
    let unknown = names.subtracting(Lock.allCases.map(\.rawValue)).sorted()
    for name in unknown {
      note(.notLockable(name, suggestion: nearest(to: name, among: Lock.allCases.map(\.rawValue))))
    }
  }

  private mutating func readInstances(of file: borrowing KeyFile) {
    var origins: Set<Origin> = []
    for group in file.groups where Group.isInstance(group) {
      do throws(InvalidValue) {
        let entry = try self.entry(group, of: file)
        if origins.insert(entry.origin).inserted {
          layer.entries.append(entry)
        } else {
          note(.repeatedInstance(group: group, entry.origin))
        }
      } catch {
        note(.invalidInstance(group: group, error))
      }
    }
    let count = layer.entries.count
    if count > Policy.maximumInstances { note(.tooManyInstances(count)) }
  }

  private mutating func entry(
    _ group: String, of file: borrowing KeyFile
  ) throws(InvalidValue) -> Entry {
    let key = InstanceKey.origin.rawValue
    let origin = try Value(key: key, text: (file.string(key, in: group) ?? "").trimmed).origin()
    var entry = Entry(origin: origin, label: nil, addedAt: 0)

    do throws(InvalidValue) {
      entry.label = try file.label(in: group)
    } catch {
      note(.invalidDetail(group: group, error))
    }
    do throws(InvalidValue) {
      if let addedAt = try file.addedAt(in: group) { entry.addedAt = addedAt }
    } catch {
      note(.invalidDetail(group: group, error))
    }
    return entry
  }

  /// The keys and groups that are not of this file, each once; but for what is no name.
  private mutating func noteUnknownNames(in file: borrowing KeyFile, isAdministrators: Bool) {
    for group in file.groups {
      guard var known = knownKeys(of: group) else {
        if group.isName(with: " ") {
          note(
            .unknownGroup(
              group, suggestion: nearest(to: group, among: [Group.navigation, Group.instance(1)])))
        }
        continue
      }
      if isAdministrators, group == Group.navigation { known.append(lockedKey) }
      for key in Set(file.keys(in: group)).subtracting(known).sorted() where key.isName() {
        note(.unknownKey(key, group: group, suggestion: nearest(to: key, among: known)))
      }
    }
  }

  private mutating func noteUnknownLines(in lines: KeyFileEditor) {
    lines.forEachName { line, group, key in
      if let key {
        if knownKeys(of: group) != nil, !key.isName() { note(.unknownLine(line)) }
      } else if !group.isName(with: " ") {
        note(.unknownLine(line))
      }
    }
  }

  /// What GLib makes one of, silently; what is unknown is named already, and locks unite.
  private mutating func noteRepetitions(in lines: KeyFileEditor) {
    for (group, key) in lines.repetitions {
      guard let known = knownKeys(of: group) else { continue }
      if let key {
        if known.contains(key) { note(.repeatedKey(key, group: group)) }
      } else {
        note(.repeatedGroup(group))
      }
    }
  }
}

extension KeyFile {
  /// The value of a key that is there.
  fileprivate borrowing func text(
    _ key: String, in group: String
  ) throws(InvalidValue) -> String {
    guard let text = string(key, in: group) else {
      throw InvalidValue(key: key, expected: "it in UTF-8")
    }
    return text
  }

  fileprivate borrowing func label(in group: String) throws(InvalidValue) -> String? {
    let key = InstanceKey.label.rawValue
    guard keys(in: group).contains(key) else { return nil }
    let label = try text(key, in: group)
    guard label.utf8.count <= Policy.maximumLabelLength else {
      throw InvalidValue(key: key, expected: "at most \(Policy.maximumLabelLength) bytes")
    }
    return label.isEmpty ? nil : label
  }

  fileprivate borrowing func addedAt(in group: String) throws(InvalidValue) -> Int64? {
    let key = InstanceKey.addedAt.rawValue
    guard keys(in: group).contains(key) else { return nil }
    guard let addedAt = int64(key, in: group) else {
      throw InvalidValue(key: key, expected: "milliseconds since 1970, in digits")
    }
    return addedAt
  }
}

/// The keys of a group, but for what only administrators' files have; `nil` of an unknown group.
private func knownKeys(of group: String) -> [String]? {
  if group == Group.navigation { return Key.allCases.map(\.rawValue) }
  return Group.isInstance(group) ? InstanceKey.allCases.map(\.rawValue) : nil
}
