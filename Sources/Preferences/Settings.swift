package import Navigation
import WebOrigin

/// What is in force: every layer resolved, every default filled in.
package struct Settings: Hashable, Sendable {
  package let policy: Policy
  /// The desktop-file id that was chosen, or `nil` to look for the best one.
  package let browser: String?
  package let shell: String?
  /// Whether to follow the store of a shell that does not know this service.
  package let follow: Bool
  /// Whether a link that cannot be opened gives a notification.
  package let notify: Bool

  /// Resolves the user's file.
  ///
  /// The active origin is always one of the instances: one that is active without a group of its
  /// own is implied, as the last one. Instances over the limit are left out, never the active one.
  package init(user: Layer) {
    var active: Origin?
    if case .origin(let origin) = user.active { active = origin }

    var instances = user.instances
    if let active, !instances.contains(where: { $0.origin == active }) {
      instances.append(Instance(origin: active, label: active.hostAndPort, addedAt: 0))
    }
    let last = Policy.maximumInstances - 1
    if instances.count > last + 1 {
      let rest = instances[last...]
      instances[last...] = [rest.first { $0.origin == active } ?? rest[last]]
    }

    policy = Policy(
      active: active, instances: instances, knownInstances: user.knownInstances ?? .browser,
      schemes: user.schemes ?? [])
    browser = user.browser
    shell = user.shell
    follow = user.follow ?? true
    notify = user.notify ?? true
  }
}
