import Testing
import WebOrigin

@testable import Navigation

let active = Origin(scheme: "https", host: "my.sovereign.example", port: nil)
let other = Origin(scheme: "https", host: "other.example", port: 8443)

func policy(_ change: (inout Policy) -> Void = { _ in }) -> Policy {
  var policy = Policy(
    active: active,
    instances: [
      Instance(origin: active, label: "Mine", addedAt: 1),
      Instance(origin: other, label: "Other", addedAt: 2),
    ])
  change(&policy)
  return policy
}

struct DecisionCase: CustomTestStringConvertible {
  let url: String
  let destination: Destination
  let reason: Reason

  init(_ url: String, _ destination: Destination, _ reason: Reason) {
    self.url = url
    self.destination = destination
    self.reason = reason
  }

  var testDescription: String { url.utf8.count < 100 ? url.debugDescription : "\(url.prefix(20))…" }
}

private let tooLong = "https://my.sovereign.example/" + String(repeating: "x", count: 2 << 20)

@Test(arguments: [
  DecisionCase("https://my.sovereign.example/plugins/console?x=1#top", .shell, .sameOrigin),
  DecisionCase("HTTPS://MY.sovereign.EXAMPLE:443", .shell, .sameOrigin),
  DecisionCase("  https:\\\\my.sovereign.example\\x", .shell, .sameOrigin),
  DecisionCase("https://user:pw@my.sovereign.example/", .shell, .sameOrigin),
  DecisionCase("https://my.sovereign.example\\@evil.example/", .shell, .sameOrigin),
  DecisionCase("https://%6dy.sovereign.example/", .shell, .sameOrigin),
  DecisionCase("https://ｍｙ.sovereign.example/", .shell, .sameOrigin),
  DecisionCase("https://evil.example/", .browser, .crossOrigin),
  DecisionCase("https://my.sovereign.example@evil.example/", .browser, .crossOrigin),
  DecisionCase("https://my.sovereign.example.evil.example/", .browser, .crossOrigin),
  DecisionCase("https://evil.example\\@my.sovereign.example/", .browser, .crossOrigin),
  DecisionCase("https://evil.example#@my.sovereign.example/", .browser, .crossOrigin),
  DecisionCase("https://my.sovereign.example./", .browser, .crossOrigin),
  DecisionCase("http://my.sovereign.example/", .browser, .crossOrigin),
  DecisionCase("http://my.sovereign.example:443/", .browser, .crossOrigin),
  DecisionCase("https://my.sovereign.example:8443/", .browser, .crossOrigin),
  DecisionCase("https://127.0.0.1/", .browser, .crossOrigin),
  DecisionCase("https://my.sovereign.example*/", .browser, .ambiguousHost),
  DecisionCase("https://stra\u{1E9E}e.example/", .browser, .ambiguousHost),
  DecisionCase("https://OTHER.example:8443/x", .browser, .otherInstance),
  DecisionCase("https://other.example/x", .browser, .crossOrigin),
  DecisionCase("mailto:a@b.example", .handler, .externalScheme),
  DecisionCase("TEL:+49", .handler, .externalScheme),
  DecisionCase("geo:1,2", .handler, .externalScheme),
  DecisionCase("irc://h:99999/", .blocked, .malformed),
  DecisionCase("sovereign://oauth/callback?code=1", .shell, .shellCallback),
  DecisionCase("Sovereign://OAuth/", .shell, .shellCallback),
  DecisionCase("sovereign://my.sovereign.example", .shell, .deepLink),
  DecisionCase("sovereign://MY.sovereign.example:443/x", .shell, .deepLink),
  DecisionCase("sovereign://other.example?x", .shell, .deepLink),
  DecisionCase("sovereign://other.example:8443#x", .shell, .deepLink),
  DecisionCase("sovereign://other.example:443/", .shell, .unknownInstance),
  DecisionCase("sovereign://unknown.example/x@y\\z", .shell, .unknownInstance),
  DecisionCase("sovereign://[::1]:8443/", .shell, .unknownInstance),
  DecisionCase(" sover\neign://unknown.example ", .shell, .unknownInstance),
  DecisionCase("sovereign:", .blocked, .malformed),
  DecisionCase("sovereign://", .blocked, .malformed),
  DecisionCase("sovereign:///x", .blocked, .malformed),
  DecisionCase("sovereign:my.sovereign.example", .blocked, .malformed),
  DecisionCase("sovereign:/my.sovereign.example", .blocked, .malformed),
  DecisionCase("sovereign:\\\\my.sovereign.example", .blocked, .malformed),
  DecisionCase("sovereign://my.sovereign.example\\x", .blocked, .malformed),
  DecisionCase("sovereign://u@my.sovereign.example/", .blocked, .malformed),
  DecisionCase("sovereign://oauth@evil.example/", .blocked, .malformed),
  DecisionCase("sovereign://my.sovereign.example:/", .blocked, .malformed),
  DecisionCase("sovereign://my.sovereign.example:65536/", .blocked, .malformed),
  DecisionCase("sovereign://my.sovereign.example:+1/", .blocked, .malformed),
  DecisionCase("sovereign://[::1]x/", .blocked, .malformed),
  DecisionCase("sovereign://exa mple/", .blocked, .malformed),
  DecisionCase("javascript:alert(1)", .blocked, .unsupportedScheme),
  DecisionCase("java\tscript:alert(1)", .blocked, .unsupportedScheme),
  DecisionCase("file:///etc/passwd", .blocked, .unsupportedScheme),
  DecisionCase("blob:https://my.sovereign.example/1", .blocked, .unsupportedScheme),
  DecisionCase("data:text/html,x", .blocked, .unsupportedScheme),
  DecisionCase("about:blank", .blocked, .unsupportedScheme),
  DecisionCase("view-source:https://my.sovereign.example/", .blocked, .unsupportedScheme),
  DecisionCase("wss://my.sovereign.example/", .blocked, .unsupportedScheme),
  DecisionCase("ftp://my.sovereign.example/", .blocked, .unsupportedScheme),
  DecisionCase("ms-settings:x", .blocked, .unsupportedScheme),
  DecisionCase("localhost:3000", .blocked, .unsupportedScheme),
  DecisionCase("magnet:?xt=1", .blocked, .unsupportedScheme),
  DecisionCase("https://exa mple/", .blocked, .malformed),
  DecisionCase("ws://", .blocked, .malformed),
  DecisionCase("my.sovereign.example", .blocked, .malformed),
  DecisionCase("/etc/passwd", .blocked, .malformed),
  DecisionCase("", .blocked, .malformed),
  DecisionCase(tooLong, .blocked, .tooLong),
])
func decision(_ test: DecisionCase) {
  let decision = policy().decide(test.url)
  #expect(decision.destination == test.destination)
  #expect(decision.reason == test.reason)
  #expect(decision.url.isEmpty == (test.destination == .blocked))
}

@Test(arguments: [
  DecisionCase("https://my.sovereign.example/", .browser, .noActiveOrigin),
  DecisionCase("https://a*/", .browser, .noActiveOrigin),
  DecisionCase("sovereign://my.sovereign.example/", .shell, .deepLink),
  DecisionCase("sovereign://oauth/", .shell, .shellCallback),
  DecisionCase("mailto:a", .handler, .externalScheme),
  DecisionCase("https://", .blocked, .malformed),
])
func decisionWithNothingActive(_ test: DecisionCase) {
  let decision = policy { $0.active = nil }.decide(test.url)
  #expect(decision.destination == test.destination)
  #expect(decision.reason == test.reason)
}

@Test func knownInstancesMaySwitch() {
  let switching = policy { $0.knownInstances = .switch }
  let decision = switching.decide("https://other.example:8443/x")
  #expect(decision.destination == .switch)
  #expect(decision.reason == .otherInstance)
  #expect(decision.instance?.origin == other)
  #expect(switching.decide("https://evil.example/").destination == .browser)
  #expect(switching.decide("https://my.sovereign.example/").destination == .shell)
}

@Test func schemesAddHandlersButNeverDangerousOnes() {
  let adding = policy { $0.schemes = ["magnet", "javascript", "https", "sovereign", "blob", "ws"] }
  #expect(adding.decide("MAGNET:?xt=1").destination == .handler)
  #expect(adding.decide("javascript:alert(1)").destination == .blocked)
  #expect(adding.decide("blob:https://a/").destination == .blocked)
  #expect(adding.decide("ws://a/").destination == .blocked)
  #expect(adding.decide("https://evil.example/").destination == .browser)
  #expect(adding.decide("sovereign://oauth/").destination == .shell)
}

@Test(arguments: [
  "javascript", "data", "file", "blob", "about", "view-source", "filesystem", "vbscript", "intent",
  "ws", "wss",
  "ftp", "ms-settings", "http", "https", "sovereign", "x", "", "Magnet", "1a", "a b", "mägnet",
  "search-ms",
])
func schemeThatIsNeverHandedOver(_ scheme: String) {
  #expect(!ExternalScheme.mayBeAdded(scheme))
}

@Test(arguments: ["magnet", "web+ap", "zoommtg", "h323", "msteams", "mailto"])
func schemeThatMayBeHandedOver(_ scheme: String) {
  #expect(ExternalScheme.mayBeAdded(scheme))
}

@Test func activeOriginCountsAsStored() {
  let unstored = Policy(active: active)
  #expect(unstored.decide("sovereign://my.sovereign.example/").reason == .deepLink)
  #expect(unstored.decide("https://my.sovereign.example/").instance?.label == active.host)
}

@Test(arguments: [
  ("http://my.sovereign.example/", Hint.scheme),
  ("https://my.sovereign.example:8443/", .port),
  ("https://my.sovereign.example./", .trailingDot),
  ("https://www.my.sovereign.example/", .www),
  ("https://a.my.sovereign.example:1/", .subdomain),
  ("https://my.sovereign.example/", nil),
  ("http://my.sovereign.example:8443/", nil),
  ("https://notmy.sovereign.example/", nil),
  ("https://my.sovereign.example.evil.example/", nil),
  ("mailto:a", nil),
])
func hint(_ url: String, _ expected: Hint?) {
  #expect(policy().decide(url).hint == expected)
}

@Test func deepLinkPrefersTheActiveInstanceOfSeveral() {
  let first = Origin(scheme: "https", host: "a.example", port: nil)
  let second = Origin(scheme: "https", host: "a.example", port: 8443)
  var policy = Policy(instances: [
    Instance(origin: first, label: "", addedAt: 0), Instance(origin: second, label: "", addedAt: 0),
  ])
  #expect(policy.decide("sovereign://a.example/").instance?.origin == first)
  policy.active = second
  #expect(policy.decide("sovereign://a.example/").instance?.origin == second)
  #expect(policy.decide("sovereign://a.example:443/").instance?.origin == first)
}
