import Bus
import Glibc
import TestSupport
import Testing

@testable import Desktop
@testable import Launcher

private let name = "org.example.App"
private let link = "https://a.example/secret"

/// Applications that are activated over the bus.
@Suite struct ActivationTests {
  private let session = Session(environment: [:], hasManager: false)
  private let directory: TemporaryDirectory
  private let fallback: LaunchPlan.Execution

  init() throws {
    directory = try TemporaryDirectory()
    let program = directory.path + "/app"
    try writeFile(program, "#!/bin/sh\n>\"$1\"\n", mode: 0o755)
    fallback = .init(
      program: program, arguments: ["app", directory.path + "/ran"], workingDirectory: nil)
  }

  private func plan(
    uris: [String] = [link], fallback: LaunchPlan.Execution? = nil
  ) -> LaunchPlan {
    LaunchPlan(
      applicationID: name + ".desktop", applicationName: "An App",
      method: .bus(
        name: name, objectPath: "/org/example/App", uris: uris, fallback: fallback))
  }

  private func hasRunTheFallback(within limit: Duration = hangLimit) -> Bool {
    poll(limit: limit) { access(directory.path + "/ran", F_OK) == 0 ? true : nil } ?? false
  }

  @Test(
    arguments: [
      (LaunchContext(), [:]),
      (
        LaunchContext(activationToken: "t"),
        ["activation-token": .string("t"), "desktop-startup-id": .string("t")]
      ),
      (
        LaunchContext(startupID: "i"),
        ["activation-token": .string("i"), "desktop-startup-id": .string("i")]
      ),
    ] as [(LaunchContext, [String: Variant])])
  func aRunningApplicationGetsItsLinksAndTheToken(
    _ context: LaunchContext, _ data: [String: Variant]
  ) throws {
    let harness = try Harness()
    try harness.others.serve(harness)
    var received: [[String]] = []
    var platformData: [[String: Variant]] = []
    let slot = try harness.others.intercept(path: "/org/example/App") { call in
      let hasLinks = call.isCall(of: "Open", in: "org.freedesktop.Application")
      received.append(hasLinks ? (try? call.readStrings()) ?? [] : [])
      platformData.append((try? call.readOptions()) ?? [:])
      Invocation(retaining: call).reply()
      return true
    }
    let links = [link, "https://b.example/"]
    let open = plan(uris: links, fallback: fallback)
    #expect(try harness.launch(open, in: session, context: context) == nil)
    #expect(try harness.launch(plan(uris: []), in: session, context: context) == nil)
    #expect(received == [links, []])
    #expect(platformData == [data, data])
    #expect(!hasRunTheFallback(within: .zero))
    withExtendedLifetime(slot) {}
  }

  @Test(arguments: ["/bin/false", "/nowhere", "/bin/sh -c 'kill -KILL $$'"])
  func whatCannotBeActivatedIsRun(_ command: String) throws {
    let harness = try Harness()
    try harness.bus.addService(name, command: command)
    #expect(try harness.launch(plan(), in: session) != nil)
    #expect(try harness.launch(plan(fallback: fallback), in: session) == nil)
    #expect(hasRunTheFallback())
  }

  @Test func anActivationThatHangsIsGivenUp() throws {
    let harness = try Harness()
    try harness.bus.addService(name, command: "/bin/sleep 8")
    let start = ContinuousClock.now
    #expect(try harness.launch(plan(fallback: fallback), in: session) == nil)
    #expect(ContinuousClock.now - start > .seconds(4))
    #expect(hasRunTheFallback())
  }

  /// The link would go to an application that is not there.
  @Test func whatOthersSayOfAnActivationIsNotBelieved() throws {
    let harness = try Harness()
    try harness.bus.addService(name, command: "/bin/sleep 8")
    var errors: [LaunchError?] = []
    harness.launcher.launch(plan(fallback: fallback), in: session, context: LaunchContext()) {
      errors.append($0)
    }
    try harness.loop.run(for: 100_000)
    try harness.others.answerAllCalls(of: harness.connection) { call throws(BusError) in
      let reply = try call.makeReturn()
      try reply.append(UInt32(1))
      try reply.send()
    }
    try harness.loop.run { !errors.isEmpty }
    #expect(errors == [nil])
    #expect(hasRunTheFallback())
  }

  @Test func whatOthersAnswerForAnApplicationIsNoFailure() throws {
    let harness = try Harness()
    try harness.others.serve(harness)
    var calls: [Invocation] = []
    let slot = try harness.others.intercept(path: "/org/example/App") { call in
      calls.append(Invocation(retaining: call))
      return true
    }
    var errors: [LaunchError?] = []
    harness.launcher.launch(plan(), in: session, context: LaunchContext()) { errors.append($0) }
    try harness.loop.run { !calls.isEmpty }
    try harness.bus.connect().answerAllCalls(of: harness.connection) { call throws(BusError) in
      Invocation(retaining: call).fail(BusError(name: "a.b", message: "no"))
    }
    try harness.loop.run { !errors.isEmpty }
    #expect(errors == [nil])
    withExtendedLifetime(slot) {}
  }

  @Test func aRefusalIsAFailureThatKeepsTheLinkToItself() throws {
    let harness = try Harness()
    try harness.others.serve(harness)
    let slot = try harness.others.intercept(path: "/org/example/App") { call in
      Invocation(retaining: call).fail(
        BusError(name: "org.example.Error", message: "cannot open \(link)"))
      return true
    }
    let error = try #require(
      try harness.launch(plan(fallback: fallback), in: session))
    #expect(
      error.description == "org.example.App.desktop did not start: it answered with "
        + "org.example.Error")
    // The link may have arrived: once more would be twice.
    #expect(!hasRunTheFallback(within: .milliseconds(100)))
    withExtendedLifetime(slot) {}
  }

  @Test func anApplicationThatCrashesWithTheLinkIsAFailure() throws {
    let harness = try Harness()
    var app: Connection? = try harness.bus.connect()
    try app?.serve(harness)
    try app?.attach(to: harness.loop)
    var slot: Slot?
    var kept: Invocation?
    slot = try app?.intercept(path: "/org/example/App") { call in
      kept = Invocation(retaining: call)
      return true
    }
    var reports: [LaunchError?] = []
    harness.launcher.launch(
      plan(fallback: fallback), in: session, context: LaunchContext()
    ) { reports.append($0) }
    try harness.loop.run { kept != nil }
    slot = nil
    app = nil
    #expect(slot == nil && app == nil)
    try harness.loop.run { !reports.isEmpty }
    #expect(reports.count == 1 && reports[0] != nil)
    #expect(!hasRunTheFallback(within: .milliseconds(100)))
  }

  @Test func anApplicationThatTakesItsTimeHasTheLink() throws {
    let harness = try Harness()
    try harness.others.serve(harness)
    var kept: [Invocation] = []
    let slot = try harness.others.intercept(path: "/org/example/App") { call in
      kept.append(Invocation(retaining: call))
      return true
    }
    #expect(try harness.launch(plan(), in: session) == nil)
    #expect(kept.count == 1)
    withExtendedLifetime(slot) {}
  }

  @Test func withoutABusTheProgramIsRun() throws {
    let loop = try EventLoop()
    let launcher = Launcher(connection: nil, manager: nil, loop: loop)
    var reports: [LaunchError?] = []
    launcher.launch(plan(fallback: fallback), in: session, context: LaunchContext()) {
      reports.append($0)
    }
    #expect(reports == [nil])
    #expect(hasRunTheFallback())
  }
}

/// Programs that are started as children.
@Suite struct ChildTests {
  private let session = Session(
    environment: [
      "PATH": "/usr/bin:/bin", "A": "b", "JOURNAL_STREAM": "1:2", "NOTIFY_SOCKET": "x",
    ],
    hasManager: false)

  /// What a child prints that `script` makes.
  private func child(
    _ script: String, in directory: String? = nil, session: Session? = nil,
    context: LaunchContext = LaunchContext()
  ) throws -> [String] {
    let harness = try Harness()
    let records = try TemporaryDirectory()
    let output = records.path + "/output"
    let plan = LaunchPlan(
      applicationID: "a.desktop", applicationName: "A",
      method: .exec(
        .init(
          program: "/bin/sh",
          arguments: [
            "sh", "-c", "{ \(script)\n} >\(output).part 2>&1; mv \(output).part \(output)",
          ], workingDirectory: directory)))
    #expect(try harness.launch(plan, in: session ?? self.session, context: context) == nil)
    guard poll({ access(output, F_OK) == 0 ? true : nil }) != nil else {
      throw SessionError("the child does not end")
    }
    return String(decoding: try readFile(output), as: UTF8.self).split(separator: "\n")
      .map(String.init)
  }

  @Test func aChildHasNothingOfOurs() throws {
    // What a service has: blocked signals, an ignored one, descriptors without close-on-exec.
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGTERM)
    sigaddset(&set, SIGCHLD)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    defer { signal(SIGPIPE, SIG_DFL) }
    let leak = fcntl(STDERR_FILENO, F_DUPFD, 30)
    defer { close(leak) }

    // The signals of a program that the shell runs: the shell blocks all while it starts one.
    let lines = try child(
      """
      grep -E '^Sig(Blk|Ign|Cgt):' /proc/self/status | tr -d '\\t'
      [ "$(cut -d' ' -f6 /proc/$$/stat)" = $$ ] && echo session
      readlink /proc/$$/fd/0
      for fd in /proc/$$/fd/*; do [ -e $fd ] && echo fd ${fd##*/}; done
      umask
      """)
    #expect(lines.contains("SigBlk:0000000000000000"))
    // Signals 32 and 33 are glibc's own.
    #expect(
      lines.contains("SigIgn:0000000000000000") || lines.contains("SigIgn:0000000180000000"))
    #expect(lines.contains("session"))
    #expect(lines.contains("/dev/null"))
    // 10 and 11 are the shell's own.
    let descriptors = Set(lines.filter { $0.hasPrefix("fd ") })
    #expect(descriptors.subtracting(["fd 10", "fd 11"]) == ["fd 0", "fd 1", "fd 2"])
    #expect(!lines.contains("fd \(leak)"))
    let mask = umask(0)
    umask(mask)
    #expect(lines.last == "0" + String(mask, radix: 8).leftPadded(to: 3))
  }

  @Test func aChildHasTheSessionsEnvironmentAndTheCallers() throws {
    let context = LaunchContext(activationToken: "t", environment: ["DISPLAY": ":1"])
    let lines = try child("env", context: context).filter {
      !["PWD=", "SHLVL=", "_=", "OLDPWD="].contains(where: $0.hasPrefix)
    }
    #expect(
      lines.sorted() == [
        "A=b", "DESKTOP_STARTUP_ID=t", "DISPLAY=:1", "PATH=/usr/bin:/bin",
        "XDG_ACTIVATION_TOKEN=t",
      ])
  }

  @Test func aChildHasTheBytesOfTheSession() throws {
    let session = Session(ownLines: [
      Array("PATH=/usr/bin:/bin".utf8), Array("A=\u{301}x".utf8), Array("B=".utf8) + [0xE9, 0x20],
    ])
    let lines = try child(#"printf "$A$B" | od -An -tx1"#, session: session)
    #expect(lines == [" cc 81 78 e9 20"])
  }

  @Test func aChildStartsWhereItsEntrySaysIfThatIsADirectory() throws {
    let here = try child("pwd")
    #expect(try child("pwd", in: "/usr") == ["/usr"])
    #expect(try child("pwd", in: "/nowhere") == here)
    #expect(try child("pwd", in: "/bin/sh") == here)
  }

  @Test(arguments: ["/nowhere", "/etc/passwd", "/usr"])
  func whatIsNoProgramIsNamed(_ program: String) throws {
    let harness = try Harness()
    let plan = LaunchPlan(
      applicationID: "a.desktop", applicationName: "A",
      method: .exec(.init(program: program, arguments: ["a"], workingDirectory: nil)))
    let error = try #require(try harness.launch(plan, in: session))
    #expect(error.description.hasPrefix("a.desktop did not start: \(program): "))
  }

  @Test func childrenAreReaped() throws {
    let harness = try Harness()
    let plan = LaunchPlan(
      applicationID: "a.desktop", applicationName: "A",
      method: .exec(.init(program: "/bin/true", arguments: ["a"], workingDirectory: nil)))
    for _ in 1...20 { #expect(try harness.launch(plan, in: session) == nil) }
    try harness.loop.run { Self.zombies == 0 }
  }

  private static var zombies: Int {
    ((try? entries(of: "/proc")) ?? []).count { pid in
      guard pid_t(pid) != nil, let stat = try? readFile("/proc/\(pid)/stat") else { return false }
      let fields = String(decoding: stat, as: UTF8.self).split(separator: " ")
      return fields.count > 3 && fields[2] == "Z" && pid_t(fields[3]) == getpid()
        && fields[1] == "(true)"
    }
  }
}

extension String {
  fileprivate func leftPadded(to count: Int) -> String {
    String(repeating: "0", count: max(0, count - self.count)) + self
  }
}

extension Connection {
  /// Owns the application's name, which is one that the bus could start.
  fileprivate func serve(_ harness: Harness) throws {
    try harness.bus.addService(name, command: "/bin/false")
    guard try requestName(name) else { throw SessionError("\(name) is taken") }
  }
}
