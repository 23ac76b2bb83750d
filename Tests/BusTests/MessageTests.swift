import Glibc
import TestSupport
import Testing

@testable import Bus

private let variants: [Variant] = [
  .string(""), .string("é – \u{1F600}"), .bool(true), .bool(false), .int32(.min), .int32(.max),
  .int64(.min), .int64(.max), .uint32(.max), .strings([]), .strings(["a", "", "é"]),
  .stringDictionary([:]), .stringDictionary(["DISPLAY": ":0", "": ""]),
]

@Suite struct MessageTests {
  @Test(arguments: variants) func aVariantArrivesAsItWasSent(_ variant: Variant) throws {
    let read = try Sending { call throws(BusError) in try call.append(variant) }.received {
      call throws(BusError) in
      try call.readVariant()
    }
    #expect(try read.get() == variant)
  }

  @Test func optionsArriveWithThoseOfUnknownTypesSkipped() throws {
    let command = Variant.Command(program: "/bin/true", arguments: ["true"], flags: [])
    let options = variants.enumerated().map { ("\($0.offset)", $0.element) }
    let read = try Sending { call throws(BusError) in
      try call.append(options: [("commands", .commands([command]))] + options)
      try call.append(UInt32(7))
    }.received { call throws(BusError) -> ([String: Variant], UInt32) in
      (try call.readOptions(), try call.readUInt32())
    }
    let (values, number) = try read.get()
    #expect(values["commands"] == .other(signature: "a(sasas)"))
    for (key, value) in options { #expect(values[key] == value) }
    #expect(number == 7)
  }

  @Test(arguments: variants + [.commands([.init(program: "a", arguments: ["b", "c"], flags: [])])])
  func aValueIsSkippedWhole(_ variant: Variant) throws {
    let read = try Sending { call throws(BusError) in
      try call.append(variant)
      try call.append(UInt32(7))
    }.received { call throws(BusError) -> UInt32 in
      var room = 100
      try call.skip(room: &room, else: .noncharacter)
      return try call.readUInt32()
    }
    #expect(try read.get() == 7)
  }

  // The variant, the array and its strings.
  @Test(arguments: [(5, nil), (4, "too many")])
  func aValueOfTooManyPartsIsNotSkipped(_ room: Int, _ message: String?) throws {
    let read = try Sending { call throws(BusError) in
      try call.append(.strings(["a", "b", "c"]))
    }.received { call throws(BusError) -> Int in
      var room = room
      try call.skip(room: &room, else: BusError(name: "org.example.Error", message: "too many"))
      return room
    }
    switch read {
    case .success(let room): #expect(message == nil && room == 0)
    case .failure(let error): #expect(error.message == message)
    }
  }

  /// Millions of bytes, one at a time, would take libsystemd seconds.
  @Test func theNumbersOfAnArrayDoNotCount() throws {
    let read = try Sending { call throws(BusError) in
      try call.appendContainer("v", "au") { () throws(BusError) in
        try call.appendContainer("a", "u") { () throws(BusError) in
          for number in 0..<1000 { try call.append(UInt32(number)) }
        }
      }
      try call.append(UInt32(7))
    }.received { call throws(BusError) -> UInt32 in
      var room = 2
      try call.skip(room: &room, else: .noncharacter)
      return try call.readUInt32()
    }
    #expect(try read.get() == 7)
  }

  @Test func theLastOfTwoEqualKeysCounts() throws {
    let read = try Sending { call throws(BusError) in
      try call.append(options: [("key", .string("first")), ("key", .bool(true))])
    }.received { call throws(BusError) in try call.readOptions() }
    #expect(try read.get() == ["key": .bool(true)])
  }

  @Test func aLongStringArrivesWhole() throws {
    let text = String(repeating: "é", count: 2 << 20)
    let read = try Sending { call throws(BusError) in try call.append(text) }.received {
      call throws(BusError) in
      try call.readBytes().count
    }
    #expect(try read.get() == 4 << 20)
  }

  /// D-Bus has no way to say it, and what stands before it is another string.
  @Test func aStringWithNULIsNotSent() throws {
    let harness = try Harness()
    let call = try harness.caller.makeCall(
      to: Harness.name, path: Harness.path, interface: Harness.interface, member: "Test")
    for text in ["\0", "a\0b", "\u{FFFE}\0"] {
      let error = #expect(throws: BusError.self) { try call.append(text) }
      #expect(error?.name == BusError.invalidArguments)
    }
    #expect(throws: BusError.self) { try call.append(["a", "b\0"]) }
  }

  /// Reads with the reader of `signature`.
  private func read(_ signature: String, from call: borrowing Message) throws(BusError) {
    switch signature {
    case "s": _ = try call.readString()
    case "o": _ = try call.readObjectPath()
    case "u": _ = try call.readUInt32()
    case "i": _ = try call.readInt32()
    case "x": _ = try call.readInt64()
    case "b": _ = try call.readBool()
    case "as": _ = try call.readStrings()
    case "a{ss}": _ = try call.readStringDictionary()
    case "a{sv}": _ = try call.readOptions()
    case "v": _ = try call.readVariant()
    default:
      try call.readContainer("r", "ss") { () throws(BusError) in
        _ = try call.readString()
        _ = try call.readString()
      }
    }
  }

  @Test(arguments: ["", "s", "u", "i", "x", "b", "as", "a{ss}", "a{sv}", "v", "(ss)"])
  func aWrongTypeIsAnError(_ signature: String) throws {
    for reader in ["s", "o", "u", "i", "x", "b", "as", "a{ss}", "a{sv}", "v", "(ss)"] {
      let result = try Sending { call throws(BusError) in
        switch signature {
        case "s": try call.append("text")
        case "u": try call.append(UInt32(1))
        case "i": try call.append(Int32(1))
        case "x": try call.append(Int64(1))
        case "b": try call.append(true)
        case "as": try call.append(["text"])
        case "a{ss}":
          try call.appendContainer("a", "{ss}") { () throws(BusError) in
            try call.appendContainer("e", "ss") { () throws(BusError) in
              try call.append("key")
              try call.append("value")
            }
          }
        case "a{sv}": try call.append(options: [("key", .bool(true))])
        case "v": try call.append(Variant.bool(true))
        case "(ss)":
          try call.appendContainer("r", "ss") { () throws(BusError) in
            try call.append("a")
            try call.append("b")
          }
        default: break
        }
      }.received { call throws(BusError) in try self.read(reader, from: call) }
      if reader == signature {
        #expect(throws: Never.self) { try result.get() }
      } else {
        #expect(throws: BusError.self, "\(reader) of \(signature)") { try result.get() }
      }
    }
  }

  @Test func aMissingArgumentIsAnInvalidArgument() throws {
    let read = try Sending { _ in }.received { call throws(BusError) in try call.readString() }
    let error = #expect(throws: BusError.self) { try read.get() }
    #expect(error?.name == BusError.invalidArguments)
  }

  @Test func whatWasReadIsReadAgainAfterARewind() throws {
    let read = try Sending { call throws(BusError) in
      try call.append("first")
      try call.append(["second"])
    }.received { call throws(BusError) -> (String, [String]) in
      _ = try call.readString()
      try call.rewind()
      return (try call.readString(), try call.readStrings())
    }
    #expect(try read.get() == ("first", ["second"]))
  }
}

/// A call that the service reads.
private struct Sending {
  let body: (borrowing Message) throws(BusError) -> Void

  init(_ body: @escaping (borrowing Message) throws(BusError) -> Void) { self.body = body }

  /// What the service reads of it.
  func received<Value>(
    _ read: @escaping (borrowing Message) throws(BusError) -> Value
  ) throws -> Result<Value, BusError> {
    let harness = try Harness()
    var result: Result<Value, BusError>?
    let slot = try harness.service.intercept(path: Harness.path) { call in
      do throws(BusError) { result = .success(try read(call)) } catch { result = .failure(error) }
      Invocation(retaining: call).reply()
      return true
    }
    try harness.call("Test", body) { #expect($0.error == nil) }
    withExtendedLifetime(slot) {}
    return try #require(result)
  }
}
