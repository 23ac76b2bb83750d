internal import Preferences

/// Where a setting comes from, and who can change it.
struct SettingSource {
  /// The file that has it, or that would have to.
  let file: String
  /// Whether it is the user's choice, or would be: what an administrator gave as a default is none.
  let isUsers: Bool
  /// Why the user cannot change it; `nil` if that can be done.
  let refusal: LockedSetting?

  /// - Parameter decisive: The administrator's file that the value comes from, or `nil`.
  init(_ lock: Lock, decisive: String?, in settings: Settings, usersFile: String) {
    refusal = settings.refusal(ofChanging: lock)
    // As long as it is not known what is locked, the user's choice is in force.
    let locked = refusal.flatMap { $0.problem == nil ? $0.path : nil }
    isUsers = decisive == nil && locked == nil
    file = decisive ?? locked ?? usersFile
  }
}

extension SettingSource {
  /// What to do about the setting, where the user can only ask.
  var request: String? {
    guard let refusal else { return nil }
    return refusal.problem == nil
      ? "ask the administrator to change \(refusal.lock.rawValue) in \(file)"
      : "ask the administrator to correct \(refusal.path), which may lock \(refusal.lock.rawValue)"
  }
}
