internal import Bus
internal import CNavigationInterface
internal import CSystemd
internal import Files
internal import Glibc
internal import Launcher
internal import Preferences

/// Exit statuses of the daemon; sovereign-navigationd(8).
enum Status {
  static let failure: Int32 = 1
  static let usage: Int32 = 2
  /// Another process owns the bus name. systemd does not restart the unit then.
  static let nameTaken: Int32 = 17
  /// It is not known where the user's files are. systemd does not restart the unit then either.
  static let noHome: Int32 = 18
}

/// Runs the service until it is told to end or the bus goes away.
///
/// - Returns: The exit status.
public func runService(arguments: [String]) -> Int32 {
  guard arguments.count <= 1 else {
    Journal.log(.error, "sovereign-navigationd takes no arguments; see sovereign-navigationd(8)")
    return Status.usage
  }
  if let problem = BaseDirectories.ownProblem {
    Journal.log(.error, problem)
    return Status.noHome
  }
  // A reader of our standard error that goes away must not take us along.
  signal(SIGPIPE, SIG_IGN)
  // Where files are limited in size, a save that is too long is an error; setrlimit(2).
  signal(SIGXFSZ, SIG_IGN)
  // By itself it grows with what is freed, and what one huge message took is never given back; mallopt(3).
  mallopt(M_TRIM_THRESHOLD, 128 << 10)
  do throws(BusError) {
    let loop = try EventLoop()
    loop.tellWatchdog()
    // Told to end before it has its name, it takes it all the same: the bus keeps the calls that it was
    // started for, and would wait with them for a name that nobody takes.
    var running: NavigationService?
    let signals = try [SIGTERM, SIGINT, SIGHUP].map { (signal) throws(BusError) in
      try loop.onSignal(signal) { running?.end() }
    }
    let connection = try Connection()
    try connection.exitOnDisconnect()

    // Before anything is read: until the name is ours another one writes.
    guard try connection.requestName(Address.name) else {
      Journal.log(
        .error,
        "the bus name \(Address.name) is taken; this service runs already, and one is enough")
      return Status.nameTaken
    }
    try NavigationService.waitForFormer(on: connection)

    let directories = BaseDirectories(environment: Session.ownEnvironment)
    let store = PreferenceStore(directories, now: { Clock.unixMilliseconds })
    let service = NavigationService(
      connection: connection, loop: loop, store: store, directories: directories)
    running = service
    try service.launcher.adoptOrphans()
    // Calls wait for the loop: nobody can reach a half-made object.
    let interceptor = try service.interceptCalls()
    try service.export()
    try connection.attach(to: loop)
    service.followPreferences()
    service.followShell()

    let status = try loop.run()
    connection.flush()
    withExtendedLifetime((service, signals, interceptor)) {}
    // A bus that ends with us has nothing more for us.
    guard service.stage < .answering else { return 0 }
    if !connection.isOpen {
      Journal.log(.warning, "the service ends: the connection to the session bus is lost")
    }
    return status
  } catch {
    Journal.log(.error, "\(error)")
    return Status.failure
  }
}

extension NavigationService {
  func export() throws(BusError) {
    let userdata = Unmanaged.passUnretained(self).toOpaque()
    let result = navigation_export(connection.pointer, userdata)
    guard result >= 0 else {
      throw BusError(negativeErrno: result, doing: "the interfaces cannot be exported")
    }
  }
}
