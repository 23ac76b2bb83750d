package import Bus
internal import CSpawn
package import Desktop
internal import Glibc

/// Carries out launch plans.
package final class Launcher {
  private let connection: Connection?
  private let loop: EventLoop
  private let manager: UserManager?
  private var children: [Int32: EventSource] = [:]
  /// Reaps every child of this process, if it is to.
  private var reaper: EventSource?

  /// How long a D-Bus application may take to start or to take its links, in microseconds.
  private static let patience: UInt64 = 5_000_000

  /// - Parameters:
  ///   - connection: `nil` where there is no bus; then programs are started as children.
  package init(connection: Connection?, manager: UserManager?, loop: EventLoop) {
    self.connection = connection
    self.manager = manager
    self.loop = loop
  }

  /// Starts what `plan` says and reports once whether it started.
  ///
  /// - Parameters:
  ///   - session: The session that `plan` was made for.
  ///   - began: Gets what the application's processes can be told by, before any of them can call back.
  ///   - completion: Gets `nil`, or why the application did not start.
  package func launch(
    _ plan: LaunchPlan, in session: Session, context: LaunchContext,
    began: @escaping (LaunchedProcesses) -> Void = { _ in },
    completion: @escaping (LaunchError?) -> Void
  ) {
    switch plan.method {
    case .exec(let execution):
      run(
        execution, of: plan, in: session, context: context, began: began, completion: completion)
    case .bus(let name, let objectPath, let uris, let fallback):
      activate(name, by: loop.now + Self.patience) { [self] error in
        if let error {
          guard let fallback else {
            return completion(
              .failed(application: plan.applicationID, reason: error.message))
          }
          return run(
            fallback, of: plan, in: session, context: context, began: began,
            completion: completion)
        }
        began(.owner(ofName: name))
        // From here on the links may have arrived: trying another way could open them twice.
        send(uris, to: name, at: objectPath, context: context) { error in
          // The application's own words may repeat the link, which is nobody else's business.
          completion(
            error.map {
              .failed(application: plan.applicationID, reason: "it answered with \($0.name)")
            })
        }
      }
    }
  }
}

extension Launcher {
  /// Keeps what programs start as descendants of this process, also where those leave it behind in a
  /// session of its own; and reaps all of them, so that nobody else in this process can wait for a child.
  package func adoptOrphans() throws(BusError) {
    reaper = try loop.onSignal(SIGCHLD) {
      while waitpid(-1, nil, WNOHANG) > 0 {}
    }
    // Without it they are descendants of nobody that is known here.
    _ = adopt_orphans()
  }
}

// MARK: Applications on the bus

extension Launcher {
  private func activate(
    _ name: String, by deadline: UInt64, completion: @escaping (BusError?) -> Void
  ) {
    do throws(BusError) {
      guard let connection else { throw Self.noBus }
      let call = try connection.makeBusCall("StartServiceByName")
      try call.append(name)
      try call.append(UInt32(0))
      let timeout = Clock.timeout(from: loop.now, until: deadline)
      try connection.send(call, timeout: timeout) { [self] reply in
        // Where somebody else answered, the bus has no call to answer any more.
        guard reply.isFromBus else { return activate(name, by: deadline, completion: completion) }
        completion(reply.error)
      }
    } catch {
      completion(error)
    }
  }

  private func send(
    _ uris: [String], to name: String, at path: String, context: LaunchContext,
    completion: @escaping (BusError?) -> Void
  ) {
    var platformData: [(String, Variant)] = []
    if let token = context.activationToken ?? context.startupID {
      platformData.append(("activation-token", .string(token)))
      platformData.append(("desktop-startup-id", .string(context.startupID ?? token)))
    }
    do throws(BusError) {
      guard let connection else { throw Self.noBus }
      let call = try connection.makeCall(
        to: name, path: path, interface: "org.freedesktop.Application",
        member: uris.isEmpty ? "Activate" : "Open")
      if !uris.isEmpty { try call.append(uris) }
      try call.append(options: platformData)
      try connection.send(call, toOwnerOf: name, timeout: Self.patience) { _, error in
        // An application that takes its time, or that was not heard, has the links all the same.
        completion(error?.isTimeout == true || error == .forged ? nil : error)
      }
    } catch {
      completion(error)
    }
  }

  private static let noBus = BusError(
    name: "org.freedesktop.DBus.Error.Disconnected", message: "there is no session bus")
}

// MARK: Programs

extension Launcher {
  private func run(
    _ execution: LaunchPlan.Execution, of plan: LaunchPlan, in session: Session,
    context: LaunchContext, began: (LaunchedProcesses) -> Void,
    completion: @escaping (LaunchError?) -> Void
  ) {
    let child = ChildEnvironment(base: session.environment, context: context)
    guard session.hasManager, let manager else {
      return spawn(execution, of: plan, child.applied(to: session.lines), began, completion)
    }
    let unit = UnitName.make(applicationID: plan.applicationID, random: .random(in: 0 ... .max))
    var properties: [(String, Variant)] = [
      ("Description", .string(UnitText.line(plan.applicationName))),
      ("Slice", .string("app.slice")),
      ("Type", .string("exec")),
      ("ExitType", .string("cgroup")),
      ("CollectMode", .string("inactive-or-failed")),
      ("AddRef", .bool(true)),
      // A browser lives on without the page that took too much memory.
      ("OOMPolicy", .string("continue")),
      // As for a child: what is run in a pipeline ends with its reader.
      ("IgnoreSIGPIPE", .bool(false)),
      ("PartOf", .strings(["graphical-session.target"])),
      ("Environment", .strings(child.assignments.map { "\($0.key)=\($0.value)" }.sorted())),
      ("UnsetEnvironment", .strings(child.removals.sorted())),
      // ExecStart would expand ${HOME} inside arguments: a link could read the environment.
      (
        "ExecStartEx",
        .commands([
          .init(
            program: execution.program, arguments: execution.arguments, flags: ["no-env-expand"])
        ])
      ),
    ]
    if let directory = execution.workingDirectory, UnitText.isKept(directory) {
      properties.append(("WorkingDirectory", .string("-" + directory)))
    }
    began(.unit(unit))
    manager.startUnit(unit, properties: properties) { result in
      switch result {
      case .started: completion(nil)
      case .failed(let reason):
        completion(
          .failed(application: plan.applicationID, reason: "\(execution.program): \(reason)"))
      }
    }
  }

  private func spawn(
    _ execution: LaunchPlan.Execution, of plan: LaunchPlan, _ environment: [[UInt8]],
    _ began: (LaunchedProcesses) -> Void, _ completion: (LaunchError?) -> Void
  ) {
    do throws(SpawnError) {
      let pid = try SpawnedProcess.start(
        program: execution.program, arguments: execution.arguments,
        environment: environment, directory: execution.workingDirectory)
      began(.session(leader: pid))
      if reaper == nil {
        children[pid] = try? loop.onExit(of: pid) { [unowned self] _ in children[pid] = nil }
      }
      completion(nil)
    } catch {
      completion(
        .failed(application: plan.applicationID, reason: "\(execution.program): \(error)"))
    }
  }
}
