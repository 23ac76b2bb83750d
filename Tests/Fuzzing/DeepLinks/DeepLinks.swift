import Navigation
import WebOrigin

private let decider = {
  let origins = [
    "https://my.sovereign.example", "https://my.sovereign.example:8443",
    "http://my.sovereign.example", "https://[::1]:8443", "http://127.0.0.1",
    "https://xn--bcher-kva.example",
  ].compactMap(Origin.init(serialization:))
  let instances = origins.map { Instance(origin: $0, label: "", addedAt: 0) }
  return Decider(Policy(active: origins[1], instances: instances))
}()

/// Checks what follows `sovereign:`.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: data, count: count)
  let link = Array("sovereign:".utf8) + input
  let decision = decider.decide(String(decoding: link, as: UTF8.self))
  let fast = link.withUnsafeBufferPointer(decider.destination(of:))
  precondition(fast == decision.destination, "the fast decision is another")
  precondition(decision.origin == nil, "a deep link has an origin")

  switch decision.reason {
  case .malformed:
    precondition(decision.destination == .blocked && decision.url.isEmpty, "malformed, not blocked")
  case .shellCallback, .unknownInstance:
    checkHandedOver(decision)
    precondition(decision.webURL == nil && decision.instance == nil, "an instance from nowhere")
  case .deepLink:
    checkHandedOver(decision)
    checkInstance(decision, Array("https:".utf8) + input)
  default:
    preconditionFailure("\(decision.reason)")
  }
  return 0
}

private func checkHandedOver(_ decision: Decision) {
  precondition(decision.destination == .shell, "goes to \(decision.destination)")
  precondition(
    decision.url.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "control characters handed over")
  precondition(decider.decide(decision.url) == decision, "handed over as another link")
}

private func checkInstance(_ decision: Decision, _ webForm: [UInt8]) {
  guard let instance = decision.instance, let page = decision.webURL else {
    preconditionFailure("a deep link without an instance")
  }
  // As a web URL the link names the same host, and no other port than its own or the default.
  guard case .tuple(let origin) = webForm.withUnsafeBufferPointer(URLOrigin.init(of:)) else {
    preconditionFailure("no host in the web form")
  }
  precondition(origin.host == instance.origin.host, "the instance of another host")
  precondition(
    origin.port == nil || origin.port == instance.origin.effectivePort,
    "the instance at another port"
  )

  let web = decider.decide(page)
  precondition(web.instance == instance && web.origin == instance.origin, "another origin's page")
  precondition(web.url == page, "the page is handed over otherwise")
  precondition(
    decision.shellURL(understandsWeb: true, in: decider.policy) == page, "another page in the shell"
  )
  if let link = decision.shellURL(understandsWeb: false, in: decider.policy) {
    let again = decider.decide(link)
    precondition(
      again.reason == .deepLink && again.instance == instance, "another instance in the shell")
  }
}
