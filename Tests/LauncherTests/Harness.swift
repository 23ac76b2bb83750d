import Bus
import Desktop
import Glibc
import Launcher
import TestSupport

/// A launcher on a bus of its own, and a second connection that plays the others there.
final class Harness {
  let bus: LocalBus
  let loop: EventLoop
  let connection: Connection
  let others: Connection
  let launcher: Launcher
  let manager: UserManager
  /// Less than the 25 s for which libsystemd waits by itself.
  static let patience = Duration.seconds(20)

  init(_ bus: LocalBus? = nil) throws {
    let bus = try bus ?? LocalBus()
    self.bus = bus
    loop = try EventLoop()
    connection = try bus.connect()
    others = try bus.connect()
    manager = UserManager(connection: connection, loop: loop)
    launcher = Launcher(connection: connection, manager: manager, loop: loop)
    try connection.attach(to: loop)
    try others.attach(to: loop)
  }

  /// What a launch of `plan` reports; checks that it reports once.
  func launch(
    _ plan: LaunchPlan, in session: Session, context: LaunchContext = LaunchContext()
  ) throws -> LaunchError? {
    var reports: [LaunchError?] = []
    launcher.launch(plan, in: session, context: context) { reports.append($0) }
    try loop.run(limit: Self.patience) { !reports.isEmpty }
    try loop.run(for: 20_000)
    guard reports.count == 1 else { throw SessionError("\(reports.count) reports of one launch") }
    return reports[0]
  }
}
