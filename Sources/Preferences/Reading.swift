import Files
import Navigation
import WebOrigin

/// What the bytes of a preference file mean.
struct Reading {
  private(set) var layer = Layer()
  private(set) var problems: [Problem] = []
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

    readSettings(of: file, fallback: fallback)
    if isAdministrators { try readLocks(in: bytes) }
    readInstances(of: file)
    problems += unknownNames(in: file, isAdministrators: isAdministrators)
    problems += repetitions(in: bytes)
  }

  private mutating func readSettings(of file: borrowing KeyFile, fallback: Layer) {
    let present = Set(file.keys(in: Group.navigation))
    for key in Key.allCases where present.contains(key.rawValue) {
      do throws(InvalidValue) {
        try layer.set(key, to: file.text(key.rawValue, in: Group.navigation))
      } catch {
        layer.take(key, from: fallback)
        isPatched = true
        problems.append(.invalidValue(error))
      }
    }
  }

  /// What one of several lines locks is locked: GLib would take the last one alone.
  private mutating func readLocks(in bytes: [UInt8]) throws(Defect) {
    var names: Set<String> = []
    for value in KeyFileEditor(bytes).rawValues(of: lockedKey, in: Group.navigation) {
      let line = Array("[\(Group.navigation)]\n\(lockedKey)=".utf8) + value
      guard let text = (try? KeyFile(parsing: line))?.string(lockedKey, in: Group.navigation)
      else { throw .locksUnreadable }
      names.formUnion(text.split(separator: ";").map { String($0).trimmed })
    }
    names.remove("")
    layer.locked = Set(names.compactMap(Lock.init(rawValue:)))
    let unknown = names.subtracting(Lock.allCases.map(\.rawValue)).sorted()
    problems += unknown.prefix(worthNaming).map { name in
      let suggestion = nearest(to: name, among: Lock.allCases.map(\.rawValue))
      return .notLockable(name, suggestion: suggestion)
    }
    if unknown.count > worthNaming {
      problems.append(.moreNotLockable(unknown.count - worthNaming))
    }
  }

  private mutating func readInstances(of file: borrowing KeyFile) {
    var origins: Set<Origin> = []
    for group in file.groups where Group.isInstance(group) {
      do throws(InvalidValue) {
        var isLabelPlain = false
        let instance = try self.instance(group, of: file, &isLabelPlain)
        if origins.insert(instance.origin).inserted {
          layer.instances.append(instance)
          if isLabelPlain { layer.plainLabels.insert(instance.origin) }
        } else {
          problems.append(.repeatedInstance(group: group, instance.origin))
        }
      } catch {
        problems.append(.invalidInstance(group: group, error))
      }
    }
    if layer.instances.count > Policy.maximumInstances {
      problems.append(.tooManyInstances(layer.instances.count))
    }
  }

  private mutating func instance(
    _ group: String, of file: borrowing KeyFile, _ isLabelPlain: inout Bool
  ) throws(InvalidValue) -> Instance {
    let key = InstanceKey.origin.rawValue
    let origin = try Value(key: key, text: (file.string(key, in: group) ?? "").trimmed).origin()
    var instance = Instance(origin: origin, label: origin.hostAndPort, addedAt: 0)

    do throws(InvalidValue) {
      if let label = try file.label(in: group) {
        instance.label = label
        isLabelPlain = instance.givenLabel.isEmpty
      }
    } catch {
      problems.append(.invalidDetail(group: group, error))
    }
    do throws(InvalidValue) {
      if let addedAt = try file.addedAt(in: group) { instance.addedAt = addedAt }
    } catch {
      problems.append(.invalidDetail(group: group, error))
    }
    return instance
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

/// What GLib makes one of, silently; what is unknown is named already, and locks unite.
private func repetitions(in bytes: [UInt8]) -> [Problem] {
  let found = KeyFileEditor(bytes).repetitions.compactMap { group, key -> Problem? in
    guard let known = knownKeys(of: group) else { return nil }
    guard let key else { return .repeatedGroup(group) }
    return known.contains(key) ? .repeatedKey(key, group: group) : nil
  }
  let named = found.prefix(worthNaming)
  return named + (found.count > named.count ? [.moreRepeated(found.count - named.count)] : [])
}

/// The keys of a group, but for what only administrators' files have; `nil` of an unknown group.
private func knownKeys(of group: String) -> [String]? {
  if group == Group.navigation { return Key.allCases.map(\.rawValue) }
  return Group.isInstance(group) ? InstanceKey.allCases.map(\.rawValue) : nil
}

/// How many unknown names of one kind are named.
private let worthNaming = 32

/// The keys and groups that are not of this file, each once; only so many are worth naming.
private func unknownNames(
  in file: borrowing KeyFile, isAdministrators: Bool
) -> [Problem] {
  var problems: [Problem] = []
  var rest = 0
  for group in file.groups {
    guard var known = knownKeys(of: group) else {
      if problems.count < worthNaming {
        let suggestion = nearest(to: group, among: [Group.navigation, Group.instance(1)])
        problems.append(.unknownGroup(group, suggestion: suggestion))
      } else {
        rest += 1
      }
      continue
    }
    if isAdministrators, group == Group.navigation { known.append(lockedKey) }
    for key in Set(file.keys(in: group)).subtracting(known).sorted() {
      if problems.count < worthNaming {
        let suggestion = nearest(to: key, among: known)
        problems.append(.unknownKey(key, group: group, suggestion: suggestion))
      } else {
        rest += 1
      }
    }
  }
  return rest == 0 ? problems : problems + [.moreUnknown(rest)]
}
