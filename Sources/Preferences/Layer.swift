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
  /// In the order of the file, each origin once.
  package var instances: [Instance]
  /// Those of the instances whose label says no more than the default one, and is there all the same.
  package var plainLabels: Set<Origin> = []
  /// What an administrator's file locks; the user's can lock nothing.
  package var locked: Set<Lock> = []

  /// A file that says nothing.
  package init() { instances = [] }
}

extension Layer {
  /// What the instance is called here; `nil` if no label is given.
  func givenLabel(of origin: Origin) -> String? {
    instances.first { $0.origin == origin }.flatMap(givenLabel)
  }

  private func givenLabel(of instance: Instance) -> String? {
    let isGiven = !instance.givenLabel.isEmpty || plainLabels.contains(instance.origin)
    return isGiven ? instance.label : nil
  }

  /// The instances as the file has them.
  var entries: [Entry] {
    instances.map { Entry(origin: $0.origin, label: givenLabel(of: $0), addedAt: $0.addedAt) }
  }

  /// Takes over what differs between two policies, and nothing else.
  ///
  /// An instance that the old policy only implied (`Settings`) is written down as soon as the
  /// active origin or the instances change.
  package mutating func adopt(_ new: Policy, insteadOf old: Policy) {
    guard new.active != old.active || new.instances != old.instances else { return }
    if new.active != old.active { active = new.active.map(Active.origin) ?? .cleared }

    let kept = Set(new.instances.map(\.origin))
    let removed = Set(old.instances.map(\.origin)).subtracting(kept)
    instances.removeAll { removed.contains($0.origin) }
    plainLabels.subtract(removed)

    let labels = Dictionary(old.instances.map { ($0.origin, $0.label) }) { first, _ in first }
    var indices: [Origin: Int] = [:]
    for (index, instance) in instances.enumerated() { indices[instance.origin] = index }
    for var instance in new.instances
    where !instance.isPreset || !old.instances.contains(instance) {
      // What is written of a preset is what the user calls it.
      instance.isPreset = false
      if let label = labels[instance.origin], label != instance.label {
        if instance.givenLabel.isEmpty {
          plainLabels.insert(instance.origin)
        } else {
          plainLabels.remove(instance.origin)
        }
      }
      if let index = indices[instance.origin] {
        instances[index] = instance
      } else {
        instances.append(instance)
      }
    }
  }
}
