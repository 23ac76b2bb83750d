import Bus
import Files
import Glibc
import Navigation
import Preferences
import TestSupport
import Testing
import WebOrigin

@testable import NavigationService

/// The service on a bus of its own, with a user manager that starts nothing.
final class Harness {
  let bus: LocalBus
  let loop: EventLoop
  let service: NavigationService
  let manager: ManagerDouble
  let applications: InstalledApplications
  private var clients: [Connection] = []
  private var properties: Slot?

  /// - Parameter configuration: The name of the configuration's directory in the home.
  init(_ answer: ManagerDouble.Answer = .job("done"), configuration: String? = nil) throws {
    applications = try InstalledApplications()
    try applications.install("browser", schemes: ["http", "https"], fieldCode: "%U")
    try applications.install("single", schemes: ["mailto"])
    var environment = applications.environment
    if let configuration, let home = environment["HOME"] {
      environment["XDG_CONFIG_HOME"] = "\(home)/\(configuration)"
    }
    bus = try LocalBus()
    loop = try EventLoop()
    manager = try ManagerDouble(answer, environment: environment, on: bus, loop)
    service = NavigationService(
      connection: try bus.connect(), loop: loop,
      store: PreferenceStore(BaseDirectories(environment: environment), now: { 0 }),
      directories: BaseDirectories(environment: environment))
    properties = try service.interceptCalls()
    try service.export()
    guard try service.connection.requestName(Address.name) else {
      throw SessionError("the name is taken")
    }
    try service.connection.attach(to: loop)
  }

  func client() throws -> Connection {
    let client = try bus.connect()
    try client.attach(to: loop)
    clients.append(client)
    return client
  }

  /// Calls a member and gives the error, or the string that it returns, to `completion`.
  func call(
    _ member: String, of interface: String = Address.interface, at name: String = Address.name,
    from client: Connection, _ body: (borrowing Message) throws(BusError) -> Void,
    completion: @escaping (Result<String, BusError>) -> Void
  ) throws {
    let call = try client.makeCall(
      to: name, path: Address.path, interface: interface, member: member)
    try body(call)
    let timeout = UInt64(hangLimit.components.seconds) * 1_000_000
    try client.send(call, timeout: timeout) { reply in
      completion(reply.error.map { .failure($0) } ?? .success((try? reply.readString()) ?? ""))
    }
  }

  func result(
    of member: String, in interface: String = Address.interface, at name: String = Address.name,
    _ body: (borrowing Message) throws(BusError) -> Void
  ) throws -> Result<String, BusError> {
    var result: Result<String, BusError>?
    try call(member, of: interface, at: name, from: try client(), body) { result = $0 }
    try loop.run { result != nil }
    return try #require(result)
  }

  func open(
    _ url: String, from client: Connection, completion: @escaping (Result<String, BusError>) -> Void
  ) throws {
    try call(
      "Open", from: client,
      { call throws(BusError) in
        try call.append(url)
        try call.append(options: [])
      }, completion: completion)
  }

  func open(_ url: String, from client: Connection) throws -> Result<String, BusError> {
    var result: Result<String, BusError>?
    try open(url, from: client) { result = $0 }
    try loop.run { result != nil }
    return try #require(result)
  }

  func explain(_ url: String, from client: Connection) throws -> [String: Variant] {
    let call = try client.makeCall(
      to: Address.name, path: Address.path, interface: Address.interface, member: "Explain")
    try call.append(url)
    var answer: [String: Variant]?
    try client.send(call) { answer = (try? $0.readOptions()) ?? [:] }
    try loop.run { answer != nil }
    return answer ?? [:]
  }

  /// What `org.freedesktop.Application.Open` answers.
  func openAll(_ urls: [String]) throws -> Result<String, BusError> {
    try result(of: "Open", in: "org.freedesktop.Application") { call throws(BusError) in
      try call.append(urls)
      try call.append(options: [])
    }
  }
}

extension Result where Failure == BusError {
  /// The last part of the error's name.
  var errorName: String? {
    guard case .failure(let error) = self else { return nil }
    return error.name.split(separator: ".").last.map(String.init)
  }

  fileprivate var message: String? {
    guard case .failure(let error) = self else { return nil }
    return error.message
  }
}

extension Message {
  /// The value of `Registered` in the dictionary that comes next.
  fileprivate func readRegistered() throws(BusError) -> Bool {
    guard case .bool(let value)? = try readOptions()["Registered"] else {
      throw .invalidArgument("Registered")
    }
    return value
  }
}

@Suite struct ServiceTests {
  /// Within the quiet time, what was in force before the edit is no answer to what is asked for.
  @Test func whatAnEditHasJustChangedIsChangedBack() throws {
    let harness = try Harness()
    let file = harness.service.store.paths.file
    try makeDirectories(parent(of: file))
    try writeFile(file, "[Navigation]\nActiveOrigin=https://a.example\n")
    harness.service.followPreferences()
    try writeFile(file, "[Navigation]\nActiveOrigin=https://b.example\nKnownInstances=switch\n")
    let answer = try harness.result(of: "SetActive") { call throws(BusError) in
      try call.append("https://a.example")
    }
    #expect(try answer.get() == "https://a.example")
    #expect(harness.service.settings.policy.active?.description == "https://a.example")

    try writeFile(file, "[Navigation]\nActiveOrigin=https://a.example\nKnownInstances=switch\n")
    _ = try harness.result(of: "SetOption") { call throws(BusError) in
      try call.append("KnownInstances")
      try call.append("")
    }.get()
    #expect(harness.service.settings.policy.knownInstances == .browser)
  }

  struct Edit: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var text: String?
    var store: String?
    var answer = "browser"
    var active = "https://a.example"
    var instances = ["a.example", "b.example"]
  }

  /// Of https://a.example, https://b.example is stored, too.
  private static let preferences = """
    [Navigation]
    ActiveOrigin=https://a.example
    KnownInstances=switch
    [Instance 1]
    Origin=https://a.example
    AddedAt=1
    [Instance 2]
    Origin=https://b.example
    AddedAt=1

    """

  private static func shellStore(_ names: String...) -> String {
    let instances = names.map { #"{"url":"https://\#($0).example","label":"","addedAt":1}"# }
    return
      #"{"instances":[\#(instances.joined(separator: ","))],"activeUrl":"https://\#(names[0]).example"}"#
  }

  static let edits = [
    Edit(
      testDescription: "removed", text: preferences.replacing(/\[Instance 2\][^\[]*/, with: ""),
      instances: ["a.example"]),
    Edit(
      testDescription: "not switched to any more",
      text: preferences.replacing("=switch", with: "=browser")),
    Edit(
      testDescription: "none active",
      text: preferences.replacing("ActiveOrigin=https://a.example", with: "ActiveOrigin="),
      active: ""),
    Edit(
      testDescription: "removed in the shell", store: shellStore("a"), instances: ["a.example"]),
    Edit(
      testDescription: "made active",
      text: preferences.replacing("ActiveOrigin=https://a.", with: "ActiveOrigin=https://b."),
      answer: "shell", active: "https://b.example"),
    Edit(
      testDescription: "made active in the shell", store: shellStore("b", "a"), answer: "shell",
      active: "https://b.example"),
    Edit(
      testDescription: "another one active, which does not matter to the link",
      text: preferences.replacing("ActiveOrigin=https://a.", with: "ActiveOrigin=https://c."),
      answer: "switch", active: "https://b.example",
      instances: ["a.example", "b.example", "c.example"]),
  ]

  /// Within the quiet time, a link changes nothing that was chosen otherwise.
  @Test(arguments: edits, [true, false])
  func aLinkDoesNotUndoAnEdit(_ edit: Edit, _ isInterface: Bool) throws {
    let harness = try Harness()
    try harness.applications.install(
      "shell", schemes: ["sovereign"], keys: ["X-Sovereign-Shell=true"])
    let paths = harness.service.store.paths
    for path in [paths.file, paths.shellStore] { try makeDirectories(parent(of: path)) }
    try writeFile(paths.file, Self.preferences)
    try writeFile(paths.shellStore, Self.shellStore("a", "b"))
    harness.service.followPreferences()
    harness.service.followShell()
    #expect(harness.service.settings.policy.active?.description == "https://a.example")

    if let text = edit.text { try writeFile(paths.file, text) }
    if let text = edit.store { try writeFile(paths.shellStore, text) }
    let url = "https://b.example/page"
    if isInterface {
      let answer = try harness.result(of: "Open") { call throws(BusError) in
        try call.append(url)
        try call.append(options: [])
      }
      #expect(try answer.get() == edit.answer)
    } else {
      #expect(try harness.openAll([url]).errorName == nil)
    }
    try harness.loop.run(for: 300_000)
    #expect(harness.service.settings.policy.active?.description ?? "" == edit.active)
    #expect(harness.service.settings.policy.instances.map(\.origin.host) == edit.instances)
    #expect(harness.manager.units.count == 1)
    #expect(
      harness.manager.units[0].contains("browser") == (edit.answer == "browser"),
      "\(harness.manager.units)")
  }

  /// Within the quiet time, an edit that makes an application the shell counts: it would send every link
  /// that is not its own back.
  @Test func theShellOfAnEditIsNoBrowser() throws {
    let harness = try Harness()
    try harness.applications.install("both", schemes: ["https"])
    harness.service.followPreferences()
    let file = harness.service.store.paths.file
    try makeDirectories(parent(of: file))
    var answer: Result<String, BusError>?
    try harness.call(
      "SetOption", from: try harness.client(),
      { call throws(BusError) in
        try call.append("Browser")
        try call.append("both.desktop")
      }, completion: { answer = $0 })
    // The session is being asked for.
    try harness.loop.run { !harness.service.sessionChoices.isIdle }
    try writeFile(file, "[Navigation]\nShell=both.desktop\n")
    try harness.loop.run { answer != nil }
    #expect(answer?.errorName == "NoBrowser", "\(String(describing: answer))")
    #expect(harness.service.settings.browser == nil)
    #expect(harness.service.settings.shell == "both.desktop")
  }

  /// Only who is named as the shell has more rights than its sandbox.
  @Test func theShellUntilAnEditIsRefused() throws {
    let harness = try Harness()
    let service = harness.service
    try harness.applications.install(
      "shell", schemes: ["sovereign"], keys: ["X-Flatpak=fs.sovereign.Shell"])
    service.followPreferences()
    let file = service.store.paths.file
    try makeDirectories(parent(of: file))
    try writeFile(file, "[Navigation]\nShell=shell.desktop\n")
    try harness.loop.run { service.settings.shell != nil }
    // Where the application is, is known once the session is.
    _ = try harness.openAll(["mailto:a"])

    let client = try harness.client()
    func setActive(_ host: String) throws -> String? {
      var answer: Result<String, BusError>?
      try harness.call(
        "SetActive", from: client, { call throws(BusError) in try call.append(host) },
        completion: { answer = $0 })
      try harness.loop.run { answer != nil }
      return answer?.errorName
    }
    #expect(try setActive("x.example") == nil)
    // It is asked for at the first call.
    service.caller.confinement = .flatpak("fs.sovereign.Shell")
    service.callerIsOld = .max
    #expect(try setActive("a.example") == nil)
    try writeFile(
      file,
      try String(decoding: readFile(file), as: UTF8.self).replacing(
        "Shell=shell.desktop\n", with: ""))
    #expect(try setActive("b.example") == "NotAllowed")
    #expect(service.settings.policy.active?.description == "https://a.example")
  }

  /// libsystemd sends no error whose text has a noncharacter.
  @Test func anErrorThatNamesAFileGetsToTheCallerWhateverItsName() throws {
    let harness = try Harness(configuration: "no\u{FFFE}")
    // No directory.
    try writeFile(parent(of: parent(of: harness.service.store.paths.file)), "")
    let change = try harness.result(of: "SetActive") { call throws(BusError) in
      try call.append("https://a.example")
    }
    #expect(change.message?.contains("/no\u{FFFD}") == true, "\(change)")
    try harness.applications.install(
      "absent", schemes: ["https"], keys: ["Exec=/no\u{FFFE}/browser %u"])
    let option = try harness.result(of: "SetOption") { call throws(BusError) in
      try call.append("Browser")
      try call.append("absent.desktop")
    }
    #expect(option.message?.contains("/no\u{FFFD}/browser") == true, "\(option)")
  }

  /// U+FFFF and U+FDD0 pass the bus, but libsystemd neither sends nor reads them.
  @Test(arguments: ["\\uffff", "\\ufdd0"])
  func textThatCannotBeReadIsBlocked(_ text: String) throws {
    let harness = try Harness()
    for (member, answer) in [("Decide", "('blocked',)\n"), ("Explain", "")] {
      let call = try Child(
        [
          "gdbus", "call", "--address", harness.bus.address, "--dest", Address.name,
          "--object-path", Address.path, "--method", "\(Address.interface).\(member)",
          "\"https://a.example/\(text)\"",
        ], environment: ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"])
      try harness.loop.run { call.hasEnded }
      let result = try call.wait()
      #expect(String(decoding: result.output, as: UTF8.self) == answer, "\(result)")
      if answer.isEmpty { #expect(result.errorText.contains("InvalidArgs")) }
    }
  }

  @Test func linksOfOneApplicationGoThereInOneLaunch() throws {
    let harness = try Harness()
    let links = (1...60).map { "https://\($0).example/" }
    #expect(try harness.openAll(links).errorName == nil)
    #expect(harness.manager.units.count == 1)
    #expect(harness.service.breaker.pending == 0 && harness.service.requests == 0)
  }

  @Test func aTokenGoesToTheFirstLaunchOnly() throws {
    let harness = try Harness()
    let answer = try harness.result(of: "Open", in: "org.freedesktop.Application") {
      call throws(BusError) in
      try call.append(["javascript:1", "mailto:a", "https://a.example/", "mailto:b", "mailto:c"])
      try call.append(options: [
        ("activation-token", .string("token")), ("desktop-startup-id", .string("id")),
      ])
    }
    #expect(answer.errorName == "UnsupportedScheme")
    #expect(
      harness.manager.environments.map { environment in
        environment.filter { $0.hasPrefix("XDG_ACTIVATION_") || $0.hasPrefix("DESKTOP_STARTUP_") }
          .sorted()
      } == [["DESKTOP_STARTUP_ID=id", "XDG_ACTIVATION_TOKEN=token"], [], [], []])
  }

  @Test func aLinkThatIsTooLongTakesNoOthersAlong() throws {
    let harness = try Harness()
    let long = "https://long.example/" + String(repeating: "x", count: 131_072)
    let answer = try harness.openAll(["https://a.example/", long, "https://b.example/"])
    #expect(answer.errorName == "LimitExceeded")
    #expect(harness.manager.units.count == 1)
    #expect(harness.service.breaker.pending == 0 && harness.service.requests == 0)
  }

  @Test func tooMuchAtOnceIsRefused() throws {
    let harness = try Harness()
    let mebibyte = "javascript:" + String(repeating: "x", count: (1 << 20) - 11)
    for (urls, name) in [
      (Array(repeating: mebibyte, count: 4), "UnsupportedScheme"),
      (Array(repeating: mebibyte, count: 4) + ["x"], "LimitExceeded"),
      (Array(repeating: "javascript:", count: 4096), "UnsupportedScheme"),
      (Array(repeating: "javascript:", count: 4097), "LimitExceeded"),
    ] { #expect(try harness.openAll(urls).errorName == name) }
    #expect(harness.service.requests == 0)
  }

  @Test func moreThanSixtyFourPendingOpensAreRefusedWhileOthersAreAnswered() throws {
    let harness = try Harness(.hangs)
    let clients = try (0..<40).map { _ in try harness.client() }
    var answers: [Result<String, BusError>] = []
    for number in 0..<400 {
      try harness.open("https://\(number).example/", from: clients[number % 40]) {
        answers.append($0)
      }
    }
    try harness.loop.run { answers.count == 400 - 64 }
    #expect(answers.allSatisfy { $0.errorName == "LimitExceeded" })
    #expect(harness.service.requests == 64)
    let decision = try harness.result(of: "Decide") { call throws(BusError) in
      try call.append("https://a.example/")
    }
    #expect(try decision.get() == "browser")
    // What hangs counts as accepted in the end.
    try harness.loop.run { answers.count == 400 }
    #expect(answers.suffix(64).allSatisfy { $0.errorName == nil })
    #expect(harness.service.breaker.pending == 0 && harness.service.requests == 0)
  }

  @Test func whoseCallerIsGoneIsOpenedAllTheSame() throws {
    let harness = try Harness()
    do {
      let client = try harness.bus.connect()
      try harness.open("https://a.example/", from: client) { _ in }
      client.flush()
    }
    try harness.loop.run { harness.manager.units.count == 1 }
    try harness.loop.run { harness.service.requests == 0 }
  }

  @Test(arguments: [ManagerDouble.Answer.job("done"), .leaves])
  func theEndWaitsForWhatIsBeingStarted(_ answer: ManagerDouble.Answer) throws {
    let harness = try Harness(answer)
    try harness.open("https://a.example/", from: try harness.client()) { _ in }
    try harness.loop.run { harness.service.requests == 1 }
    harness.service.end()
    #expect(try harness.loop.run() == 0)
    #expect(harness.service.requests == 0)
    #expect(harness.manager.units.count == 1)
  }

  @Test func registeringIsToldOnceAndBeforeTheAnswer() throws {
    let harness = try Harness()
    let client = try harness.client()
    var seen: [String] = []
    let changes = try client.match("type='signal',member='PropertiesChanged'") { signal in
      let registered = try? signal.readString() == Address.interface && signal.readRegistered()
      seen.append("changed to \(registered.map(String.init) ?? "nothing")")
    }
    func call(_ member: String) throws {
      try harness.call(
        member, from: client, { _ in },
        completion: { answer in
          seen.append(answer.errorName ?? member)
        })
      let count = seen.count
      try harness.loop.run { seen.count > count && !(seen.last ?? "").hasPrefix("changed") }
    }

    try call("Register")
    // The desktop would not find us.
    #expect(seen == ["NoHandler"])
    try harness.applications.install(Address.name, schemes: ["sovereign"])
    for member in ["Register", "Register", "Unregister", "Unregister", "Register"] {
      try call(member)
    }
    let (on, off) = ("changed to true", "changed to false")
    #expect(
      seen == [
        "NoHandler", on, "Register", "Register", off, "Unregister", "Unregister", on, "Register",
      ])

    // A browser takes the default back.
    let list = harness.applications.configuration + "/mimeapps.list"
    try writeFile(list + ".new", "[Default Applications]\nx-scheme-handler/https=browser.desktop\n")
    rename(list + ".new", list)
    try harness.loop.run { seen.last == off }
    try writeFile(
      list, "[Default Applications]\nx-scheme-handler/https=\(Address.name).desktop\n")
    try harness.loop.run { seen.last == on }
    withExtendedLifetime(changes) {}
  }

  /// Between reading the lists and watching them.
  @Test func aRegistrationThatChangedMeanwhileIsTold() throws {
    let harness = try Harness()
    try harness.applications.install(Address.name, schemes: ["sovereign"])
    let client = try harness.client()
    var told: Bool?
    let changes = try client.match("type='signal',member='PropertiesChanged'") { signal in
      guard (try? signal.readString()) == Address.interface else { return }
      told = try? signal.readRegistered()
    }
    _ = try harness.result(of: "Decide") { call throws(BusError) in try call.append("") }
    try makeDirectories(harness.applications.configuration)
    try writeFile(
      harness.applications.configuration + "/mimeapps.list",
      "[Default Applications]\nx-scheme-handler/https=\(Address.name).desktop\n")
    harness.service.watchRegistration(told: false)
    try harness.loop.run { told == true }
    withExtendedLifetime(changes) {}
  }

  @Test func theEndWaitsForNothingThatHangs() throws {
    let harness = try Harness(.hangs)
    try harness.open("https://a.example/", from: try harness.client()) { _ in }
    try harness.loop.run { harness.manager.units.count == 1 }
    let start = ContinuousClock.now
    harness.service.end()
    #expect(try harness.loop.run() == 0)
    #expect(ContinuousClock.now - start < .seconds(2))
  }

  @Test func theEndComesAtOnceWhereNothingIsPending() throws {
    let harness = try Harness()
    let start = ContinuousClock.now
    harness.service.end()
    #expect(try harness.loop.run() == 0)
    #expect(ContinuousClock.now - start < .milliseconds(400))
  }

  @Test func startingTheBrowserAgainAndAgainIsALoop() throws {
    let harness = try Harness()
    for number in 1...6 {
      let answer = try harness.result(of: "Activate", in: "org.freedesktop.Application") {
        call throws(BusError) in
        try call.append(options: [])
      }
      #expect(answer.errorName == (number < 6 ? nil : "LoopDetected"))
    }
    #expect(harness.manager.units.count == 5)
  }

  /// As `Open`'s options do.
  @Test(arguments: ["Activate", "Open"])
  func thePlatformDataNameTheDisplay(_ member: String) throws {
    let harness = try Harness()
    let variables = ["DISPLAY": ":99", "LD_PRELOAD": "/x.so"]
    let answer = try harness.result(of: member, in: "org.freedesktop.Application") {
      call throws(BusError) in
      if member == "Open" { try call.append(["https://a.example/"]) }
      try call.append(options: [
        ("environment", .stringDictionary(variables)), ("activation-token", .string("t")),
      ])
    }
    #expect(answer.errorName == nil)
    #expect(
      harness.manager.properties["Environment"]
        == .strings(["DESKTOP_STARTUP_ID=t", "DISPLAY=:99", "XDG_ACTIVATION_TOKEN=t"]))
  }

  @Test(arguments: ["activation-token", "desktop-startup-id", "environment", "notify"])
  func nothingIsLostOverPlatformDataOfAWrongType(_ name: String) throws {
    for member in ["Activate", "Open"] {
      let harness = try Harness()
      let answer = try harness.result(of: member, in: "org.freedesktop.Application") {
        call throws(BusError) in
        if member == "Open" { try call.append(["https://a.example/"]) }
        try call.append(options: [(name, .int32(1))])
      }
      #expect(answer.errorName == nil)
      #expect(harness.manager.units.count == 1)
    }
  }

  /// The summaries of the notifications that a call of org.freedesktop.Application leads to, and its error.
  private func notifications(
    of member: String, _ body: (borrowing Message) throws(BusError) -> Void
  ) throws -> ([String], String?) {
    let harness = try Harness()
    let server = try NotificationDouble(harness)
    let answer = try harness.result(of: member, in: "org.freedesktop.Application", body)
    return (try server.summaries(), answer.errorName)
  }

  @Test func aLinkInACallThatCannotBeReadIsReported() throws {
    let many = [String](repeating: "https://a.example/", count: 4097)
    for hasData in [true, false] {
      let (summaries, error) = try notifications(of: "Open") { call throws(BusError) in
        try call.append(many)
        if hasData { try call.append(options: []) }
      }
      #expect(summaries == ["The link to a.example was not opened"])
      #expect(error == "LimitExceeded")
    }
  }

  @Test func anActionThatThereIsNotIsReported() throws {
    for hasData in [true, false] {
      let (summaries, error) = try notifications(of: "ActivateAction") { call throws(BusError) in
        try call.append("nothing")
        try call.appendContainer("a", "v") {}
        if hasData { try call.append(options: []) }
      }
      #expect(summaries == ["The application did not start"])
      #expect(error == "InvalidArgs")
    }
  }

  @Test func aLinkThatGoesRoundTakesNoOthersAlong() throws {
    let harness = try Harness()
    for _ in 1...5 { #expect(try harness.openAll(["https://a.example/"]).errorName == nil) }
    let links = ["https://b.example/", "https://a.example/", "https://c.example/"]
    #expect(try harness.openAll(links).errorName == "LoopDetected")
    #expect(harness.manager.units.count == 6)
    #expect(try harness.openAll(["https://a.example/"]).errorName == "LoopDetected")
    #expect(harness.manager.units.count == 6)
    #expect(harness.service.breaker.pending == 0 && harness.service.requests == 0)
  }

  @Test func aNotificationServerThatDoesNotComeUpKeepsNobodyWaiting() throws {
    let harness = try Harness()
    let started = try TemporaryDirectory()
    try harness.bus.addService(
      "org.freedesktop.Notifications",
      command: "/bin/sh -c 'mkdir \(started.path)/1; exec sleep 8'")
    #expect(try harness.openAll(["javascript:1"]).errorName == "UnsupportedScheme")
    // It takes no name, and nobody asks it again for ten seconds.
    try harness.loop.run { (try? entries(of: started.path)) == ["1"] }
    #expect(try harness.openAll(["javascript:2"]).errorName == "UnsupportedScheme")
    #expect(harness.service.requests == 0)
  }
}

/// A notification server that keeps what it is to show.
private final class NotificationDouble {
  private let harness: Harness
  private let connection: Connection
  private var slot: Slot?
  private var shown: [String] = []

  init(_ harness: Harness) throws {
    self.harness = harness
    connection = try harness.client()
    #expect(try connection.requestName(NotificationServer.name))
    slot = try connection.intercept(path: "/org/freedesktop/Notifications") { [unowned self] call in
      _ = try? call.readString()
      _ = try? call.readUInt32()
      _ = try? call.readString()
      if let summary = try? call.readString() { shown.append(summary) }
      Invocation(retaining: call).reply()
      return true
    }
  }

  /// Of all that was shown before the last answer of the service.
  func summaries() throws -> [String] {
    // The bus keeps the order.
    var isAnswered = false
    let client = try harness.client()
    let call = try client.makeCall(
      to: NotificationServer.name, path: "/", interface: "org.freedesktop.DBus.Peer", member: "Ping"
    )
    try client.send(call) { _ in isAnswered = true }
    try harness.loop.run { isAnswered }
    return shown
  }
}
