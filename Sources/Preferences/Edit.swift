import Files
import Navigation
import WebOrigin

/// One change of what the file says.
enum Edit: Hashable {
  /// `nil` removes the line.
  case set(Key, String?)
  /// Adds the instance, or changes what differs.
  case store(Entry, insteadOf: Entry?)
  case remove(Origin)
}

extension Layer {
  /// What makes this layer out of another.
  func edits(from old: Layer) -> [Edit] {
    var edits: [Edit] = Key.allCases.filter { text(of: $0) != old.text(of: $0) }
      .map { .set($0, text(of: $0)) }
    let kept = Set(entries.map(\.origin))
    edits += old.entries.filter { !kept.contains($0.origin) }.map { .remove($0.origin) }
    let before = Dictionary(old.entries.map { ($0.origin, $0) }) { first, _ in first }
    for entry in entries where before[entry.origin] != entry {
      edits.append(.store(entry, insteadOf: before[entry.origin]))
    }
    return edits
  }

  /// Whether the layer says what an edit makes it say.
  func shows(_ edit: Edit) -> Bool {
    switch edit {
    case .set(let key, let text):
      self.text(of: key) == text
    case .store(let new, let old):
      entries.contains {
        $0.origin == new.origin && (new.label == old?.label || $0.label == new.label)
          && (new.addedAt == old?.addedAt || $0.addedAt == new.addedAt)
      }
    case .remove(let origin):
      !entries.contains { $0.origin == origin }
    }
  }
}

/// Carries out edits on the bytes of a preference file, which may be empty, and leaves alone every
/// line that need not change.
func applying(_ edits: [Edit], to bytes: [UInt8]) throws(KeyFileError) -> [UInt8] {
  var groups = try InstanceGroups(bytes)
  var editor = KeyFileEditor(bytes)
  // Without this group the file would be broken.
  editor.addGroup(Group.navigation)
  editor.removeGroups(
    edits.reduce(into: []) { gone, edit in
      if case .remove(let origin) = edit { gone.formUnion(groups.byOrigin[origin] ?? []) }
    })
  for edit in edits {
    switch edit {
    case .set(let key, let text?):
      editor.set(key.rawValue, to: text, in: Group.navigation)
    case .set(let key, nil):
      editor.remove(key.rawValue, in: Group.navigation)
    case .store(let new, let old):
      editor.store(new, insteadOf: old, in: &groups)
    case .remove: break
    }
  }
  return editor.bytes
}

extension KeyFileEditor {
  fileprivate mutating func store(
    _ new: Entry, insteadOf old: Entry?, in groups: inout InstanceGroups
  ) {
    guard let group = groups.byOrigin[new.origin]?.first else {
      let values: [(InstanceKey, String?)] = [
        (.origin, new.origin.description), (.label, new.label), (.addedAt, String(new.addedAt)),
      ]
      let lines = values.compactMap { key, text in text.map { (key.rawValue, $0) } }
      return append(groups.add(new.origin), lines)
    }
    if new.label != old?.label {
      if let label = new.label {
        set(InstanceKey.label.rawValue, to: label, in: group)
      } else {
        remove(InstanceKey.label.rawValue, in: group)
      }
    }
    if new.addedAt != old?.addedAt {
      set(InstanceKey.addedAt.rawValue, to: String(new.addedAt), in: group)
    }
  }
}

/// The groups of a file that describe instances.
private struct InstanceGroups {
  private var names: Set<String>
  /// The first group of an origin is the one that counts.
  private(set) var byOrigin: [Origin: [String]] = [:]

  init(_ bytes: [UInt8]) throws(KeyFileError) {
    let file = try KeyFile(parsingWithMark: bytes)
    let groups = file.groups.filter(Group.isInstance)
    names = Set(groups)
    for group in groups {
      let key = InstanceKey.origin.rawValue
      guard let text = file.string(key, in: group),
        let origin = try? Value(key: key, text: text.trimmed).origin()
      else { continue }
      byOrigin[origin, default: []].append(group)
    }
  }

  /// The name of a new group.
  mutating func add(_ origin: Origin) -> String {
    var number = names.count + 1
    while names.contains(Group.instance(number)) { number += 1 }
    let name = Group.instance(number)
    names.insert(name)
    byOrigin[origin] = [name]
    return name
  }
}
