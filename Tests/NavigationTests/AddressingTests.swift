import Testing
import WebOrigin

@testable import Navigation

struct AddressingCase: CustomTestStringConvertible {
  let url: String
  let web: String?
  let deepLink: String?

  init(_ url: String, web: String?, deepLink: String?) {
    self.url = url
    self.web = web
    self.deepLink = deepLink
  }

  var testDescription: String { url.debugDescription }
}

@Test(arguments: [
  AddressingCase(
    "https://u:p@MY.sovereign.example:443/a%2Fb?c d#e",
    web: "https://u:p@MY.sovereign.example:443/a%2Fb?c%20d#e",
    deepLink: "sovereign://my.sovereign.example/a%2Fb?c%20d#e"),
  AddressingCase(
    "https://my.sovereign.example", web: "https://my.sovereign.example",
    deepLink: "sovereign://my.sovereign.example/"),
  AddressingCase(
    "https://my.sovereign.example?q", web: "https://my.sovereign.example?q",
    deepLink: "sovereign://my.sovereign.example/?q"),
  AddressingCase(
    "https:\\\\my.sovereign.example\\@evil.example",
    web: "https://my.sovereign.example/@evil.example",
    deepLink: "sovereign://my.sovereign.example/@evil.example"),
  AddressingCase(
    "sovereign://other.example#f", web: "https://other.example:8443#f",
    deepLink: "sovereign://other.example/#f"),
  AddressingCase(
    "sovereign://OTHER.example:8443/a b", web: "https://other.example:8443/a%20b",
    deepLink: "sovereign://other.example/a%20b"),
  AddressingCase(
    "sovereign://oauth/cb?code=%2F&state=é", web: "sovereign://oauth/cb?code=%2F&state=é",
    deepLink: "sovereign://oauth/cb?code=%2F&state=é"),
  AddressingCase(
    "sovereign://unknown.example:8443", web: "sovereign://unknown.example:8443",
    deepLink: "sovereign://unknown.example:8443"),
])
func shellGets(_ test: AddressingCase) {
  let policy = policy()
  let decision = policy.decide(test.url)
  #expect(decision.destination == .shell)
  #expect(decision.shellURL(understandsWeb: true, in: policy) == test.web)
  #expect(decision.shellURL(understandsWeb: false, in: policy) == test.deepLink)
}

@Test func aShellGetsNoLinkToAnInstanceThatItDoesNotHave() {
  let policy = policy()
  let decision = policy.decide("https://my.sovereign.example/x")
  for (known, link) in [
    (["https://my.sovereign.example"], "sovereign://my.sovereign.example/x"), ([], nil),
    (["https://my.sovereign.example:8443"], nil), (["http://my.sovereign.example"], nil),
  ] as [([String], String?)] {
    let known = ShellInstances(addresses: known)
    #expect(decision.shellURL(understandsWeb: false, in: policy, known: known) == link)
    #expect(decision.shellURL(understandsWeb: true, in: policy, known: known) == decision.url)
  }
  // What it does with links that belong to no instance is its own affair.
  let callback = "sovereign://oauth/cb"
  #expect(
    policy.decide(callback).shellURL(
      understandsWeb: false, in: policy, known: ShellInstances(addresses: [])) == callback)
}

/// It loads the first one whose address has the host of the link, as its own URL parser reads that.
@Test(arguments: [
  ("https://my.sovereign.example:8443", nil),
  ("http://my.sovereign.example", nil),
  ("HTTPS:\\\\me:pw@My.sovereign.ex%61mple:8443/x", nil),
  ("my.sovereign.example:8443", nil),
  ("https://ｍｙ.sovereign.example:8443", nil),
  ("wss://my.sovereign.example", nil),
  // No one can tell what a shell makes of these.
  ("https://my.sovereign.example:99999", nil),
  ("tauri://My.sovereign.\texample/", nil),
  ("", "sovereign://my.sovereign.example/x"),
  ("https://nowhere:99999", "sovereign://my.sovereign.example/x"),
  ("https://my.sovereign.example.", "sovereign://my.sovereign.example/x"),
  ("https://not.my.sovereign.example", "sovereign://my.sovereign.example/x"),
  ("https://other.example/my.sovereign.example", "sovereign://my.sovereign.example/x"),
  // The same origin, whichever it takes.
  ("https://MY.sovereign.example:443/start", "sovereign://my.sovereign.example/x"),
])
func aShellGetsNoLinkThatItCouldOpenAtAnotherInstance(_ address: String, _ link: String?) {
  let policy = policy()
  let decision = policy.decide("https://my.sovereign.example/x")
  for addresses in [[address, "\(active)"], ["\(active)", address]] {
    let known = ShellInstances(addresses: addresses)
    #expect(decision.shellURL(understandsWeb: false, in: policy, known: known) == link)
    #expect(decision.shellURL(understandsWeb: true, in: policy, known: known) == decision.url)
  }
}

@Test func hostNameOfTwoInstancesAddressesNeither() {
  let policy = policy {
    $0.instances.append(
      Instance(
        origin: Origin(scheme: "https", host: active.host, port: 8443), label: "", addedAt: 0))
  }
  for url in ["https://my.sovereign.example/", "sovereign://my.sovereign.example/"] {
    let decision = policy.decide(url)
    #expect(decision.shellURL(understandsWeb: false, in: policy) == nil)
    #expect(decision.shellURL(understandsWeb: true, in: policy) == "https://my.sovereign.example/")
  }
}

/// A shell takes every link to `sovereign://oauth` for the end of a sign-in.
@Test(arguments: ["https://oauth", "http://oauth", "https://oauth:8443"])
func theShellsOwnHostAddressesNoInstance(_ instance: String) throws {
  let origin = try #require(Origin(serialization: instance))
  let port = try #require(origin.effectivePort)
  let policy = policy {
    $0.active = origin
    $0.instances.append(Instance(origin: origin, label: "", addedAt: 0))
  }
  for url in ["\(instance)/cb?code=1", "sovereign://oauth:\(port)/cb?code=1"] {
    let decision = policy.decide(url)
    for known in [nil, ShellInstances(addresses: [instance])] {
      #expect(decision.shellURL(understandsWeb: false, in: policy, known: known) == nil)
    }
    #expect(decision.shellURL(understandsWeb: true, in: policy) == "\(instance)/cb?code=1")
  }
  #expect(policy.decide("sovereign://oauth/cb").reason == .shellCallback)
}

@Test(arguments: [
  ("https://evil.example/a b", "https://evil.example/a%20b"),
  ("sovereign://other.example/x", "https://other.example:8443/x"),
  ("sovereign://oauth/x", nil),
  ("sovereign://unknown.example/", nil),
  ("mailto:a", nil),
  ("javascript:x", nil),
  ("wss://evil.example/", nil),
])
func browserGets(_ url: String, _ expected: String?) {
  #expect(policy().decide(url).browserURL == expected)
}

/// One value for each of the ways in which an instance has no link of its own.
@Test func whatKeepsAShellFromBeingGivenALinkHasAName() throws {
  func obstacle(
    _ url: String, _ policy: Policy, known: [String]? = nil
  ) -> AddressingObstacle? {
    let known = known.map { ShellInstances(addresses: $0) }
    switch policy.decide(url).shellAddress(understandsWeb: false, in: policy, known: known) {
    case .success: return nil
    case .failure(let obstacle): return obstacle
    }
  }
  let link = "https://my.sovereign.example/x"
  #expect(obstacle(link, policy()) == nil)
  #expect(obstacle(link, policy(), known: []) == .missingInStore)
  #expect(obstacle(link, policy(), known: ["\(active)", "\(active):8443"]) == .otherInStore)
  let twin = Origin(scheme: "https", host: active.host, port: 8443)
  let twins = policy { $0.instances.append(Instance(origin: twin, label: "", addedAt: 0)) }
  #expect(obstacle(link, twins) == .other(twin))
  #expect(obstacle("https://my.sovereign.example:8443/", twins) == .other(active))
  let reserved = policy { $0.active = Origin(scheme: "https", host: "oauth", port: nil) }
  #expect(obstacle("https://oauth/cb", reserved) == .reservedHost)
}
