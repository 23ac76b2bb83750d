import Navigation
import Testing

@testable import NavigationService

private let second: UInt64 = 1_000_000
private let start = 1000 * second

/// A breaker, and calls of it in the order that a test gives.
private struct Calls {
  var breaker = Breaker()

  /// What the breaker says to a launch `time` after the start; the launch ends at once.
  mutating func admit(
    _ urls: [String] = ["https://a.example/"], from caller: Caller = anybody,
    to application: String = "browser.desktop", mayReturn: Bool = false, after time: UInt64 = 0,
    ends: Bool = true
  ) -> NavigationError.Code? {
    do throws(NavigationError) {
      try breaker.admit(
        urls: urls, from: caller, to: application, mayReturn: mayReturn, at: start + time)
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
    #expect(calls.admit(["https://b.example/"]) == nil)
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
    #expect(calls.admit(["https://b.example/"], from: member(of: "browser")) == nil)
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
    for _ in 1...5 { #expect(calls.admit([]) == nil) }
    #expect(calls.admit([]) == .loopDetected)
    #expect(calls.admit(["https://a.example/"]) == nil)

    var returning = Calls()
    #expect(returning.admit([]) == nil)
    #expect(returning.admit([], from: member(of: "browser")) == .loopDetected)
  }

  @Test func theSixtyFifthPendingLaunchIsTooMany() {
    var calls = Calls()
    for number in 1...64 {
      let caller = Caller(uniqueName: ":1.\(number)", unit: nil)
      #expect(calls.admit(["https://\(number).example/"], from: caller, ends: false) == nil)
    }
    #expect(calls.breaker.pending == 64)
    #expect(calls.admit() == .limitExceeded)
    #expect(calls.breaker.pending == 64)
    calls.breaker.finish()
    #expect(calls.admit() == nil)
  }

  @Test func theFiftyFirstOfOneCallerWithinTenSecondsIsTooMany() {
    var calls = Calls()
    for number in 1...50 { #expect(calls.admit(["https://\(number).example/"]) == nil) }
    #expect(calls.admit() == .limitExceeded)
    #expect(calls.admit(from: member(of: "x", ":1.2")) == nil)
    #expect(calls.admit(["https://x.example/"], after: 10 * second - 1) == .limitExceeded)
    #expect(calls.admit(["https://x.example/"], after: 10 * second) == nil)
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
    for number in 0..<10_000 {
      let caller = Caller(uniqueName: ":1.\(number)", unit: nil)
      #expect(calls.admit(["https://\(number).example/"], from: caller) == nil)
    }
    #expect(calls.breaker.pending == 0)
  }

  @Test func theErrorNamesTheApplicationAtFaultAndNotTheURL() {
    var breaker = Breaker()
    let url = "https://secret.example/path"
    let errors = [anybody, member(of: "browser")].map { caller -> NavigationError? in
      do throws(NavigationError) {
        try breaker.admit(
          urls: [url], from: caller, to: "browser.desktop", mayReturn: false, at: start)
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
