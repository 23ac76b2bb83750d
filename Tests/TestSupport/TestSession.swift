package import Glibc

/// A user's session with nothing in it but the installed service: a bus, a home, no default browser.
///
/// Without systemd, it is a dbus-daemon and a temporary home of its own. Where
/// `NAVIGATION_SESSION=systemd` says that the tests run inside a throw-away session, it is that one, put
/// back to how it was.
package final class TestSession {
  package let home: String
  package let environment: [String: String]
  /// Where an administrator's preference file would be.
  package let administratorFile: String
  private let directory: TemporaryDirectory?
  private let bus: PrivateBus?
  /// Where the journal was when the lines began that matter.
  private var journalMark = ""

  package static let hasSystemd =
    getenv("NAVIGATION_SESSION").map { String(cString: $0) } == "systemd"

  package init() throws {
    guard let prefix = Installation.prefix else { throw SessionError(Installation.whyNot) }
    if Self.hasSystemd {
      (directory, bus) = (nil, nil)
      let current = currentEnvironment()
      home = current["HOME"] ?? ""
      var desktop = Self.desktop(prefix, path: current["PATH"] ?? "")
      desktop["XDG_CONFIG_DIRS"] = home + "/etc:/etc/xdg"
      environment = current.merging(desktop) { $1 }
      administratorFile = home + "/etc/sovereign/navigation.conf"
      try reset()
    } else {
      let directory = try TemporaryDirectory()
      self.directory = directory
      home = directory.path + "/home"
      administratorFile = directory.path + "/etc/sovereign/navigation.conf"
      environment = [
        "LANG": "C.UTF-8",
        "HOME": home,
        "XDG_CONFIG_HOME": home + "/.config",
        "XDG_DATA_HOME": home + "/.local/share",
        "XDG_STATE_HOME": home + "/.local/state",
        "XDG_CACHE_HOME": home + "/.cache",
        "XDG_RUNTIME_DIR": directory.path + "/run",
        "XDG_CONFIG_DIRS": directory.path + "/etc",
        "XDG_DATA_DIRS": prefix + "/share",
        "DBUS_SESSION_BUS_ADDRESS": PrivateBus.address(in: directory),
      ].merging(Self.desktop(prefix, path: "/usr/bin:/bin")) { $1 }
        // Of the service that is under test, if it has one.
        .merging(Self.sanitizer) { $1 }
      for path in [home + "/.config", home + "/.local/share/applications", home + "/.local/state"] {
        try makeDirectories(path)
      }
      try makeDirectories(directory.path + "/run", mode: 0o700)
      bus = try PrivateBus(
        in: directory, services: prefix + "/share/dbus-1/services", environment: environment)
    }
    setenv("DBUS_SESSION_BUS_ADDRESS", environment["DBUS_SESSION_BUS_ADDRESS"] ?? "", 1)
  }

  deinit {
    guard let bus else { return }
    bus.kill()
    // Applications that the service started are in sessions of their own. Until all have gone, some
    // may still write into the home that is to be removed.
    let left = poll {
      let pids = processes(of: home).filter { $0 != getpid() }
      for pid in pids { kill(pid, SIGKILL) }
      return pids.isEmpty ? true : nil
    }
    if left == nil { print("processes of \(home) do not end") }
  }

  private static func desktop(_ prefix: String, path: String) -> [String: String] {
    [
      "PATH": "\(prefix)/bin:\(path)",
      // xdg-open looks at scheme handlers only where there seems to be a display, and falls back to
      // whatever browser the machine has.
      "DISPLAY": ":77",
      "BROWSER": "false",
    ]
  }

  private static let sanitizer = currentEnvironment().filter { name, _ in
    ["ASAN_OPTIONS", "TSAN_OPTIONS", "SWIFT_BACKTRACE"].contains(name)
  }

  private func reset() throws {
    _ = try run(["systemctl", "--user", "stop", "sovereign-navigation.service", "app-sovereign-*"])
    // What a test told the bus and the manager about a display or a desktop is not the next one's; a
    // bus can only forget what a variable was, and a broker tells the manager.
    _ = try run([
      "dbus-update-activation-environment", "DISPLAY=", "WAYLAND_DISPLAY=", "XDG_CURRENT_DESKTOP=",
    ])
    _ = try run([
      "systemctl", "--user", "unset-environment", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY",
      "SWAYSOCK", "XDG_CURRENT_DESKTOP", "BROWSER",
    ])
    _ = try run([
      "systemctl", "--user", "set-environment",
      "XDG_CONFIG_DIRS=\(environment["XDG_CONFIG_DIRS"] ?? "")",
    ])
    for path in [
      ".config/sovereign", ".local/state/sovereign", ".config/mimeapps.list", ".local/share/test",
      ".local/share/fs.sovereign.desktop", "etc",
    ] { removeTree("\(home)/\(path)") }
    let applications = home + "/.local/share/applications"
    for name in try entries(of: applications) where name != "fs.sovereign.Navigation.desktop" {
      unlink("\(applications)/\(name)")
    }
  }

  /// Ends the private bus, as a logout does.
  package func endBus() throws {
    try bus?.end()
  }

  /// Runs a program to its end.
  package func run(
    _ arguments: [String], input: [UInt8] = [], adding variables: [String: String] = [:],
    limit: Duration = .seconds(20)
  ) throws -> CommandResult {
    try start(arguments, input: input, adding: variables).wait(limit: limit)
  }

  package func start(
    _ arguments: [String], input: [UInt8] = [], adding variables: [String: String] = [:]
  ) throws -> Child {
    try Child(
      arguments, environment: environment.merging(variables) { $1 }, input: input)
  }

  /// Forgets what the service has logged so far; the last line of that must not be about a file.
  package func clearJournal() throws {
    if let bus {
      journalMark = bus.errors
    } else {
      let cursor = try run(["journalctl", "--user", "--quiet", "--lines=0", "--show-cursor"]).text
      journalMark = String(cursor.dropFirst("-- cursor: ".count))
    }
  }

  /// The kinds of what the service logs, by their `MESSAGE_ID`; sovereign-navigationd(8).
  package enum LogKind: String {
    case preferenceProblem = "3f0b8a0e8f8d4b6c9a3d0d6c1d6f5b21"
    case shellStoreProblem = "875fdcb72b7c41e7a9fe62bd1b498020"
    case notOpened = "b4b1e91e015948568d5086f5c725a708"
  }

  /// What the service has logged about a file since then: the lines that begin with its path.
  ///
  /// - Parameter kind: Only those of this kind, where there is a journal.
  package func journal(about path: String, _ kind: LogKind? = nil) throws -> [String] {
    try journal(kind).filter { $0.hasPrefix(path + ": ") }
  }

  /// Waits until the lines of a kind have `text` in them, and gives them all; `nil` if they never have.
  package func journal(_ kind: LogKind, untilItHas text: String) throws -> String? {
    try poll {
      let lines = try journal(kind).joined(separator: "\n")
      return lines.contains(text) ? lines : nil
    }
  }

  /// What the service has logged since then; without systemd, what the bus has, too.
  package func journal(_ kind: LogKind? = nil) throws -> [String] {
    if let bus {
      return bus.errors.dropFirst(journalMark.count).split(separator: "\n").map(String.init)
    }
    return try run(
      [
        "journalctl", "--user", "--quiet", "--no-pager", "--output=cat",
        "_SYSTEMD_USER_UNIT=sovereign-navigation.service",
      ] + (journalMark.isEmpty ? [] : ["--cursor=\(journalMark)"])
        // What has a kind is a warning at least.
        + (kind.map { ["--priority=warning", "MESSAGE_ID=\($0.rawValue)"] } ?? [])
    ).text.split(separator: "\n").map(String.init)
  }

  /// Waits until everything is in the journal that the service has logged by now.
  package func settleJournal() throws {
    func count() throws -> Int {
      try journal().count { $0.hasPrefix("a link → blocked (unsupported-scheme)") }
    }
    let before = try count()
    _ = try busctl("Open", "sa{sv}", ["javascript:", "0"])
    guard try poll({ try count() > before ? true : nil }) != nil else {
      throw SessionError("the journal lacks the last line")
    }
  }

  /// What `busctl` prints as the answer of a member of fs.sovereign.Navigation.
  package func call(
    _ member: String, _ signature: String = "", _ arguments: String...
  ) throws
    -> String
  {
    let result = try busctl(member, signature, arguments)
    guard result.status == 0 else { throw SessionError("\(member): \(result.errorText)") }
    return result.text
  }

  package func busctl(
    _ member: String, _ signature: String, _ arguments: [String]
  ) throws
    -> CommandResult
  {
    try run(
      [
        "busctl", "--user", "--", "call", "fs.sovereign.Navigation", "/fs/sovereign/Navigation",
        "fs.sovereign.Navigation", member,
      ] + (signature.isEmpty ? [] : [signature] + arguments))
  }

  /// What `busctl` prints for a property of fs.sovereign.Navigation.
  package func property(_ name: String) throws -> String {
    try run([
      "busctl", "--user", "get-property", "fs.sovereign.Navigation", "/fs/sovereign/Navigation",
      "fs.sovereign.Navigation", name,
    ]).text
  }

  /// The service's process, started if it does not run.
  package func servicePID() throws -> pid_t {
    _ = try call("Decide", "s", "")
    guard let pid = try ownerPID() else { throw SessionError("the service has gone") }
    return pid
  }

  /// Ends the service with a signal, and waits until the bus knows.
  package func endService(_ signal: Int32) throws {
    let pid = try servicePID()
    kill(pid, signal)
    guard try poll({ try ownerPID() == pid ? nil : true }) != nil else {
      throw SessionError("the service does not end")
    }
  }

  private func ownerPID() throws -> pid_t? {
    let answer = try run([
      "busctl", "--user", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
      "org.freedesktop.DBus", "GetConnectionUnixProcessID", "s", "fs.sovereign.Navigation",
    ])
    return answer.text.split(separator: " ").last.flatMap { pid_t($0) }
  }
}

package struct SessionError: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

private func currentEnvironment() -> [String: String] {
  var variables: [String: String] = [:]
  var next = environ
  while let line = next.pointee {
    let text = String(cString: line)
    if let equals = text.firstIndex(of: "=") {
      variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
    }
    next = next.advanced(by: 1)
  }
  return variables
}

/// The processes that have this home, or a file in it as an argument: Chromium writes its title over
/// its environment.
private func processes(of home: String) -> [pid_t] {
  ((try? entries(of: "/proc")) ?? []).compactMap { pid_t($0) }.filter { pid in
    let words = ["environ", "cmdline"].flatMap { name in
      ((try? readFile("/proc/\(pid)/\(name)")) ?? []).split(separator: 0)
    }
    return words.contains { word in
      word.elementsEqual("HOME=\(home)".utf8)
        || String(decoding: word, as: UTF8.self).contains("=\(home)/chromium")
    }
  }
}
