/// The environment of a started application: the base it inherits, with `assignments` over it and
/// without `removals`.
package struct ChildEnvironment: Hashable, Sendable {
  package let assignments: [String: String]
  package let removals: Set<String>

  /// What the application gets of `context`, and what of `base` is not meant for it.
  package init(base: [String: String], context: LaunchContext) {
    var assignments = context.environment
    // A token and an identifier stand for each other: an application looks at either.
    if let token = context.activationToken ?? context.startupID {
      assignments["XDG_ACTIVATION_TOKEN"] = token
      assignments["DESKTOP_STARTUP_ID"] = context.startupID ?? token
    }
    var removals = Self.ours
    if base["APPDIR"] != nil || base["APPIMAGE"] != nil { removals.formUnion(Self.appImage) }
    if let display = Display(context.environment) {
      removals.formUnion(display.misleading(of: base))
    }
    self.assignments = assignments
    self.removals = removals.subtracting(assignments.keys)
  }

  /// What a child of ours gets: the `NAME=value` lines of `base` with the assignments and removals
  /// applied, and without what systemd set for our own unit.
  func applied(to base: [[UInt8]]) -> [[UInt8]] {
    let replaced = removals.union(Self.unitVariables).union(assignments.keys)
    return base.filter { line in
      let name = line.prefix { $0 != UInt8(ascii: "=") }
      return !replaced.contains(String(decoding: name, as: UTF8.self))
    } + assignments.sorted { $0.key < $1.key }.map { Array("\($0.key)=\($0.value)".utf8) }
  }

  /// What describes the process that inherited it, and would mislead any other.
  private static let ours: Set<String> = [
    "DBUS_STARTER_ADDRESS", "DBUS_STARTER_BUS_TYPE", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
    "LISTEN_PIDFDID", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "XDG_ACTIVATION_TOKEN",
    "DESKTOP_STARTUP_ID", "GIO_LAUNCHED_DESKTOP_FILE", "GIO_LAUNCHED_DESKTOP_FILE_PID",
    "BAMF_DESKTOP_FILE_HINT", "CHROME_DESKTOP", "ELECTRON_RUN_AS_NODE",
    LaunchContext.chainVariable,
  ]

  private static let appImage: Set<String> = [
    "APPDIR", "APPIMAGE", "ARGV0", "OWD", "LD_LIBRARY_PATH", "LD_PRELOAD",
  ]

  /// Set by systemd for one unit; another unit gets its own.
  private static let unitVariables: Set<String> = [
    "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "MANAGERPID", "MANAGERPIDFDID",
    "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE",
  ]
}
