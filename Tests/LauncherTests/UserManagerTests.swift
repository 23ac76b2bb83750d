import Bus
import TestSupport
import Testing

@testable import Desktop
@testable import Launcher

private let plan = LaunchPlan(
  applicationID: "org.example.App.desktop", applicationName: "An App",
  method: .exec(
    .init(
      program: "/usr/bin/app", arguments: ["app", "https://a.example/?${HOME}"],
      workingDirectory: nil)))

@Suite struct UserManagerTests {
  private let session = Session(environment: ["XDG_ACTIVATION_TOKEN": "stale"], hasManager: true)

  @Test(
    arguments: [
      (ManagerDouble.Answer.job("done"), nil), (.job("failed", exitStatus: 1), nil),
      (.job("failed", exitStatus: 9), nil), (.job("failed", exitStatus: 199), nil),
      (
        .job("failed", exitStatus: 203), "systemd could not run the program (exit status 203)"
      ),
      (.job("failed", exitStatus: 200), "systemd could not run the program (exit status 200)"),
      (.job("canceled"), "systemd reported canceled"),
      (.job("dependency"), "systemd reported dependency"),
      (.refuses, "no"),
      (.failsAndHangs, "systemd could not start it"),
      (.isExecutedAnew, "systemd reported canceled"),
    ] as [(ManagerDouble.Answer, String?)])
  private func aStartEndsOnceAsItsJobDoes(
    _ answer: ManagerDouble.Answer, _ reason: String?
  ) throws {
    let harness = try Harness()
    let manager = try ManagerDouble(answer, on: harness.bus, harness.loop)
    let error = try harness.launch(plan, in: session)
    #expect(
      error
        == reason.map {
          .failed(application: "org.example.App.desktop", reason: "/usr/bin/app: \($0)")
        })
    if case .job = answer { #expect(manager.released == manager.units) }
  }

  /// A call that waits, and its share of what may wait, would be kept until the timer ends.
  @Test(arguments: [ManagerDouble.Answer.job("done"), .job("failed", exitStatus: 203), .refuses])
  private func nothingOfALaunchIsKeptOnceItHasEnded(_ answer: ManagerDouble.Answer) throws {
    final class Call {
      var isAnswered = false
    }
    let harness = try Harness()
    let manager = try ManagerDouble(answer, on: harness.bus, harness.loop)
    var call: Call? = Call()
    weak let kept = call
    harness.launcher.launch(plan, in: session, context: LaunchContext()) { [call] _ in
      call?.isAnswered = true
    }
    call = nil
    try harness.loop.run { kept?.isAnswered ?? true }
    try harness.loop.run(for: 20_000)
    #expect(kept == nil)
    withExtendedLifetime(manager) {}
  }

  /// By itself libsystemd closes the connection then, and the service ends.
  @Test private func aBusThatReportsNoJobsIsNoFailure() throws {
    let harness = try Harness(LocalBus(matchRules: 0))
    let manager = try ManagerDouble(.isSilent, on: harness.bus, harness.loop)
    let start = ContinuousClock.now
    for count in 1...2 {
      #expect(try harness.launch(plan, in: session) == nil)
      #expect(manager.released.count == count)
    }
    #expect(ContinuousClock.now - start < .seconds(4))
  }

  @Test private func aManagerThatLeavesIsAFailure() throws {
    let harness = try Harness()
    let manager = try ManagerDouble(.leaves, on: harness.bus, harness.loop)
    #expect(try harness.launch(plan, in: session) != nil)
    withExtendedLifetime(manager) {}
  }

  @Test(arguments: [ManagerDouble.Answer.isSilent, .hangs])
  private func noAnswerWithinFiveSecondsCountsAsAccepted(_ answer: ManagerDouble.Answer) throws {
    let harness = try Harness()
    let manager = try ManagerDouble(answer, on: harness.bus, harness.loop)
    let start = ContinuousClock.now
    #expect(try harness.launch(plan, in: session) == nil)
    #expect(ContinuousClock.now - start > .seconds(4))
    #expect(manager.released == manager.units)
  }

  @Test private func theUnitIsWhatTheContractSays() throws {
    let harness = try Harness()
    let manager = try ManagerDouble(.job("done"), on: harness.bus, harness.loop)
    let context = LaunchContext(activationToken: "t", environment: ["DISPLAY": ":1"])
    #expect(try harness.launch(plan, in: session, context: context) == nil)
    let name = try #require(manager.units.first)
    #expect(name.hasPrefix("app-sovereign-org.example.App@"))
    #expect(
      manager.properties.filter { $0.key != "UnsetEnvironment" } == [
        "Description": .string("An App"), "Slice": .string("app.slice"),
        "Type": .string("exec"), "ExitType": .string("cgroup"),
        "CollectMode": .string("inactive-or-failed"), "AddRef": .bool(true),
        "OOMPolicy": .string("continue"), "IgnoreSIGPIPE": .bool(false),
        "PartOf": .strings(["graphical-session.target"]),
        "Environment": .strings(["DESKTOP_STARTUP_ID=t", "DISPLAY=:1", "XDG_ACTIVATION_TOKEN=t"]),
        "ExecStartEx": .other(signature: "a(sasas)"),
      ])
    let removed: [String] =
      if case .strings(let names)? = manager.properties["UnsetEnvironment"] { names } else { [] }
    #expect(!removed.contains("XDG_ACTIVATION_TOKEN") && removed.contains("NOTIFY_SOCKET"))
  }

  @Test private func aUnitGetsNothingOfAnotherDisplay() throws {
    let harness = try Harness()
    let manager = try ManagerDouble(.job("done"), on: harness.bus, harness.loop)
    let session = Session(
      environment: ["DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0", "XAUTHORITY": "/a"],
      hasManager: true)
    let context = LaunchContext(environment: ["DISPLAY": ":93"])
    #expect(try harness.launch(plan, in: session, context: context) == nil)
    #expect(manager.properties["Environment"] == .strings(["DISPLAY=:93"]))
    let removed: Set<String> =
      if case .strings(let names)? = manager.properties["UnsetEnvironment"] { Set(names) } else {
        []
      }
    #expect(removed.isSuperset(of: ["WAYLAND_DISPLAY", "XAUTHORITY"]))
    // It comes after the assignments; systemd.exec(5).
    #expect(!removed.contains("DISPLAY"))
  }

  @Test(
    arguments: [
      ("An “app” 100%h", "An “app” 100%h"),
      ("An\n[Service]\nExecStopPost=/bin/true", "An [Service] ExecStopPost=/bin/true"),
      ("a\rb\r\nc\td\u{1B}e\u{7F}f\u{85}g", "a b  c d e f g"), ("An app\\", "An app\\ "),
    ])
  private func theNameIsOneLineOfTheUnit(_ name: String, _ expected: String) throws {
    let harness = try Harness()
    let manager = try ManagerDouble(.job("done"), on: harness.bus, harness.loop)
    let plan = LaunchPlan(
      applicationID: "a.desktop", applicationName: name,
      method: .exec(.init(program: "/bin/a", arguments: ["a"], workingDirectory: nil)))
    #expect(try harness.launch(plan, in: session) == nil)
    #expect(manager.properties["Description"] == .string(expected))
  }

  @Test(
    arguments: [
      ("/tmp", Variant.string("-/tmp")), ("/tmp/é 100%h", .string("-/tmp/é 100%h")),
      ("/tmp\n[Service]\nExecStopPost=/bin/true", nil), ("/tmp\r", nil),
      ("/tmp\r\n", nil), ("/tmp\u{7F}", nil), ("/tmp\u{85}x", nil), ("/tmp\\", nil),
    ] as [(String, Variant?)])
  private func onlyAWorkingDirectoryOfOneLineIsTaken(
    _ path: String, _ expected: Variant?
  ) throws {
    let harness = try Harness()
    let manager = try ManagerDouble(.job("done"), on: harness.bus, harness.loop)
    let plan = LaunchPlan(
      applicationID: "a.desktop", applicationName: "A",
      method: .exec(.init(program: "/bin/a", arguments: ["a"], workingDirectory: path)))
    #expect(try harness.launch(plan, in: session) == nil)
    #expect(manager.properties["WorkingDirectory"] == expected)
  }

  @Test private func theSessionIsOursWhereTheManagerDoesNotAnswer() throws {
    let harness = try Harness()
    let manager = try ManagerDouble(.answersNothing, on: harness.bus, harness.loop)
    var session: Session?
    harness.manager.session { session = $0 }
    try harness.loop.run(limit: Harness.patience) { session != nil }
    #expect(session == .own)
    withExtendedLifetime(manager) {}
  }

  /// Of anybody who guesses the number of the question.
  @Test private func whatOthersAnswerIsNotTheManagersEnvironment() throws {
    let harness = try Harness()
    let manager = try ManagerDouble(.answersNothing, on: harness.bus, harness.loop)
    var session: Session?
    harness.manager.session { session = $0 }
    try harness.loop.run(for: 100_000)
    try harness.others.answerAllCalls(of: harness.connection) { call throws(BusError) in
      let reply = try call.makeReturn()
      try reply.append(.strings(["PATH=/evil"]))
      try reply.send()
    }
    try harness.loop.run { session != nil }
    #expect(session == .own)
    withExtendedLifetime(manager) {}
  }

  @Test(arguments: [true, false])
  private func whatOthersSayOfAStartIsNoFailure(_ isSignal: Bool) throws {
    let harness = try Harness()
    let manager = try ManagerDouble(
      isSignal ? .isSilent : .hangs, on: harness.bus, harness.loop)
    var reports: [LaunchError?] = []
    harness.launcher.launch(plan, in: session, context: LaunchContext()) { reports.append($0) }
    try harness.loop.run { !manager.units.isEmpty }
    try harness.loop.run(for: 100_000)
    if isSignal {
      try harness.others.sayJobIsCanceled(of: manager.units[0], to: harness.connection)
    } else {
      try harness.others.answerAllCalls(of: harness.connection) { call throws(BusError) in
        Invocation(retaining: call).fail(BusError(name: "a.b", message: "no"))
      }
    }
    try harness.loop.run { !reports.isEmpty }
    #expect(reports == [nil])
  }

  @Test private func theSessionIsTheManagersWhereOneRuns() throws {
    let harness = try Harness()
    var sessions: [Session] = []
    harness.manager.session { sessions.append($0) }
    try harness.loop.run { sessions.count == 1 }
    #expect(sessions.last?.hasManager == false)
    let manager = try ManagerDouble(.refuses, on: harness.bus, harness.loop)
    harness.manager.session { sessions.append($0) }
    try harness.loop.run { sessions.count == 2 }
    #expect(sessions.last?.hasManager == true)
    #expect(sessions.last?.environment["A"] == "b")
    #expect(sessions.last?.environment["C"] == "d=e")
    withExtendedLifetime(manager) {}
  }
}
