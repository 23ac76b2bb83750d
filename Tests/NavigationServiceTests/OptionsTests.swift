import Bus
import Launcher
import TestSupport
import Testing

@testable import NavigationService

private let values: [Variant] = [
  .string("text"), .bool(true), .int32(1), .int64(1), .uint32(1), .strings(["text"]),
  .stringDictionary(["DISPLAY": ":1"]), .commands([]),
]

@Suite struct OptionsTests {
  private func options(
    _ sent: [(String, Variant)], _ kinds: [(String, Options.Kind)] = Options.ofOpen
  ) throws -> Result<Options, BusError> {
    try Receiver { call throws(BusError) in try Options(of: call, kinds) }.read(sent)
  }

  private func platformData(_ sent: [(String, Variant)]) throws -> Options {
    try Receiver { call in Options(platformDataOf: call) }.read(sent).get()
  }

  @Test func theNamesAndTypesAreThoseThatAreDocumented() throws {
    for (member, kinds) in [("Open", Options.ofOpen), ("AddInstance", Options.ofAddInstance)] {
      let documented = try Documents.interfaceEntries(of: member)
      #expect(kinds.map(\.0).sorted() == documented.map(\.word).sorted(), "\(member)")
      for (name, kind) in kinds {
        let entry = documented.first { $0.word == name }
        #expect(entry?.text.split(separator: " ").first == Substring(kind.signature), "\(name)")
      }
    }
  }

  @Test(arguments: values) func aWrongTypeIsAnInvalidArgument(_ value: Variant) throws {
    for (member, kinds) in [("Open", Options.ofOpen), ("AddInstance", Options.ofAddInstance)] {
      for (name, kind) in kinds {
        let read = try options([("unknown", value), (name, value)], kinds)
        guard kind.signature != value.signature else {
          #expect(throws: Never.self, "\(member) \(name)") { try read.get() }
          continue
        }
        let error = #expect(throws: BusError.self, "\(member) \(name)") { try read.get() }
        #expect(error?.name == BusError.invalidArguments)
        #expect(error?.message.contains(name) == true)
      }
    }
  }

  @Test(arguments: values) func aWrongTypeInPlatformDataIsPassedOver(_ value: Variant) throws {
    for key in ["activation-token", "environment", "notify"] {
      let data = try platformData([(key, value), ("desktop-startup-id", .string("i"))])
      #expect(data.text("desktop-startup-id") == "i", "\(key)")
      #expect(data.text("activation-token") == (key == "activation-token" ? value.text : nil))
    }
  }

  // U+FFFF, which libsystemd neither reads nor sends.
  @Test func whatIsReadableOfPlatformDataIsTaken() throws {
    let receiver = try Receiver { call in Options(platformDataOf: call) }
    let call = try Child(
      [
        "gdbus", "call", "--address", receiver.bus.address, "--dest", Receiver.name,
        "--object-path", "/", "--method", "\(Receiver.name).Test",
        #"{"activation-token": <"t">, "desktop-startup-id": <"\uffff">}"#,
      ], environment: ["PATH": "/usr/bin:/bin"])
    let options = try receiver.read().get()
    #expect(options.text("activation-token") == "t")
    #expect(options.text("desktop-startup-id") == nil)
    _ = try call.wait()
  }

  @Test func whatIsAbsentIsNone() throws {
    let options = try options([("unknown", .string("x"))]).get()
    #expect(options.text("destination") == nil)
    #expect(options.bool("notify") == nil)
    #expect(options.int64("added-at") == nil)
    #expect(options.variables("environment") == [:])
  }

  @Test func theLastOfTwoCounts() throws {
    let options = try options([("notify", .bool(true)), ("notify", .bool(false))]).get()
    #expect(options.bool("notify") == false)
  }

  @Test func onlyDisplayVariablesAreTaken() throws {
    let allowed = [
      "DISPLAY": ":1", "WAYLAND_DISPLAY": "wayland-1", "XAUTHORITY": "/x",
      "XDG_CURRENT_DESKTOP": "sway", "SWAYSOCK": "/s",
    ]
    let sent = allowed.merging(["LD_PRELOAD": "/x.so", "PATH": "/x", "display": "x"]) { $1 }
    let options = try options([
      ("activation-token", .string("t")), ("desktop-startup-id", .string("i")),
      ("environment", .stringDictionary(sent)),
    ]).get()
    #expect(options.variables("environment") == allowed)
    #expect(
      LaunchContext(options, isConfined: false)
        == LaunchContext(activationToken: "t", startupID: "i", environment: allowed))
    #expect(
      LaunchContext(options, isConfined: true)
        == LaunchContext(activationToken: "t", startupID: "i"))
  }

  // No program could be started with these.
  @Test(arguments: ["", "a\nb", "\u{1}", "\u{7F}", String(repeating: "x", count: 4097)])
  func whatCannotBeAVariableIsNoToken(_ value: String) throws {
    let options = try options([
      ("activation-token", .string(value)), ("desktop-startup-id", .string(value)),
      ("environment", .stringDictionary(["DISPLAY": value, "SWAYSOCK": "/s"])),
    ]).get()
    let expected = value.isEmpty ? ["DISPLAY": "", "SWAYSOCK": "/s"] : ["SWAYSOCK": "/s"]
    #expect(LaunchContext(options, isConfined: false) == LaunchContext(environment: expected))
  }

  @Test(arguments: [(4096, 4096), (4097, 4097), (4 << 20, 4097)])
  func whatIsTooLongForAnyUseIsCut(_ length: Int, _ copied: Int) throws {
    let text = String(repeating: "x", count: length)
    let options = try options([
      ("activation-token", .string(text)), ("destination", .string(text)),
      ("environment", .stringDictionary(["DISPLAY": text])),
    ]).get()
    #expect(options.text("activation-token")?.utf8.count == copied)
    #expect(options.text("destination")?.utf8.count == copied)
    #expect(options.variables("environment")["DISPLAY"]?.utf8.count == copied)
  }

  @Test(arguments: [(4096, nil), (4097, "fs.sovereign.Navigation.Error.LimitExceeded")])
  func tooManyAreRefused(_ count: Int, _ error: String?) throws {
    let variables = Dictionary(uniqueKeysWithValues: (1..<count).map { ("\($0)", "") })
    for sent in [
      [(String, Variant)](repeating: ("notify", .bool(true)), count: count),
      [("environment", .stringDictionary(variables))],
      // An option, its variant, its array and so many strings.
      [("unknown", .strings([String](repeating: "", count: count - 3)))],
    ] {
      let read = try options(sent)
      switch read {
      case .success: #expect(error == nil)
      case .failure(let failure): #expect(failure.name == error)
      }
    }
  }
}

/// A program on a bus of its own that reads the options of calls.
private final class Receiver {
  static let name = "org.example.Receiver"
  let bus: LocalBus
  private let loop: EventLoop
  private let connection: Connection
  private var slot: Slot?
  private var result: Result<Options, BusError>?

  init(_ read: @escaping (borrowing Message) throws(BusError) -> Options) throws {
    bus = try LocalBus()
    loop = try EventLoop()
    connection = try bus.connect()
    #expect(try connection.requestName(Self.name))
    slot = try connection.intercept(path: "/") { [unowned self] call in
      guard call.isCall(of: "Test", in: "org.example.Receiver") else { return false }
      do throws(BusError) {
        result = .success(try read(call))
      } catch {
        result = .failure(error)
      }
      Invocation(retaining: call).reply()
      return true
    }
    try connection.attach(to: loop)
  }

  /// What it reads of the next call.
  func read() throws -> Result<Options, BusError> {
    try loop.run { result != nil }
    return try #require(result)
  }

  func read(_ options: [(String, Variant)]) throws -> Result<Options, BusError> {
    let sender = try bus.connect()
    let call = try sender.makeCall(
      to: Self.name, path: "/", interface: Self.name, member: "Test")
    try call.append(options: options)
    try sender.send(call) { _ in }
    sender.flush()
    return try read()
  }
}

extension Variant {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}
