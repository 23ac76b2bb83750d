internal import CSystemd
internal import Glibc

/// The unit of the systemd user manager that a process belongs to. sd_pid_get_user_unit(3).
package enum ProcessUnit {
  /// The unit's name, such as `app-firefox@1.service`, or `nil` where the process has none or is gone.
  package static func userUnit(ofProcess pid: Int32) -> String? {
    var unit: UnsafeMutablePointer<CChar>?
    guard sd_pid_get_user_unit(pid, &unit) >= 0, let unit else { return nil }
    defer { free(unit) }
    return String(cString: unit)
  }

  /// The session of a process, by its leader; `nil` where the process is gone. getsid(2).
  package static func session(ofProcess pid: Int32) -> Int32? {
    let leader = getsid(pid)
    return leader > 0 ? leader : nil
  }
}
