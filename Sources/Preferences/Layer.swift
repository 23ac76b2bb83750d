package import Navigation
package import WebOrigin

/// What one file says; `nil` where it says nothing.
///
/// The user's file is one layer, each administrator's file is another: a default can only be told
/// from a choice as long as "says nothing" is a value of its own.
package struct Layer: Hashable, Sendable {
  /// What a file can say about the active origin.
  package enum Active: Hashable, Sendable {
    /// `ActiveOrigin=`: none, whatever the default is.
    case cleared
    case origin(Origin)

    package var origin: Origin? {
      if case .origin(let origin) = self { origin } else { nil }
    }
  }

  package var active: Active?
  package var browser: String?
  package var shell: String?
  package var knownInstances: Policy.KnownInstances?
  package var schemes: [String]?
  package var follow: Bool?
  package var notify: Bool?
  /// The instances in the order of the file, each origin once.
  package var entries: [Entry]
  /// What an administrator's file locks; the user's can lock nothing.
  package var locked: Set<Lock> = []

  /// A file that says nothing.
  package init() { entries = [] }
}

/// An instance as a file has it.
package struct Entry: Hashable, Sendable {
  package let origin: Origin
  /// `nil` if there is none.
  package var label: String?
  package var addedAt: Int64

  /// The instance that the file means.
  package var instance: Instance {
    Instance(origin: origin, label: label ?? origin.hostAndPort, addedAt: addedAt)
  }
}

extension Entry {
  /// What is written of an instance that no file has yet.
  init(_ instance: Instance) {
    let label = instance.givenLabel
    self.init(
      origin: instance.origin, label: label.isEmpty ? nil : label, addedAt: instance.addedAt)
  }
}

extension Layer {
  /// Takes over what differs between two policies, and nothing else.
  ///
  /// An instance that the old policy only implied (`Settings`) is written down as soon as the
  /// active origin or the instances change.
  package mutating func adopt(_ new: Policy, insteadOf old: Policy) {
    guard new.active != old.active || new.instances != old.instances else { return }
    if new.active != old.active { active = new.active.map(Active.origin) ?? .cleared }

    let kept = Set(new.instances.map(\.origin))
    let removed = Set(old.instances.map(\.origin)).subtracting(kept)
    entries.removeAll { removed.contains($0.origin) }

    let labels = Dictionary(old.instances.map { ($0.origin, $0.label) }) { first, _ in first }
    var indices: [Origin: Int] = [:]
    for (index, entry) in entries.enumerated() { indices[entry.origin] = index }
    // What is written of a preset is what the user calls it.
    for instance in new.instances where !instance.isPreset || !old.instances.contains(instance) {
      let index = indices[instance.origin]
      var entry = index.map { entries[$0] } ?? Entry(instance)
      entry.addedAt = instance.addedAt
      // One that somebody gave it on purpose, even where it is the default one.
      if let label = labels[instance.origin], label != instance.label {
        entry.label = instance.label
      }
      if let index {
        entries[index] = entry
      } else {
        entries.append(entry)
      }
    }
  }
}
