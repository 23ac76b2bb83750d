package import Navigation
import WebOrigin

/// What has changed in a shell's store since the last look at it.
package struct ShellStoreChange: Hashable, Sendable {
  let old: ShellStore
  package let new: ShellStore

  /// Makes the store's instances and its active one ours.
  ///
  /// What the store no longer has is removed, unless the user added it here as well. It may be applied
  /// again: after a crash nobody knows how far it got.
  package func apply(to policy: inout Policy) throws(PolicyChangeError) {
    let kept = Set(new.instances.map(\.origin))
    for dropped in old.instances where !kept.contains(dropped.origin) {
      // One that the user added here has a time of its own.
      let isTheStores = policy.instances.contains {
        $0.origin == dropped.origin && $0.addedAt == dropped.addedAt && !$0.isPreset
      }
      if isTheStores { try policy.remove(dropped.origin) }
    }
    let presets = Set(policy.instances.lazy.filter(\.isPreset).map(\.origin))
    for instance in new.instances {
      // A shell stores a name that the instance gave itself; that is no reason to rename a preset.
      let label = presets.contains(instance.origin) ? "" : instance.givenLabel
      try policy.add(
        instance.origin, label: label, activate: false, addedAt: instance.addedAt)
    }
    policy.active = new.active
  }

  /// Whether the store has, or had, one of these instances.
  func concerns(_ origins: Set<Origin>) -> Bool {
    (old.instances + new.instances).contains { origins.contains($0.origin) }
  }
}
