import Testing
import WebOrigin

@testable import Navigation

/// A xorshift generator, so that a failure can be had again.
private struct SeededGenerator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

private let pieces: [[UInt8]] =
  [
    "https://", "http://", "https:", "HTTPS:\\\\", "sovereign://", "mailto:", "blob:https://",
    "my.sovereign.example",
    "MY.Sovereign.Example", "other.example:8443", "my", ".sovereign.example", "evil.example",
    "oauth", "@", ":", ":443",
    ":8443", "/", "\\", "?", "#", ".", "%", "%2e", "%6d", "*", " ", "\t", "\n", "\0", "\u{1}", "é",
    "ß", "\u{1E9E}", "。", "１",
    "0x7f.1", "[::1]", "[", "]", "xn--", "a", "1", "-", "_", "\"", "<",
  ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0xA9], Array("%A9".utf8), Array("%C3".utf8)]

@Test func quickAndFullDecisionAgreeOnHostileURLs() {
  var generator = SeededGenerator(state: 0x5EED)
  let policy = policy()
  let decider = Decider(policy)
  var sameOrigin = 0
  for _ in 0..<50_000 {
    var bytes = Bool.random(using: &generator) ? Array("https://my.sovereign.example".utf8) : []
    for _ in 0..<Int.random(in: 0...6, using: &generator) {
      let piece = pieces.randomElement(using: &generator) ?? []
      let position =
        Int.random(in: 0...3, using: &generator) == 0
        ? Int.random(in: 0...bytes.count, using: &generator) : bytes.count
      bytes.insert(contentsOf: piece, at: position)
    }
    let decision = decider.decide(String(decoding: bytes, as: UTF8.self))
    let quick = bytes.withUnsafeBufferPointer(decider.destination)
    if quick != decision.destination {
      Issue.record("\(bytes): \(quick), not \(decision.destination)")
    }
    let hasActiveOrigin = decision.origin == active && decision.reason != .ambiguousHost
    if hasActiveOrigin && !bytes.starts(with: "blob:".utf8) != (decision.reason == .sameOrigin) {
      Issue.record("\(bytes) has origin \(decision.origin as Any), but \(decision.reason)")
    }
    if decision.reason == .sameOrigin { sameOrigin += 1 }
    guard decision.destination != .blocked else { continue }
    let again = decider.decide(decision.url)
    let isSame =
      again.reason == decision.reason && again.origin == decision.origin
      && again.url == decision.url && again.instance == decision.instance
    // ASCII form settles what engines disagree on.
    if !isSame, decision.reason != .ambiguousHost {
      Issue.record("\(bytes) is handed over as \(decision.url.debugDescription)")
    }
  }
  #expect(sameOrigin > 4000)
}
