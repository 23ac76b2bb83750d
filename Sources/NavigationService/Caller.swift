internal import Bus
internal import Desktop
internal import Glibc
internal import Launcher

/// Who sent a call.
struct Caller: Hashable {
  /// The unique name on the bus.
  let uniqueName: String
  /// The unit of the user manager that it runs in, if it runs in one.
  let unit: String?
  /// Its process, and the leader of that one's session, unless it has gone already.
  var process: Int32?
  var session: Int32?
  /// When that session began, or the process where the leader has gone; in microseconds of the
  /// monotonic clock, and at most a hundredth of a second late.
  var began: UInt64?
  /// The sandbox that it runs in.
  var confinement = Confinement.unknown
  /// Whether it is the application that the user or the administrator named as the shell.
  var isNamedAsShell = false

  /// Whether it has no more rights than any sandbox.
  var isConfined: Bool { confinement != .none && !isNamedAsShell }

  /// The desktop-file id, without `.desktop`, that the unit's name carries.
  var applicationID: String? { unit.flatMap(UnitName.applicationID(ofUnit:)) }

  /// Whether the caller belongs to this application.
  func belongs(to entry: DesktopEntry) -> Bool {
    confinement.isApplication(entry) || isNamed(entry.id)
  }

  /// Whether its sandbox or its unit has the name of the application with this desktop-file id.
  func isNamed(_ desktopFileID: String) -> Bool {
    if confinement.isNamed(desktopFileID) { return true }
    guard let unit else { return false }
    // A long id is cut in the name of the unit that we start.
    let ours = UnitName.make(applicationID: desktopFileID, random: 0)
    return applicationID.map { $0 + ".desktop" == desktopFileID } ?? false
      || unit.prefix { $0 != "@" } == ours.prefix { $0 != "@" }
  }

  /// Its process, and those that it was started by in turn, as far as they still wait for it.
  var ancestors: [Int32] {
    var ancestors: [Int32] = []
    var next = process
    // A process may end, and its number be another's, while its descendants are looked at.
    while let process = next, process > 1, ancestors.count < 32 {
      ancestors.append(process)
      next = Self.parent(of: process)
    }
    return ancestors
  }

  private static func parent(of process: Int32) -> Int32? {
    statistics(of: process).flatMap { Int32(String(decoding: $0[1], as: UTF8.self)) }
  }

  /// When a process began, in microseconds of the monotonic clock.
  private static func start(of process: Int32) -> UInt64? {
    guard let field = statistics(of: process)?[19],
      let ticks = UInt64(String(decoding: field, as: UTF8.self))
    else { return nil }
    let perSecond = UInt64(max(sysconf(Int32(_SC_CLK_TCK)), 1))
    // The kernel counts from the boot on, also while the machine sleeps.
    let age = Clock.bootMicroseconds
      .subtractingReportingOverflow((ticks + 1) * 1_000_000 / perSecond)
    let now = Clock.monotonicMicroseconds
    return age.overflow ? now : now - min(age.partialValue, now)
  }

  /// proc(5): the fields behind the name, which may hold anything, from the third on.
  private static func statistics(of process: Int32) -> [ArraySlice<UInt8>]? {
    let file = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(file, &bytes, bytes.count)
    guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
    return fields.count > 19 ? fields : nil
  }
}

extension Caller {
  /// Asks the bus for the process behind a name, and looks at where that runs. Of one that has gone, or
  /// that the bus does not tell in time, only the name is known.
  init(_ uniqueName: String, on connection: Connection) {
    do throws(BusError) {
      self = try connection.withProcess(behind: uniqueName) { process in
        let session = ProcessUnit.session(ofProcess: process)
        return Caller(
          uniqueName: uniqueName, unit: ProcessUnit.userUnit(ofProcess: process), process: process,
          session: session,
          began: session.flatMap(Self.start(of:)) ?? Self.start(of: process),
          confinement: Confinement(ofProcess: process))
      }
    } catch {
      self.init(uniqueName: uniqueName, unit: nil)
    }
  }
}
