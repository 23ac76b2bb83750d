import Testing
import WebOrigin

@testable import Navigation

private let new = Origin(scheme: "https", host: "new.example", port: 8443)

@Test func newActiveInstanceIsStoredWithItsHostAsLabel() throws {
  var policy = policy()
  try policy.setActive(new, now: 5)
  #expect(policy.active == new)
  #expect(
    policy.instances.last == Instance(origin: new, label: "new.example:8443", addedAt: 5))
  try policy.setActive(active, now: 6)
  #expect(policy.instances.count == 3)
  #expect(policy.instances.first == Instance(origin: active, label: "Mine", addedAt: 1))
  try policy.setActive(nil, now: 7)
  #expect(policy.active == nil)
  #expect(policy.instances.count == 3)
}

@Test func knownInstanceKeepsTimeAndTakesLabelIfGiven() throws {
  var policy = policy()
  try policy.add(other, label: "", activate: false, addedAt: 9)
  #expect(policy.instances[1] == Instance(origin: other, label: "Other", addedAt: 2))
  try policy.add(other, label: "New name", activate: true, addedAt: 9)
  #expect(policy.instances[1] == Instance(origin: other, label: "New name", addedAt: 2))
  #expect(policy.active == other)
}

@Test func presetInstanceTakesALabelAndStays() throws {
  var policy = policy { $0.instances[0].isPreset = true }
  try policy.add(active, label: "Else", activate: true, addedAt: 9)
  #expect(
    policy.instances[0] == Instance(origin: active, label: "Else", addedAt: 1, isPreset: true))
  #expect(throws: PolicyChangeError.presetInstance(active)) { try policy.remove(active) }
}

@Test func removingTheActiveInstanceLeavesNoneActive() throws {
  var policy = policy()
  try policy.remove(other)
  #expect(policy.active == active)
  try policy.remove(active)
  #expect(policy.active == nil)
  #expect(policy.instances.isEmpty)
  #expect(throws: PolicyChangeError.unknownInstance(active)) { try policy.remove(active) }
}

struct LinkCase: CustomTestStringConvertible {
  let testDescription: String
  var origin = other
  var active: Origin?
  let change: @Sendable (inout Policy) -> Void
}

/// What an edit may have made of the policy since the link was decided.
@Test(arguments: [
  LinkCase(testDescription: "not wanted", active: active) { $0.knownInstances = .browser },
  LinkCase(testDescription: "nothing active") { $0.active = nil },
  LinkCase(testDescription: "not stored", active: active) { $0.instances.removeLast() },
  LinkCase(testDescription: "never stored", origin: new, active: active) { _ in },
  LinkCase(testDescription: "active already", active: other) { $0.active = other },
])
func aLinkDoesNotSwitch(_ it: LinkCase) throws {
  var policy = policy { $0.knownInstances = .switch }
  it.change(&policy)
  let before = policy
  #expect(throws: PolicyChangeError.notSwitched(it.origin)) { try policy.follow(linkTo: it.origin) }
  #expect(policy == before)
  #expect(policy.active == it.active)
}

@Test func aLinkSwitches() throws {
  var policy = policy { $0.knownInstances = .switch }
  let instances = policy.instances
  try policy.follow(linkTo: other)
  #expect(policy.active == other)
  #expect(policy.instances == instances)
}

@Test func limits() throws {
  var policy = Policy()
  for number in 1...256 {
    let origin = Origin(scheme: "https", host: "\(number).example", port: nil)
    try policy.add(origin, label: String(repeating: "x", count: 256), activate: false, addedAt: 0)
  }
  #expect(throws: PolicyChangeError.tooManyInstances) { try policy.setActive(new, now: 0) }
  #expect(policy.active == nil)
  let first = policy.instances[0].origin
  #expect(throws: PolicyChangeError.labelTooLong) {
    try policy.add(first, label: String(repeating: "é", count: 129), activate: true, addedAt: 0)
  }
}
