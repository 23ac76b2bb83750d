import Bus
import TestSupport
import Testing

@testable import NavigationService

@Suite struct AccessTests {
  /// One that is forgotten would be refused to a sandbox, and not looked at where nothing may be changed.
  @Test func everyMemberThatTheServiceHasIsNamedOnce() throws {
    let harness = try Harness()
    let text = try harness.result(of: "Introspect", in: "org.freedesktop.DBus.Introspectable") {
      _ throws(BusError) in
    }.get()
    var members: Set<String> = []
    var interface: Substring = ""
    for element in text.matches(of: /<(interface|method) name="([\w.]+)"/) {
      if element.output.1 == "interface" {
        interface = element.output.2
      } else {
        members.insert("\(interface).\(element.output.2)")
      }
    }
    let others: Set = [
      "org.freedesktop.DBus.Peer.Ping", "org.freedesktop.DBus.Peer.GetMachineId",
      "org.freedesktop.DBus.Properties.Set",
    ]
    #expect(others.isSubset(of: members))
    let named = Access.members.map { "\($0.interface).\($0.member)" }
    #expect(Set(named) == members.subtracting(others))
    #expect(named.count == Set(named).count)
  }
}
