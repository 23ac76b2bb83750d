internal import Bus
internal import Desktop
internal import Files
internal import Glibc
internal import Launcher
internal import Navigation
internal import NavigationClient
internal import Preferences

/// Looks for everything that makes links go astray. It changes nothing, except that it starts the
/// service, to see whether that works.
enum DoctorCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    guard arguments.operands.isEmpty else { throw ToolError(.usage, "it takes no arguments") }
    let service = ServiceLook()
    let findings = findings(service)
    let isHealthy = !findings.contains { $0.severity == .problem }
    if arguments.has(.json) {
      Output.line(
        JSON.object([
          ("healthy", .bool(isHealthy)), ("service", .string(service.word)),
          ("findings", .array(findings.map(\.json))),
        ]).text)
    } else {
      for line in findings.flatMap(\.lines) { Output.line(Output.printable(line)) }
      if isHealthy { Output.line("nothing is wrong") }
    }
    return isHealthy ? .success : .failure
  }

  private static func findings(_ service: ServiceLook) -> [Finding] {
    let connection = service.hasBus ? try? Connection.answering() : nil
    let manager = connection.flatMap(UserManager.environment)
    let state = LocalState(connection)
    let directories = state.session.directories
    let bus = connection.flatMap(BusLook.init)
    let unit = manager == nil ? nil : connection.flatMap(ServiceUnit.init)
    let program = ownProgram
    let terminal = Session.ownEnvironment
    // First where the bus looks: that is the file that counts.
    let activation = ActivationFile(
      in: (bus?.places ?? []) + directories.servicePlaces
        + BaseDirectories(environment: terminal).servicePlaces
        + (program.map { ["\(Check.prefix(of: $0))/share"] } ?? []))

    var findings = Check.service(service, unit: unit, program: activation?.program, bus: bus)
    findings += Check.installation(
      program: program, activation: activation, bus: bus, unit: unit, hasManager: manager != nil)
    findings += Check.displayVariables(terminal: terminal, manager: manager)
    findings += Check.browserVariable(
      terminal: terminal["BROWSER"], manager: manager?["BROWSER"])
    findings += Check.entry(
      state.ourEntry, program: program, searchPath: state.choices.searchPath)
    findings += Check.webLinks(
      state.webHandlers, registration: state.registrar.memory,
      isNamed: state.registrar.isNamed, record: state.registrar.recordPath)
    findings += state.registrar.unusableLists.map(Check.unusableList)
    if state.choices.desktopHandler(ofScheme: "sovereign") == nil {
      findings.append(Check.noSovereignHandler(list: state.registrar.plainList))
    }
    findings += applications(state)
    let paths = state.preferences.paths
    findings += state.preferences.diagnostics.map {
      Check.preferences($0, isAdministrators: paths.administrators.contains($0.path))
    }
    if state.settings.follow { findings += shellStore(state) }
    return findings
  }

  private static func applications(_ state: LocalState) -> [Finding] {
    let (choices, settings) = (state.choices, state.settings)
    let shell = choices.shell
    var findings = state.browserFindings
    findings += Check.application(
      .shell, set: settings.shell, chosen: shell?.id,
      candidates: choices.shellCandidates.map(Check.Candidate.init),
      source: state.source(of: .shell, from: settings.shellSource),
      isNeeded: settings.policy.active != nil)
    guard let shell else { return findings }
    if !shell.takesLinksWhileItRuns { findings.append(Check.startsAgain(shell.id, shell.path)) }
    findings += Check.addressing(
      settings, shell: shell.id, understandsWeb: shell.isSovereignShell,
      known: state.shellInstances, paths: state.preferences.paths)
    return findings
  }

  private static func shellStore(_ state: LocalState) -> [Finding] {
    let paths = state.preferences.paths
    let store = FollowedStore(paths)
    var look = store.look()
    if look.isUnfinished {
      // The shell may be writing.
      usleep(200_000)
      look = store.look()
    }
    return look.news.map {
      Check.shellStore(
        $0, preferences: paths.file, isActiveLocked: state.settings.locks[.activeOrigin] != nil)
    }
  }

  /// The path of this very program; `nil` if it cannot be seen or is no longer there.
  private static var ownProgram: String? {
    linkTarget("/proc/self/exe").flatMap { access($0, F_OK) == 0 ? $0 : nil }
  }
}

extension LocalState {
  /// What is wrong with the browser that links go to.
  var browserFindings: [Finding] {
    Check.application(
      .browser, set: settings.browser, former: previousBrowser, chosen: choices.browser?.id,
      candidates: choices.browserCandidates.map(Check.Candidate.init),
      source: source(of: .browser, from: settings.browserSource))
  }

  fileprivate func source(of lock: Lock, from file: String?) -> SettingSource {
    SettingSource(lock, decisive: file, in: settings, usersFile: preferences.paths.file)
  }

  /// Whether links that are not an instance's have nowhere to go.
  var lacksBrowser: Bool {
    let browser = choices.browser?.id
    return !choices.browserCandidates.contains { $0.id == browser && $0.unsuitability == nil }
  }
}
