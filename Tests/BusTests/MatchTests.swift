import TestSupport
import Testing

@testable import Bus

@Suite struct MatchTests {
  /// libsystemd lets such a name pass, and a bus does not. By itself libsystemd closes the connection then.
  @Test func aRefusedRuleIsAnErrorOnAConnectionThatWorks() throws {
    let harness = try Harness()
    var errors: [BusError?] = []
    var slot: Slot? = try harness.caller.match("type='signal',sender='not a name'") {
      errors.append($0.error)
    }
    try harness.loop.run { !errors.isEmpty }
    #expect(errors.map(\.?.name) == ["org.freedesktop.DBus.Error.MatchRuleInvalid"])
    #expect(harness.caller.isOpen)
    #expect(slot != nil)
    slot = nil
    try harness.call { #expect($0.error?.name == "org.freedesktop.DBus.Error.UnknownObject") }
  }

  @Test func aRefusedRuleMayBeDroppedAtOnce() throws {
    let harness = try Harness()
    var slot: Slot?
    var isRefused = false
    slot = try harness.caller.match("type='signal',sender='not a name'") { _ in
      isRefused = true
      slot = nil
    }
    try harness.loop.run { isRefused }
    #expect(slot == nil)
    try harness.call { #expect($0.error?.name == "org.freedesktop.DBus.Error.UnknownObject") }
  }
}
