package import Navigation

/// A setting that an administrator can lock, spelled as `Locked=` spells it.
package enum Lock: String, CaseIterable, Sendable {
  case activeOrigin = "ActiveOrigin"
  case instances = "Instances"
  case browser = "Browser"
  case shell = "Shell"
  case knownInstances = "KnownInstances"
  case schemes = "Schemes"

  /// The lock of a key; `nil` if it cannot be locked.
  package init?(_ key: Key) {
    self.init(rawValue: key.rawValue)
  }
}

/// A change that an administrator's file does not allow.
package struct LockedSetting: Error, Hashable, Sendable {
  package let lock: Lock
  /// The file.
  package let path: String
  /// What is wrong with the file, where it is not known whether it says so.
  package var problem: Problem?
}

extension LockedSetting: CustomStringConvertible {
  package var description: String {
    if let problem {
      "\(lock.rawValue) is not changed, for \(path) may lock it: \(problem)"
    } else {
      "\(lock.rawValue) is locked by \(path); only an administrator can change it, in that file"
    }
  }
}

extension Settings {
  /// What is locked, in the order of the contract.
  package var locked: [Lock] { Lock.allCases.filter { locks[$0] != nil } }

  /// Refuses to change a key that is locked.
  package func check(_ key: Key) throws(LockedSetting) {
    if let lock = Lock(key) { try check(lock: lock) }
  }

  /// Refuses a policy that differs from the one in force in what is locked.
  package func check(_ new: Policy) throws(LockedSetting) {
    if new.active != policy.active { try check(lock: .activeOrigin) }
    if new.instances != policy.instances { try check(lock: .instances) }
  }

  private func check(lock: Lock) throws(LockedSetting) {
    if let refusal = refusal(ofChanging: lock) { throw refusal }
  }

  /// Why a setting cannot be changed; `nil` if it can.
  package func refusal(ofChanging lock: Lock) -> LockedSetting? {
    guard let path = locks[lock] else { return nil }
    let problem = path == unknownAdministrator?.path ? unknownAdministrator?.problem : nil
    return LockedSetting(lock: lock, path: path, problem: problem)
  }

  /// What is left of a change of the policy where some of it is locked.
  package func permitted(_ new: Policy) -> Policy {
    var permitted = new
    if locks[.instances] != nil {
      permitted.instances = policy.instances
      if let active = new.active, !policy.instances.contains(where: { $0.origin == active }) {
        permitted.active = policy.active
      }
    }
    if locks[.activeOrigin] != nil { permitted.active = policy.active }
    return permitted
  }
}
