import Navigation
import WebOrigin

/// Checks one URL, or two with a NUL between them.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = UnsafeBufferPointer(start: data, count: count)
  let end = input.firstIndex(of: 0) ?? count
  let first = UnsafeBufferPointer(rebasing: input[..<end])
  let second = UnsafeBufferPointer(rebasing: input[min(end + 1, count)...])
  let (left, right) = (origin(of: first), origin(of: second))
  let (forwards, backwards) = (
    decide(second, active: left, stored: right), decide(first, active: right, stored: left)
  )

  precondition(forwards.reason != .sameOrigin || left == right, "same as another origin")
  // An ambiguous host cannot become active, and its URLs go to the browser; `blob:` URLs to nothing.
  let mayDiffer = [forwards, backwards].contains { decision in
    decision.reason == .ambiguousHost || decision.destination == .blocked
  }
  if !mayDiffer {
    let isSame = left != nil && left == right
    precondition((forwards.reason == .sameOrigin) == isSame, "not symmetric")
    precondition((backwards.reason == .sameOrigin) == isSame, "not symmetric")
  }
  return 0
}

private func origin(of url: UnsafeBufferPointer<UInt8>) -> Origin? {
  let result = URLOrigin(of: url)
  let parsed = URLParser.parse(url) { $0.origin }
  precondition("\(result)" == "\(parsed)", "the plain URL's origin is another")
  var text: [UInt8] = []
  URLOrigin.appendDescription(of: url, to: &text)
  precondition(text.elementsEqual("\(parsed)".utf8), "another origin is written")
  guard case .tuple(let origin) = result else { return nil }
  precondition(Origin(serialization: "\(origin)") == origin, "not its own origin: \(origin)")
  return origin
}

private func decide(
  _ url: UnsafeBufferPointer<UInt8>, active: Origin?, stored: Origin?
) -> Decision {
  let instances = [stored, active].compactMap(\.self).map { origin in
    Instance(origin: origin, label: "", addedAt: 0)
  }
  let decider = Decider(
    Policy(active: active, instances: instances, knownInstances: .switch))
  let decision = decider.decide(String(decoding: url, as: UTF8.self))
  precondition(decider.destination(of: url) == decision.destination, "the fast decision is another")
  return decision
}
