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
    to application: String = "browser.desktop", mayReturn: Bool = false, after time: UInt64 = 0,
    as processes: LaunchedProcesses? = nil, ends: Bool = true
  ) -> NavigationError.Code? {
    let sender = breaker.sender(caller, at: start + time)
    do throws(NavigationError) {
      let key = try breaker.admit(
        .init(url: url, application: application, mayReturn: mayReturn), from: sender,
        at: start + time)
      try breaker.start(from: sender, at: start + time)
      if let processes { breaker.link(key, isOpenedBy: processes) }
      if ends { breaker.finish() }
      return nil
    } catch {
      return error.code
    }
  }
}

private let anybody = Caller(uniqueName: ":1.1", unit: nil)

private func member(of application: String, _ name: String = ":1.9") -> Caller {
  Caller(uniqueName: name, unit: "app-sovereign-\(application)@1.service")
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
      let caller = Caller(uniqueName: ":1.\(number)", unit: nil)
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
      let caller = Caller(uniqueName: ":1.\(number)", unit: nil)
      #expect(calls.admit("https://\(number).example/", from: caller) == nil)
    }
    #expect(calls.breaker.pending == 0)
  }

  @Test func anotherLinkFromWhatWasStartedForOneIsALoopIfItGoesThereAgain() {
    let unit = LaunchedProcesses.unit("app-sovereign-browser@7.service")
    let same = Caller(uniqueName: ":1.7", unit: "app-sovereign-browser@7.service")
    for (sender, processes) in [
      (same, unit),
      (Caller(uniqueName: ":1.7", unit: nil, process: 70, session: 7), .session(leader: 7)),
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
    let shell = Caller(uniqueName: ":1.7", unit: nil, process: 70, session: 7)
    let browser = Caller(uniqueName: ":1.8", unit: nil, process: 80, session: 8)
    #expect(calls.admit("https://a.example/1", to: "shell.desktop", as: .session(leader: 7)) == nil)
    #expect(calls.admit("https://a.example/2", from: shell, as: .session(leader: 8)) == nil)
    // A login comes back to the shell so.
    #expect(
      calls.admit("sovereign://oauth/", from: browser, to: "shell.desktop", after: second) == nil)
    #expect(
      calls.admit("https://a.example/3", from: browser, to: "shell.desktop", after: second)
        == .loopDetected)
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

  @Test func whatTheBusStartedIsKnownByItsProcess() throws {
    var breaker = Breaker()
    let link = Breaker.Link(url: "https://a.example/", application: "browser.desktop")
    let key = try breaker.admit(link, from: breaker.sender(anybody, at: start), at: start)
    breaker.link(key, isOpenedBy: Caller(uniqueName: ":1.5", unit: nil, process: getppid()))
    let child = Caller(uniqueName: ":1.6", unit: nil, process: getpid())
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
