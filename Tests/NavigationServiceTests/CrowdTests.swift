import Bus
import Navigation
import Preferences
import TestSupport
import Testing

@testable import NavigationService

/// Many calls at once, and those of somebody else in between.
@Suite struct CrowdTests {
  private static let application = "org.freedesktop.Application"
  private static let properties = "org.freedesktop.DBus.Properties"

  /// ICU takes milliseconds for this host.
  private static let slowHost =
    String(
      String.UnicodeScalarView((0..<990).compactMap { Unicode.Scalar(0x4E00 + $0 * 7919 % 20_000) })
    ) + ".example"

  private static func slowURLs(_ count: Int) -> [String] {
    (0..<count).map { "https://\(slowHost)/\($0)" }
  }

  /// How many calls of `Decide`, one after the other, are answered until `isDone`.
  private func decisions(_ harness: Harness, until isDone: () -> Bool) throws -> Int {
    let client = try harness.client()
    var (count, asked, isOver) = (0, 0, false)
    func decide() throws {
      asked += 1
      try harness.call(
        "Decide", from: client,
        { call throws(BusError) in try call.append("https://a.example/") },
        completion: { answer in
          #expect((try? answer.get()) == "browser")
          count += 1
          if !isOver { try? decide() }
        })
    }
    try decide()
    try harness.loop.run(until: isDone)
    isOver = true
    // What is not answered keeps the harness.
    defer { try? harness.loop.run { count == asked } }
    return count
  }

  @Test func theLinksOfOneOpenKeepNobodyWaiting() throws {
    let harness = try Harness()
    var answer: Result<String, BusError>?
    try harness.call(
      "Open", of: Self.application, from: try harness.client(),
      { call throws(BusError) in
        try call.append(Self.slowURLs(300))
        try call.append(options: [])
      }, completion: { answer = $0 })
    // In one go it would be one or two; how many links a turn takes depends on the machine.
    #expect(try decisions(harness, until: { answer != nil }) > 10)
    _ = try answer?.get()
    // Together they are longer than one argument may be.
    #expect(harness.manager.units.count > 1)
  }

  /// Each link needs a launch of its own.
  @Test func theLaunchesOfOneOpenKeepNobodyWaiting() throws {
    let harness = try Harness(.hangs)
    try harness.applications.install("browser", schemes: ["http", "https"])
    var answer: Result<String, BusError>?
    try harness.call(
      "Open", of: Self.application, from: try harness.client(),
      { call throws(BusError) in
        // Long ones take longer.
        let path = String(repeating: "x", count: 80_000)
        try call.append((1...4096).map { "https://\($0).example/\($0 > 50 ? "" : path)" })
        try call.append(options: [])
      }, completion: { answer = $0 })
    var pending: Set<Int> = []
    _ = try decisions(harness) {
      pending.insert(harness.service.breaker.pending)
      return pending.contains(50)
    }
    // In one go it would be none and all; how many launches a turn takes depends on the machine.
    #expect(pending.count > 6)
    try harness.loop.run { answer != nil }
    #expect(answer?.errorName == "LimitExceeded")
    #expect(harness.manager.units.count == 50)
    #expect(harness.service.breaker.pending == 0 && harness.service.requests == 0)
  }

  @Test func ofManyLinksThatAreNotOpenedAFewAreNamedForEachReason() {
    var links = UnopenedLinks()
    func add(_ count: Int, _ code: NavigationError.Code, _ message: String, from first: Int) {
      for index in first..<(first + count) {
        // Two links to each host.
        let decision = Policy().decide("https://\(index / 2).example/\(index)")
        links.add(NavigationError(code, message), of: decision, index)
      }
    }
    add(4000, .limitExceeded, "too many", from: 10)
    add(1, .noHandler, "no application", from: 0)
    for number in 0..<100 { add(1, .loopDetected, "\(number)", from: 5000 + number) }
    var named: [String] = []
    links.report { error, link in named.append("\(link.subject) \(error.message)") }
    #expect(named.count == 32)
    #expect(
      named.prefix(5) == [
        "https://0.example no application", "https://5.example too many",
        "https://6.example too many", "https://7.example too many", "https://2500.example 0",
      ])
  }

  @Test func howeverManyWaitSomebodyElseWaitsForOneOfThem() throws {
    let harness = try Harness()
    let clients = try (0..<4).map { _ in try harness.client() }
    var answers = 0
    for number in 0..<40 {
      try harness.call(
        "DecideMany", from: clients[number % clients.count],
        { call throws(BusError) in try call.append(Self.slowURLs(20)) },
        completion: { answer in
          #expect(answer.errorName == nil)
          answers += 1
        })
    }
    // With a turn for each of them it would be a fortieth of what it is.
    #expect(try decisions(harness, until: { answers == 40 }) > 10)
  }

  /// Calls of one sender, and how many of them are let in.
  struct Flood: Sendable {
    let member: String
    var interface = Address.interface
    var url: String?
    let calls: Int
    let admitted: Int

    func fill(_ call: borrowing Message) throws(BusError) {
      if let url { try call.append(url) }
      if member != "Explain" { try call.append(options: []) }
    }
  }

  private static let mebibyte = "javascript:" + String(repeating: "x", count: (1 << 20) - 11)
  private static let floods = [
    Flood(member: "Explain", url: "https://a.example/", calls: 200, admitted: 128),
    Flood(member: "Explain", url: mebibyte, calls: 10, admitted: 4),
    Flood(
      member: "Explain", url: String(repeating: mebibyte, count: 2) + "x", calls: 10, admitted: 10),
    Flood(member: "Open", url: "javascript:", calls: 200, admitted: 128),
    Flood(member: "Open", url: mebibyte, calls: 10, admitted: 4),
    Flood(member: "Activate", interface: application, calls: 200, admitted: 128),
  ]

  /// The manager's answer is three seconds late.
  @Test(arguments: floods)
  func whoFloodsIsRefusedAndNobodyElse(_ flood: Flood) throws {
    let harness = try Harness(.answersNothing)
    let (flooding, other) = (try harness.client(), try harness.client())
    var (answered, refused) = (0, 0)
    for _ in 0..<flood.calls {
      try harness.call(
        flood.member, of: flood.interface, from: flooding, flood.fill,
        completion: { answer in
          if answer.errorName == "LimitExceeded" { refused += 1 } else { answered += 1 }
        })
    }
    try harness.loop.run { refused >= flood.calls - flood.admitted }
    #expect((answered, refused) == (0, flood.calls - flood.admitted))
    var (answer, decision): (Result<String, BusError>?, Result<String, BusError>?)
    try harness.call(
      flood.member, of: flood.interface, from: other, flood.fill, completion: { answer = $0 })
    try harness.call(
      "Decide", from: other, { call throws(BusError) in try call.append("") },
      completion: { decision = $0 })
    try harness.loop.run { decision != nil }
    // A refusal would have come before.
    #expect(answer == nil)
    // An application would be started, in the session of whoever tests.
    guard flood.member != "Activate" else { return }
    try harness.loop.run { answer != nil && answered + refused == flood.calls }
    #expect(answer?.errorName == (flood.member == "Open" ? "UnsupportedScheme" : nil))
    #expect(answered == flood.admitted)
  }

  @Test func manyTogetherAreRefusedInTheEnd() throws {
    let harness = try Harness(.answersNothing)
    var errors: [String?] = []
    for _ in 0..<9 {
      let client = try harness.client()
      for _ in 0..<60 {
        try harness.call(
          "GetAll", of: Self.properties, from: client,
          { call throws(BusError) in try call.append(Address.interface) },
          completion: { errors.append($0.errorName) })
      }
    }
    try harness.loop.run { errors.count == 9 * 60 }
    #expect(errors.count { $0 == "LimitExceeded" } == 9 * 60 - 512)
    #expect(errors.count { $0 == nil } == 512)
  }

  @Test func whatSetsAnOptionIsNotOvertakenByWhatResetsIt() throws {
    let harness = try Harness()
    let client = try harness.client()
    var answers = 0
    for value in ["browser.desktop", "", "browser.desktop", ""] {
      try harness.call(
        "SetOption", from: client,
        { call throws(BusError) in
          try call.append("Browser")
          try call.append(value)
        },
        completion: { answer in
          #expect(answer.errorName == nil)
          answers += 1
        })
    }
    try harness.loop.run { answers == 4 }
    #expect(harness.service.settings.browser == nil)
  }

  /// The manager knows where applications are, this process does not.
  @Test func theEmptyStringStandsForOurInterface() throws {
    let harness = try Harness()
    let client = try harness.client()
    var dictionaries: [[String: Variant]] = []
    for interface in ["", Address.interface] {
      let call = try client.makeCall(
        to: Address.name, path: Address.path, interface: Self.properties, member: "GetAll")
      try call.append(interface)
      try client.send(call) { reply in dictionaries.append((try? reply.readOptions()) ?? [:]) }
      try harness.loop.run { !dictionaries.isEmpty }
    }
    try harness.loop.run { dictionaries.count == 2 }
    #expect(dictionaries[0]["Browser"] == .string("browser.desktop"))
    #expect(dictionaries[0] == dictionaries[1])
    #expect(dictionaries[0].count == 7)
  }
}
