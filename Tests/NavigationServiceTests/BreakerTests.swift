import Glibc
import Launcher
import Navigation
import Testing

@testable import NavigationService

private let second: UInt64 = 1_000_000
private let start = 1000 * second

/// A breaker, and calls of it in the order that a test gives.
private struct Calls {
  var breaker = Breaker()

  /// What the breaker says to a link `time` after the start, and to the launch that it needs.
  mutating func admit(
    _ url: String? = "https://a.example/", from caller: Caller = anybody,
    to application: String = "browser.desktop", written: String? = nil, mayReturn: Bool = false,
    isSwitch: Bool = false, after time: UInt64 = 0, as processes: LaunchedProcesses? = nil,
    ends: Bool = true
  ) -> NavigationError.Code? {
    let sender = breaker.sender(caller, at: start + time)
    do throws(NavigationError) {
      let key = try breaker.admit(
        .init(
          url: url, application: application, written: written, mayReturn: mayReturn,
          isSwitch: isSwitch),
        from: sender, at: start + time)
      try breaker.start(from: sender, at: start + time)
      if let processes { breaker.link(key, isOpenedBy: processes) }
      if ends { breaker.finish() }
      return nil
    } catch {
      return error.code
    }
  }
}

/// One that is in no sandbox.
private func program(
  _ name: String, unit: String? = nil, process: Int32? = nil, session: Int32? = nil
) -> Caller {
  Caller(uniqueName: name, unit: unit, process: process, session: session, confinement: .none)
}

private let anybody = program(":1.1")

private func member(of application: String, _ name: String = ":1.9") -> Caller {
  program(name, unit: "app-sovereign-\(application)@1.service")
}

@Suite struct BreakerTests {
  @Test func theSixthOfOneURLWithinTwoSecondsIsALoop() {
    var calls = Calls()
    for _ in 1...5 { #expect(calls.admit() == nil) }
    #expect(calls.admit() == .loopDetected)
    #expect(calls.admit("https://b.example/") == nil)
    #expect(calls.admit(after: 2 * second - 1) == .loopDetected)
    #expect(calls.admit(after: 2 * second) == nil)
  }

  @Test func theSixteenthOfOneURLWithinAMinuteIsALoop() {
    var calls = Calls()
    for number in 0..<15 { #expect(calls.admit(after: UInt64(number) * second) == nil) }
    #expect(calls.admit(after: 20 * second) == .loopDetected)
    #expect(calls.admit(after: 60 * second - 1) == .loopDetected)
    #expect(calls.admit(after: 60 * second) == nil)
  }

  @Test func theFirstReturnFromWhatWasStartedIsALoop() {
    var calls = Calls()
    #expect(calls.admit() == nil)
    #expect(calls.admit(from: member(of: "other")) == nil)
    #expect(calls.admit(from: member(of: "browser"), after: 60 * second - 1) == .loopDetected)
    #expect(
      calls.admit("https://b.example/", from: member(of: "browser"), after: 2 * second) == nil)
    #expect(calls.admit(from: member(of: "browser"), after: 60 * second) == nil)
  }

  @Test func whoAsksForTheBrowserMayReturnButNotForEver() {
    var calls = Calls()
    #expect(calls.admit() == nil)
    for _ in 2...5 { #expect(calls.admit(from: member(of: "browser"), mayReturn: true) == nil) }
    #expect(calls.admit(from: member(of: "browser"), mayReturn: true) == .loopDetected)
  }

  @Test func aStartWithoutAURLIsALaunchToo() {
    var calls = Calls()
    for _ in 1...5 { #expect(calls.admit(nil) == nil) }
    #expect(calls.admit(nil) == .loopDetected)
    #expect(calls.admit("https://a.example/") == nil)

    var returning = Calls()
    #expect(returning.admit(nil) == nil)
    #expect(returning.admit(nil, from: member(of: "browser")) == .loopDetected)
  }

  @Test func theSixtyFifthPendingLaunchIsTooMany() {
    var calls = Calls()
    for number in 1...64 {
      let caller = program(":1.\(number)")
      #expect(calls.admit("https://\(number).example/", from: caller, ends: false) == nil)
    }
    #expect(calls.breaker.pending == 64)
    #expect(calls.admit() == .limitExceeded)
    #expect(calls.breaker.pending == 64)
    calls.breaker.finish()
    #expect(calls.admit() == nil)
  }

  @Test func theFiftyFirstOfOneCallerWithinTenSecondsIsTooMany() {
    var calls = Calls()
    for number in 1...50 { #expect(calls.admit("https://\(number).example/") == nil) }
    #expect(calls.admit() == .limitExceeded)
    #expect(calls.admit(from: member(of: "x", ":1.2")) == nil)
    #expect(calls.admit("https://x.example/", after: 10 * second - 1) == .limitExceeded)
    #expect(calls.admit("https://x.example/", after: 10 * second) == nil)
  }

  /// It may have as many names on the bus as it likes.
  @Test(arguments: [Confinement.flatpak("a.B"), .flatpak(nil), .snap("a")])
  func theLinksOfASandboxAreCountedTogether(_ confinement: Confinement) {
    var calls = Calls()
    func open(_ number: Int, _ confinement: Confinement) -> NavigationError.Code? {
      calls.admit(
        "https://\(number).example/",
        from: Caller(uniqueName: ":1.\(number)", unit: nil, confinement: confinement))
    }
    for number in 1...50 { #expect(open(number, confinement) == nil) }
    #expect(open(51, confinement) == .limitExceeded)
    #expect(open(51, .snap("another")) == nil)
    // Of programs that do not wait for an answer most have gone before anybody asks who they are.
    for number in 51...110 { #expect(open(number, .none) == nil) }
    for number in 111...170 { #expect(open(number, .unknown) == nil) }
  }

  /// A name on the bus tells nobody anything.
  @Test(arguments: [(anybody, "this program"), (member(of: "x"), "app-sovereign-x@1.service")])
  func whoIsRefusedIsCalledWhatAUserKnows(_ caller: Caller, _ name: String) throws {
    var breaker = Breaker()
    let sender = breaker.sender(caller, at: start)
    for _ in 1...50 {
      try breaker.start(from: sender, at: start)
      breaker.finish()
    }
    let refusal = #expect(throws: NavigationError.self) {
      try breaker.start(from: sender, at: start)
    }
    #expect(
      refusal?.message == "\(name) opened 50 links within ten seconds; wait before the next")
  }

  @Test func aRefusedLaunchLeavesNoTrace() {
    var calls = Calls()
    for _ in 1...5 { _ = calls.admit() }
    for _ in 1...20 { #expect(calls.admit() == .loopDetected) }
    #expect(calls.breaker.pending == 0)
    #expect(calls.admit(after: 2 * second) == nil)
  }

  @Test func aFloodIsForgottenAndDoesNotGrow() {
    var calls = Calls()
    for number in 0..<4_200 {
      let caller = program(":1.\(number)")
      #expect(calls.admit("https://\(number).example/", from: caller) == nil)
    }
    #expect(calls.breaker.pending == 0)
  }

  @Test func anotherLinkFromWhatWasStartedForOneIsALoopIfItGoesThereAgain() {
    let unit = LaunchedProcesses.unit("app-sovereign-browser@7.service")
    let same = program(":1.7", unit: "app-sovereign-browser@7.service")
    for (sender, processes) in [
      (same, unit),
      (program(":1.7", process: 70, session: 7), .session(leader: 7)),
    ] {
      var calls = Calls()
      #expect(calls.admit(as: processes) == nil)
      #expect(calls.admit("https://b.example/", from: sender, to: "other.desktop") == nil)
      #expect(calls.admit("sovereign://oauth/x", from: sender) == nil)
      #expect(calls.admit("https://b.example/", from: sender, mayReturn: true) == nil)
      let late = 5 * second
      #expect(calls.admit("https://c.example/", from: sender, after: late - 1) == .loopDetected)
      #expect(calls.admit("https://c.example/", from: sender, after: late) == nil)
    }
  }

  /// It may be where the user clicks next.
  @Test func anotherLinkFromWhatWasThereBeforeIsALoopOnlyAtOnce() {
    var calls = Calls()
    #expect(calls.admit(as: .unit("app-sovereign-browser@7.service")) == nil)
    let member = member(of: "browser")
    #expect(calls.admit("https://b.example/", from: member, after: 2 * second - 1) == .loopDetected)
    #expect(calls.admit("https://b.example/", from: member, after: 2 * second) == nil)
  }

  @Test func twoThatSendEachOtherOtherLinksAreALoop() {
    var calls = Calls()
    let shell = program(":1.7", process: 70, session: 7)
    let browser = program(":1.8", process: 80, session: 8)
    #expect(calls.admit("https://a.example/1", to: "shell.desktop", as: .session(leader: 7)) == nil)
    #expect(calls.admit("https://a.example/2", from: shell, as: .session(leader: 8)) == nil)
    // A login comes back to the shell so.
    #expect(
      calls.admit("sovereign://oauth/", from: browser, to: "shell.desktop", after: second) == nil)
    #expect(
      calls.admit("https://a.example/3", from: browser, to: "shell.desktop", after: second)
        == .loopDetected)
  }

  /// A shell that gets web links, and one that gets `sovereign:` links.
  @Test(arguments: ["https", "sovereign"])
  func whatAShellIsGivenMattersOnlyToWhatItSends(_ scheme: String) {
    let (shell, browser) = (member(of: "shell", ":1.7"), member(of: "browser", ":1.8"))
    var calls = Calls()
    func send(_ written: String, _ caller: Caller, isSwitch: Bool = false) -> NavigationError.Code?
    {
      calls.admit(
        "\(scheme):\(written.drop { $0 != ":" }.dropFirst())", from: caller, to: "shell.desktop",
        written: written, isSwitch: isSwitch)
    }
    #expect(send("https://a.example/login", anybody) == nil)
    #expect(calls.admit("https://p.example/", from: shell) == nil)
    #expect(send("sovereign://a.example/done", browser) == nil)
    #expect(send("https://a.example/other", browser) == .loopDetected)
    #expect(calls.admit("https://a.example/q", from: shell, mayReturn: true) == nil)
    #expect(send("https://a.example/q", browser) == .loopDetected)
    // A page may offer to open itself in the application.
    #expect(send("sovereign://a.example/q", browser) == nil)
    #expect(send("sovereign://a.example/q", shell) == .loopDetected)

    #expect(send("https://b.example/x", shell) == .loopDetected)
    #expect(send("https://b.example/x", shell, isSwitch: true) == nil)
    #expect(send("https://b.example/x", shell, isSwitch: true) == .loopDetected)
  }

  /// Each is another process of the shell, known by its session alone.
  @Test func aSwitchBackIsALoopOnlyWithTheVeryLink() {
    var calls = Calls()
    func send(_ url: String, by process: Int32) -> NavigationError.Code? {
      calls.admit(
        url, from: program(":1.\(process)", process: 1, session: process),
        to: "shell.desktop", isSwitch: true, as: .session(leader: process + 1))
    }
    #expect(send("https://a.example/login", by: 6) == nil)
    #expect(send("https://b.example/sign-in", by: 7) == nil)
    #expect(send("https://a.example/done", by: 8) == nil)
    #expect(send("https://b.example/sign-in", by: 9) == .loopDetected)
    #expect(send("https://b.example/", by: 9) == nil)
  }

  @Test func whoAlwaysSendsOnWhatItIsGivenIsALoopAtAnyPace() {
    var calls = Calls()
    let member = member(of: "browser")
    for number in 0..<15 {
      let time = UInt64(number) * 3 * second
      #expect(calls.admit("https://a.example/\(number)", after: time) == nil)
      #expect(
        calls.admit("https://b.example/\(number)", from: member, after: time + 2 * second) == nil)
    }
    #expect(calls.admit("https://b.example/", from: member, after: 47 * second) == .loopDetected)
    // Of many links of its own none is a return.
    var others = Calls()
    #expect(others.admit() == nil)
    for number in 0..<40 {
      #expect(
        others.admit(
          "https://b.example/\(number)", from: member, to: "x.desktop", after: 4 * second)
          == nil)
    }
  }

  @Test func theLinksOfAnApplicationAreCountedTogether() {
    var calls = Calls()
    #expect(calls.admit() == nil)
    for number in 1...50 {
      let one = member(of: "browser", ":1.\(number)")
      #expect(calls.admit("https://b.example/\(number)", from: one, to: "x.desktop") == nil)
    }
    let next = member(of: "browser", ":1.51")
    #expect(calls.admit("https://b.example/", from: next, to: "x.desktop") == .limitExceeded)
  }

  /// A link from what began 50 ms before, 100 ms after the one before: what a loop looks like.
  private func hop(
    _ calls: inout Calls, _ number: Int, every interval: UInt64 = second / 10, url: String? = nil,
    to application: String = "browser.desktop", age: UInt64 = second / 20,
    from caller: Caller? = nil
  ) -> NavigationError.Code? {
    let time = UInt64(number) * interval
    var caller = caller ?? program(":1.\(number)", unit: "run-u\(number).service")
    caller.began = start + time - age
    return calls.admit(
      url ?? "https://a.example/?x=\(number)", from: caller, to: application, after: time)
  }

  @Test(arguments: [second / 40, 3 * second, 10 * second - 1])
  func theThirtyFirstOfAChainIsALoop(_ interval: UInt64) {
    var calls = Calls()
    for number in 1...30 { #expect(hop(&calls, number, every: interval, age: 1) == nil) }
    #expect(hop(&calls, 31, every: interval, age: 1) == .loopDetected)
    // Others are not concerned, and it is over after a pause.
    let next = program(":1.99", unit: "run-u99.service")
    let pause = 30 * interval + 10 * second
    func last(_ time: UInt64, _ url: String, to application: String) -> NavigationError.Code? {
      hop(&calls, 1, every: time, url: url, to: application, age: 1, from: next)
    }
    #expect(last(pause - 1, "https://b.example/", to: "browser.desktop") == nil)
    calls.breaker.withdraw([31])
    #expect(last(pause - 1, "https://a.example/", to: "other.desktop") == nil)
    calls.breaker.withdraw([32])
    #expect(last(pause - 1, "https://a.example/", to: "browser.desktop") == .loopDetected)
    #expect(last(pause, "https://a.example/", to: "browser.desktop") == nil)
  }

  /// The scheme and what stands before the host make no other place of it.
  @Test func aChainMayHaveSeveralStrands() {
    var calls = Calls()
    let urls = ["https://a.example/", "http://x:\(second)@a.example?", "https://a.example#"]
    for number in 1...30 {
      #expect(hop(&calls, number, url: urls[number % 3] + "\(number)") == nil)
      // It sends two at once, and one for another application.
      let twin = program(":2.\(number)", unit: "run-v\(number).service")
      if number % 7 == 0 { #expect(hop(&calls, number, url: urls[0], from: twin) == nil) }
      #expect(hop(&calls, number, url: "sovereign://a.example/\(number)", to: "x") == nil)
    }
    for url in urls { #expect(hop(&calls, 31, url: url) == .loopDetected) }
  }

  /// Whoever sends them: that such links follow from each other is plain.
  @Test(arguments: [anybody, program(":1.1", unit: "portal.service")])
  func theThirtyFirstURLThatExtendsTheOneBeforeIsALoop(_ caller: Caller) {
    var calls = Calls()
    var url = "https://a.example/"
    for number in 1...30 {
      #expect(hop(&calls, number, every: second, url: url, age: 0, from: caller) == nil)
      url += "&x"
    }
    #expect(hop(&calls, 31, every: second, url: url, age: 0, from: caller) == .loopDetected)
    #expect(hop(&calls, 31, every: second, url: "https://a.example/-", age: 0, from: caller) == nil)
  }

  @Test func withoutUnitsWhatDescendsFromUsMakesAChain() {
    var (ours, others) = (Calls(), Calls())
    for number in 1...31 {
      let child = program(":1.\(number)", process: getpid(), session: Int32(number))
      #expect(hop(&ours, number, from: child) == (number == 31 ? .loopDetected : nil))
      let another = program(":1.\(number)", process: 1, session: Int32(number))
      #expect(hop(&others, number, from: another) == nil)
    }
  }

  /// What people do, as much of it as they like.
  @Test func linksThatDoNotFollowFromEachOtherAreNoChain() {
    // One unit, however young: a script that opens a list.
    var script = Calls()
    // Many at once, each by a program of its own: all began before the first was handed over.
    var tabs = Calls()
    // One in a while.
    var clicks = Calls()
    for number in 1...100 {
      let one = program(":1.\(number)", unit: "run-u1.service")
      #expect(hop(&script, number, every: second, from: one) == nil)
      #expect(hop(&tabs, number, every: second / 50, age: UInt64(number) * second / 50) == nil)
      #expect(hop(&clicks, number, every: 10 * second) == nil)
    }
  }

  @Test func theErrorOfAChainNamesTheApplicationAndNotTheURL() throws {
    var breaker = Breaker()
    let error = #expect(throws: NavigationError.self) {
      for number in 1...31 {
        let url = "https://a.example/" + String(repeating: "secret", count: number)
        _ = try breaker.admit(
          .init(url: url, application: "browser.desktop"), from: breaker.sender(anybody, at: start),
          at: start + UInt64(number) * second)
      }
    }
    let message = try #require(error).message
    #expect(message.hasPrefix("browser.desktop was given 30 links"))
    #expect(!message.contains("secret"))
  }

  @Test func whatTheBusStartedIsKnownByItsProcess() throws {
    var breaker = Breaker()
    let link = Breaker.Link(url: "https://a.example/", application: "browser.desktop")
    let key = try breaker.admit(link, from: breaker.sender(anybody, at: start), at: start)
    breaker.link(key, isOpenedBy: program(":1.5", process: getppid()))
    let child = program(":1.6", process: getpid())
    #expect(breaker.isGivenALink(breaker.sender(child, at: start), as: "browser.desktop"))
    #expect(throws: NavigationError.self) {
      _ = try breaker.admit(link, from: breaker.sender(child, at: start), at: start)
    }
    #expect(!breaker.isGivenALink(breaker.sender(anybody, at: start), as: "browser.desktop"))
  }

  @Test func whatWasWithdrawnIsForgotten() throws {
    var breaker = Breaker()
    let link = Breaker.Link(url: "https://a.example/", application: "browser.desktop")
    for _ in 1...20 {
      let key = try breaker.admit(link, from: breaker.sender(anybody, at: start), at: start)
      breaker.withdraw([key])
    }
  }

  @Test func theErrorNamesTheApplicationAtFaultAndNotTheURL() {
    var breaker = Breaker()
    let url = "https://secret.example/path"
    let errors = [anybody, member(of: "browser")].map { caller -> NavigationError? in
      do throws(NavigationError) {
        _ = try breaker.admit(
          .init(url: url, application: "browser.desktop"), from: breaker.sender(caller, at: start),
          at: start)
        return nil
      } catch {
        return error
      }
    }
    #expect(errors[0] == nil)
    #expect(errors[1]?.message.contains("browser.desktop") == true)
    #expect(errors[1]?.message.contains("secret") == false)
  }
}
