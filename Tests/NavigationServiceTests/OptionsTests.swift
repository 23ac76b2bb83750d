import Bus
import Launcher
import TestSupport
import Testing

@testable import NavigationService

private let values: [Variant] = [
  .string("text"), .bool(true), .int32(1), .int64(1), .uint32(1), .strings(["text"]),
  .stringDictionary(["DISPLAY": ":1"]), .other(signature: "(ii)"),
]

@Suite struct OptionsTests {
  private func isWrongType(_ read: () throws(BusError) -> Void) -> Bool {
    do throws(BusError) {
      try read()
      return false
    } catch {
      return error.name == BusError.invalidArguments && error.message.contains("key")
    }
  }

  @Test(arguments: values) func aWrongTypeIsAnInvalidArgument(_ value: Variant) throws {
    let options = Options(["key": value, "unknown": .other(signature: "h")])
    let signature = value.signature
    #expect(
      isWrongType { () throws(BusError) in _ = try options.string("key") } == (signature != "s"))
    #expect(
      isWrongType { () throws(BusError) in _ = try options.bool("key") } == (signature != "b"))
    #expect(
      isWrongType { () throws(BusError) in _ = try options.int64("key") } == (signature != "x"))
    #expect(
      isWrongType { () throws(BusError) in _ = try options.stringDictionary("key") }
        == (signature != "a{ss}"))
  }

  @Test func theNamesAreThoseThatAreDocumented() throws {
    let documented = try ["Open", "AddInstance"].flatMap(Documents.interfaceEntries).map(\.word)
    #expect(Options.names == Set(documented))
  }

  @Test func whatIsAbsentIsNone() throws {
    let options = Options(["unknown": .string("x")])
    #expect(try options.string("key") == nil)
    #expect(try options.bool("key") == nil)
    #expect(try options.int64("key") == nil)
    #expect(try options.stringDictionary("key") == nil)
  }

  @Test func onlyDisplayVariablesAreTaken() throws {
    let allowed = [
      "DISPLAY": ":1", "WAYLAND_DISPLAY": "wayland-1", "XAUTHORITY": "/x",
      "XDG_CURRENT_DESKTOP": "sway", "SWAYSOCK": "/s",
    ]
    let sent = allowed.merging(["LD_PRELOAD": "/x.so", "PATH": "/x", "display": "x"]) { $1 }
    let options = Options([
      "activation-token": .string("t"), "desktop-startup-id": .string("i"),
      "environment": .stringDictionary(sent),
    ])
    #expect(
      try LaunchContext(options, isConfined: false)
        == LaunchContext(activationToken: "t", startupID: "i", environment: allowed))
    #expect(
      try LaunchContext(options, isConfined: true)
        == LaunchContext(activationToken: "t", startupID: "i"))
  }

  // No program could be started with these.
  @Test(arguments: ["", "a\nb", "\u{1}", "\u{7F}", String(repeating: "x", count: 4097)])
  func whatCannotBeAVariableIsNoToken(_ value: String) throws {
    let options = Options([
      "activation-token": .string(value), "desktop-startup-id": .string(value),
      "environment": .stringDictionary(["DISPLAY": value, "SWAYSOCK": "/s"]),
    ])
    let expected = value.isEmpty ? ["DISPLAY": "", "SWAYSOCK": "/s"] : ["SWAYSOCK": "/s"]
    #expect(
      try LaunchContext(options, isConfined: false) == LaunchContext(environment: expected))
  }
}
