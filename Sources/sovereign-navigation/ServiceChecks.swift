internal import Bus
internal import Desktop
internal import Files
internal import Glibc
internal import Launcher
internal import NavigationClient

/// What a call of the service found.
enum ServiceLook {
  case noBus(String)
  /// Why; something may have the service's name all the same.
  case unreachable(String, Owner?)
  case running(Owner?)

  /// The process that has the service's name.
  struct Owner {
    let process: Int32
    /// As /proc shows it; `nil` where that is not allowed.
    let executable: String?

    init(process: Int32) {
      self.init(process: process, executable: linkTarget("/proc/\(process)/exe"))
    }

    init(process: Int32, executable: String?) {
      self.process = process
      self.executable = executable
    }

    /// Whether it runs a program that was replaced or removed since; proc(5).
    var isReplaced: Bool { executable?.hasSuffix(Self.deleted) ?? false }

    /// The path that its program has or had.
    var program: String? {
      isReplaced ? executable.map { String($0.dropLast(Self.deleted.count)) } : executable
    }

    private static let deleted = " (deleted)"
  }

  init() {
    let client: NavigationClient
    do throws(ClientError) {
      client = try NavigationClient()
    } catch {
      self = .noBus(error.description)
      return
    }
    func owner() -> Owner? { (try? client.processID()).map(Owner.init) }
    do throws(ClientError) {
      _ = try client.state()
      self = .running(owner())
    } catch {
      self = .unreachable(error.description, owner())
    }
  }

  var hasBus: Bool {
    if case .noBus = self { false } else { true }
  }

  var word: String {
    switch self {
    case .noBus: "no-bus"
    case .unreachable: "unreachable"
    case .running: "running"
    }
  }
}

/// The file from which the session bus knows how to start the service.
struct ActivationFile {
  let path: String
  let program: String?
  let unit: String?

  init(path: String, program: String?, unit: String?) {
    self.path = path
    self.program = program
    self.unit = unit
  }

  /// - Parameter places: The directories that `dbus-1/services` may be in, the first one first.
  init?(in places: [String]) {
    for place in places {
      let path = "\(place)/dbus-1/services/\(NavigationClient.name).service"
      guard let file = KeyFile(readingIfPossible: path) else { continue }
      let group = "D-BUS Service"
      let command = file.string("Exec", in: group) ?? ""
      self.init(
        path: path, program: command.split(separator: " ").first.map(String.init),
        unit: file.string("SystemdService", in: group))
      return
    }
    return nil
  }
}

extension ActivationFile {
  /// The directory that `dbus-1/services` is in.
  var place: String { parent(of: parent(of: parent(of: path))) }
}

/// What the session bus knows of the service.
struct BusLook {
  let canStartService: Bool
  /// Where it looks for `dbus-1/services`; `nil` if that cannot be seen.
  let places: [String]?

  init(canStartService: Bool, places: [String]?) {
    self.canStartService = canStartService
    self.places = places
  }

  /// `nil` where the bus does not answer.
  init?(_ connection: Connection) {
    guard let isListed = Self.lists(connection) else { return nil }
    if isListed {
      canStartService = true
    } else {
      // Asked to start what it does not know, dbus-daemon looks for what was installed since.
      if let call = try? connection.makeBusCall("StartServiceByName"),
        (try? call.append(NavigationClient.name)) != nil, (try? call.append(UInt32(0))) != nil
      {
        _ = try? connection.call(call, timeout: Self.patience)
      }
      canStartService = Self.lists(connection) ?? false
    }

    guard let question = try? connection.makeBusCall("GetConnectionUnixProcessID"),
      (try? question.append("org.freedesktop.DBus")) != nil,
      let process = try? connection.call(question, timeout: Self.patience).readUInt32(),
      let environment = Session.environment(ofProcess: process)
    else {
      places = nil
      return
    }
    places = BaseDirectories(environment: environment).servicePlaces
  }

  /// In microseconds.
  private static let patience: UInt64 = 5_000_000

  private static func lists(_ connection: Connection) -> Bool? {
    guard let call = try? connection.makeBusCall("ListActivatableNames"),
      let names = try? connection.call(call, timeout: patience).readStrings()
    else { return nil }
    return names.contains(NavigationClient.name)
  }
}

extension BaseDirectories {
  /// The directories in which a session bus with these variables looks for `dbus-1/services`; dbus-daemon(1).
  var servicePlaces: [String] {
    let runtime = environment["XDG_RUNTIME_DIR"].map { [$0] } ?? []
    let own = dataDirectories.contains("/usr/share") ? [] : ["/usr/share"]
    return runtime + [dataHome] + dataDirectories + own
  }
}

/// The service's unit as the user manager has it.
struct ServiceUnit {
  static let name = "sovereign-navigation.service"

  /// `loaded`, `not-found`, `masked` …
  let load: String
  /// `active`, `inactive`, `failed` …
  let active: String
  /// Why it is not active; `success` if nothing is wrong.
  let result: String
  let path: String?
  let program: String?
  /// Whether its file has changed since the manager read it.
  let needsReload: Bool

  init(
    load: String, active: String, result: String, path: String?, program: String?,
    needsReload: Bool
  ) {
    self.load = load
    self.active = active
    self.result = result
    self.path = path
    self.program = program
    self.needsReload = needsReload
  }

  init?(_ connection: Connection) {
    func value(_ property: String, of interface: String = "Unit") -> Variant? {
      guard
        let call = try? connection.makePropertyRead(
          property, of: "org.freedesktop.systemd1.\(interface)",
          at: "/org/freedesktop/systemd1/unit/sovereign_2dnavigation_2eservice",
          on: "org.freedesktop.systemd1"), (try? call.disableAutoStart()) != nil,
        let reply = try? connection.call(call, timeout: 5_000_000)
      else { return nil }
      return try? reply.readVariant()
    }
    func text(_ property: String, of interface: String = "Unit") -> String {
      if case .string(let text) = value(property, of: interface) { text } else { "" }
    }
    let load = text("LoadState")
    guard !load.isEmpty else { return nil }
    let path = text("FragmentPath")
    let command = KeyFile(readingIfPossible: path)?.string("ExecStart", in: "Service") ?? ""
    self.init(
      load: load, active: text("ActiveState"), result: text("Result", of: "Service"),
      path: path.isEmpty ? nil : path,
      program: command.split(separator: " ").first.map(String.init),
      needsReload: value("NeedDaemonReload") == .bool(true))
  }
}

// MARK: What is wrong with them

extension Check {
  /// - Parameters:
  ///   - program: What the bus would start.
  ///   - bus: What `installation` says something about, too.
  static func service(
    _ look: ServiceLook, unit: ServiceUnit?, program: String?, bus: BusLook?
  ) -> [Finding] {
    let restart =
      unit == nil
      ? "end its process; the next call starts the new one"
      : "systemctl --user restart \(ServiceUnit.name)"
    switch look {
    case .noBus(let reason):
      return [
        Finding(
          .noBus, "\(reason); links are decided without the service",
          remedy:
            "run this in a terminal of the desktop session, where DBUS_SESSION_BUS_ADDRESS or "
            + "XDG_RUNTIME_DIR leads to the bus")
      ]
    case .running(let owner):
      return foreign(owner, program, restart)
    case .unreachable(let reason, let owner):
      let foreign = foreign(owner, program, restart)
      guard foreign.isEmpty else { return foreign }
      if owner == nil, let bus, !bus.canStartService { return [] }
      guard let unit, unit.active == "failed" || unit.load == "masked" else {
        return [
          Finding(
            .serviceUnreachable, reason,
            remedy: program.map { program in
              "see why it does not start: run \(program) in a terminal"
                + (unit == nil ? "" : ", or journalctl --user -u \(ServiceUnit.name)")
            } ?? "let the session bus know how to start it")
        ]
      }
      if unit.load == "masked" {
        return [
          Finding(
            .unitFailed, "the service's unit is masked, so that it is never started", at: unit.path,
            remedy: "systemctl --user unmask \(ServiceUnit.name)")
        ]
      }
      return [
        Finding(
          .unitFailed, "the service's unit has failed: \(unit.result)", at: unit.path,
          remedy: "see why: journalctl --user -u \(ServiceUnit.name); then \(restart)")
      ]
    }
  }

  /// What is wrong with the process that has the service's name.
  private static func foreign(
    _ owner: ServiceLook.Owner?, _ program: String?, _ restart: String
  ) -> [Finding] {
    guard let owner, let running = owner.program else { return [] }
    if owner.isReplaced {
      return [
        Finding(
          .executableReplaced,
          "the service, process \(owner.process), runs a program that was replaced or removed",
          at: running, remedy: restart)
      ]
    }
    guard let program, Executable.resolve(program) != running else { return [] }
    return [
      Finding(
        .nameTaken,
        "process \(owner.process) has the service's name on the bus and is not \(program)",
        at: running, remedy: "end that process; the next call starts the service")
    ]
  }

  /// Whether the installed files are there and belong together.
  ///
  /// - Parameter program: The path of this program.
  static func installation(
    program: String?, activation: ActivationFile?, bus: BusLook?, unit: ServiceUnit?,
    hasManager: Bool
  ) -> [Finding] {
    let again = "install the service again, all of it below one prefix"
    guard let activation, let daemon = activation.program else {
      if activation == nil, let bus, bus.canStartService { return [] }
      return [
        Finding(
          .activationMissing, "the session bus does not know how to start the service",
          at: activation?.path,
          remedy: "\(again), where XDG_DATA_DIRS leads")
      ]
    }
    var findings: [Finding] = []
    if let bus, !bus.canStartService {
      findings.append(unseen(activation, by: bus, hasManager: hasManager))
    }
    if access(daemon, X_OK) != 0 {
      findings.append(
        Finding(
          .activationMissing, "the service's program \(daemon) is not there", at: activation.path,
          remedy: again))
    } else if let program, prefix(of: daemon) != prefix(of: program) {
      findings.append(
        Finding(
          .mixedInstallation, "the bus starts \(daemon), which was not installed with \(program)",
          at: activation.path, remedy: "remove one of the two installations"))
    }
    guard hasManager, let name = activation.unit, let unit else { return findings }
    if unit.load == "not-found" {
      findings.append(
        Finding(
          .unitMissing, "the user manager has no unit \(name), which starts the service",
          at: activation.path,
          remedy: "systemctl --user daemon-reload; if that is not enough, "
            + (unitFile(name, besides: daemon).map { "systemctl --user link \($0)" } ?? again)))
    } else if let started = unit.program, started != daemon {
      findings.append(
        Finding(
          .mixedInstallation,
          "the unit starts \(started), and the bus without a unit would start \(daemon)",
          at: unit.path, remedy: "remove one of the two installations"))
    }
    if unit.needsReload {
      findings.append(
        Finding(
          .unitChanged, "the unit has changed since the user manager read it", at: unit.path,
          remedy: "systemctl --user daemon-reload", severity: .note))
    }
    return findings
  }

  /// - Parameter bus: One that cannot start the service although the file is there.
  private static func unseen(
    _ file: ActivationFile, by bus: BusLook, hasManager: Bool
  ) -> Finding {
    let what = "the session bus does not know how to start the service"
    guard let places = bus.places, !places.contains(file.place) else {
      return Finding(
        .activationMissing, "\(what): it has not read the file that says how", at: file.path,
        remedy: "busctl --user call org.freedesktop.DBus /org/freedesktop/DBus "
          + "org.freedesktop.DBus ReloadConfig; if that is not enough, log out and in again")
    }
    // A bus below a user manager is started before the files that a login shell reads.
    let setting = hasManager ? "a file in ~/.config/environment.d" : "~/.profile"
    return Finding(
      .activationMissing,
      "\(what): the file that says how is in none of the directories that it has looked in since it "
        + "was started, \(places.joined(separator: ", "))", at: file.path,
      remedy: "let XDG_DATA_DIRS name \(file.place) before the bus starts, in \(setting), then "
        + "log out and in again")
  }

  /// The unit that was installed with a program, where it is there.
  private static func unitFile(_ name: String, besides program: String) -> String? {
    ["share", "lib"].map { "\(prefix(of: program))/\($0)/systemd/user/\(name)" }
      .first { access($0, F_OK) == 0 }
  }

  /// The directory that `bin` and `libexec` are in.
  static func prefix(of program: String) -> String {
    parent(of: parent(of: Executable.resolve(program)))
  }

  /// Applications get the user manager's variables, unless the caller brings its own.
  ///
  /// - Parameter manager: `nil` where there is none.
  static func displayVariables(
    terminal: [String: String], manager: [String: String]?
  ) -> [Finding] {
    guard let manager else { return [] }
    let names = ["DISPLAY", "WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP", "DBUS_SESSION_BUS_ADDRESS"]
    let missing = names.filter { name in
      terminal[name]?.isEmpty == false && manager[name]?.isEmpty != false
    }
    guard !missing.isEmpty else { return [] }
    return [
      Finding(
        .displayVariables,
        "this terminal has \(missing.joined(separator: ", ")), and the user manager, which starts "
          + "applications, has not", at: "the environment of the user manager",
        remedy: "dbus-update-activation-environment --systemd \(missing.joined(separator: " ")), "
          + "whenever the desktop starts")
    ]
  }
}
