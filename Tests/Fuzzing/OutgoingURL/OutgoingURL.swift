import Navigation
import WebOrigin

private let decider = Decider(
  Policy(active: Origin(serialization: "https://my.sovereign.example"), schemes: ["x-test"]))

/// Checks what is handed over for one URL.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ data: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: data, count: count)
  let url = String(decoding: bytes, as: UTF8.self)
  let decision = decider.decide(url)
  precondition(
    decider.destination(of: bytes) == decision.destination, "the fast decision is another")
  precondition(
    decision.url.isEmpty == (decision.destination == .blocked), "nothing handed over, or blocked")
  guard decision.destination != .blocked else { return 0 }

  let again = decider.decide(decision.url)
  // U+1E9E is gone from what is handed over, and `ss` in its place is not ambiguous.
  if decision.reason != .ambiguousHost {
    precondition(again == decision, "handed over as another URL: \(decision.url)")
  }
  if decision.destination == .handler || decision.origin != nil {
    precondition(decision.url.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }, "not printable")
  }
  precondition(serialize(url) == serialize(decision.url), "another serialization")
  return 0
}
