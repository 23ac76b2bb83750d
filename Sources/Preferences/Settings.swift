package import Navigation
package import WebOrigin

/// What is in force: every layer resolved, every default filled in.
package struct Settings: Hashable, Sendable {
  package let policy: Policy
  /// The desktop-file id that was chosen, or `nil` to look for the best one.
  package let browser: String?
  package let shell: String?
  /// The administrator's file that chooses the browser; `nil` if the user does, or nobody.
  package let browserSource: String?
  /// The same of the shell.
  package let shellSource: String?
  /// Whether to follow the store of a shell that does not know this service.
  package let follow: Bool
  /// Whether a link that cannot be opened gives a notification.
  package let notify: Bool
  /// What is locked, and the first administrator's file that says so, or may say so.
  package let locks: [Lock: String]
  /// The first administrator's file of which it is not known what it says, and why.
  ///
  /// It may lock anything: the user's choices are in force, and what can be locked is not changed.
  package let unknownAdministrator: Diagnostic?
  /// The administrator's file that decides which instance is active; `nil` if the user does, or nobody.
  package let activeSource: String?
  /// The administrator's file that each preset instance comes from.
  package let presetSources: [Origin: String]

  /// What one administrator's file says.
  package struct Administrator: Hashable, Sendable {
    package let path: String
    package let layer: Layer
    /// What is wrong with the file, where it is not known what it says.
    package var problem: Problem?
  }

  /// Resolves the user's file over those of administrators, the most important one first.
  ///
  /// A key that the user's file does not have, or that is locked, is that of the first administrator's
  /// file that has it, else the default. The administrators' instances come first, each origin once; the
  /// one that they make active is among them even without a group: with that of the user, if there is one.
  /// The user's instances follow, unless they are locked: then none of them is active either, and no label
  /// that the user gave to one of the administrators' counts.
  ///
  /// The active origin is always one of the instances: one that the user made active without a group
  /// of its own is implied, as the last one. Instances over the limit are left out, never the active
  /// one.
  package init(user: Layer, administrators: [Administrator] = []) {
    var locks: [Lock: String] = [:]
    for administrator in administrators.reversed() {
      for lock in administrator.layer.locked { locks[lock] = administrator.path }
    }
    func resolve<Value>(_ key: Key, _ value: (Layer) -> Value?) -> (Value, source: String?)? {
      let isLocked = Lock(key).flatMap { locks[$0] } != nil
      if !isLocked, let choice = value(user) { return (choice, nil) }
      return administrators.compactMap { file in value(file.layer).map { ($0, file.path) } }.first
    }
    func value<Value>(_ key: Key, _ value: (Layer) -> Value?) -> Value? { resolve(key, value)?.0 }

    var presets: [Instance] = []
    var sources: [Origin: String] = [:]
    for administrator in administrators {
      for entry in administrator.layer.entries where sources[entry.origin] == nil {
        var instance = entry.instance
        instance.isPreset = true
        if locks[.instances] == nil,
          let label = user.entries.first(where: { $0.origin == entry.origin })?.label
        {
          instance.label = label
        }
        presets.append(instance)
        sources[instance.origin] = administrator.path
      }
    }
    var users = locks[.instances] == nil ? user.entries.map(\.instance) : []
    let decisive = administrators.first { $0.layer.active != nil }
    var active = decisive?.layer.active?.origin
    if let decisive, let active, sources[active] == nil {
      var instance =
        users.first { $0.origin == active }
        ?? Instance(origin: active, label: active.hostAndPort, addedAt: 0)
      instance.isPreset = true
      presets.append(instance)
      sources[active] = decisive.path
    }
    users.removeAll { sources[$0.origin] != nil }

    if locks[.activeOrigin] != nil {
      activeSource = decisive?.path ?? locks[.activeOrigin]
    } else if let origin = user.active?.origin, locks[.instances] != nil, sources[origin] == nil {
      activeSource = decisive?.path ?? locks[.instances]
    } else if let choice = user.active {
      active = choice.origin
      activeSource = nil
    } else {
      activeSource = decisive?.path
    }

    var instances = presets + users
    if let active, !instances.contains(where: { $0.origin == active }) {
      instances.append(Instance(origin: active, label: active.hostAndPort, addedAt: 0))
    }
    let last = Policy.maximumInstances - 1
    if instances.count > last + 1 {
      let rest = instances[last...]
      instances[last...] = [rest.first { $0.origin == active } ?? rest[last]]
    }

    policy = Policy(
      active: active, instances: instances,
      knownInstances: value(.knownInstances) { $0.knownInstances } ?? .browser,
      schemes: value(.schemes) { $0.schemes } ?? [])
    (browser, browserSource) = resolve(.browser) { $0.browser } ?? (nil, nil)
    (shell, shellSource) = resolve(.shell) { $0.shell } ?? (nil, nil)
    follow = value(.follow) { $0.follow } ?? true
    notify = value(.notify) { $0.notify } ?? true
    unknownAdministrator =
      administrators.lazy
      .compactMap { file in file.problem.map { Diagnostic(path: file.path, problem: $0) } }.first
    if let unknownAdministrator {
      let all = Lock.allCases.map { ($0, unknownAdministrator.path) }
      locks.merge(all) { known, _ in known }
    }
    self.locks = locks
    presetSources = sources
  }
}
