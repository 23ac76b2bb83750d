import Files
import Glibc
import Navigation
import TestSupport
import Testing
import WebOrigin

@testable import Preferences

/// A store as the shell writes it.
let shellStore = """
  {
    "instances": [
      {"url": "https://a.example", "label": "A", "addedAt": 1764460800000},
      {"url": "https://b.example:8443", "label": "B", "addedAt": 1764460800001}
    ],
    "activeUrl": "https://b.example:8443"
  }

  """

@Suite struct ShellStoreTests {
  struct Good: Sendable, CustomTestStringConvertible {
    let text: String
    var active: Origin?
    var instances: [Instance] = []
    var flaws: [ShellStoreFlaw] = []
    var testDescription: String { String(text.prefix(120)) }
  }

  @Test(arguments: [
    Good(text: #"{"instances":[],"activeUrl":null}"#),
    Good(
      text: shellStore, active: .named("b", port: 8443),
      instances: [
        Instance(origin: .named("a"), label: "A", addedAt: 1_764_460_800_000),
        Instance(origin: .named("b", port: 8443), label: "B", addedAt: 1_764_460_800_001),
      ]),
    // Whatever else there is, in whatever order.
    Good(
      text: store(
        #"{"addedAt":1,"theme":{"dark":[1e3,true]},"label":"A","url":"https://a.example"}"#,
        more: #","version":2,"windows":[]"#),
      instances: [Instance(origin: .named("a"), label: "A", addedAt: 1)]),
    // The active one is found by its origin, not by its spelling.
    Good(
      text: store(
        instance("https://A.example:443/start?x#y"), active: #""https:\/\/a.example\/other""#),
      active: .named("a"), instances: [plain("a")]),
    Good(text: store(instance("a.example")), instances: [plain("a")]),
    Good(
      text: store(instance("https://a.example", label: #""\u00e9\uD83D\uDE00 \" \\""#)),
      instances: [plain("a", label: "é😀 \" \\")]),
    Good(
      text: store(
        instance("https://a.example", label: "null", addedAt: "null"),
        instance("https://b.example", label: "\"\"", addedAt: "1764460800000.75"),
        instance("https://c.example", addedAt: "-9223372036854775808")),
      instances: [
        plain("a"), plain("b", addedAt: 1_764_460_800_000), plain("c", addedAt: .min),
      ]),
    Good(
      text: store(instance("https://a.example", label: text(256))),
      instances: [plain("a", label: String(repeating: "x", count: 256))]),
    Good(
      text: store(
        instance("https://a.example", label: text(257)),
        instance("https://b.example", label: #""\u0000""#),
        instance("https://c.example", label: #""a\nb""#),
        instance("https://d.example", label: "\"" + String(repeating: "é", count: 129) + "\"")),
      instances: [plain("a"), plain("b"), plain("c"), plain("d")],
      flaws: (1...4).map { .unusableLabel(instance: $0) }),
    Good(
      text: store(
        instance("javascript:alert(1)"), instance(""), instance("https://u:p@a.example"),
        instance("https://a.example\\u0000"), instance("https://a.example/1"),
        instance("https://a.example/2"), instance("http://a.example")),
      instances: [plain("a"), Instance(origin: .http("a"), label: "a.example", addedAt: 0)],
      flaws: [
        .noAddress(instance: 1), .noAddress(instance: 2), .noAddress(instance: 3),
        .repeated(instance: 5, .named("a")), .repeated(instance: 6, .named("a")),
      ]),
    Good(
      text: store((1...256).map { instance("https://i\($0).example") }),
      instances: (1...256).map { plain("i\($0)") }),
  ])
  func reads(_ good: Good) throws {
    let (store, flaws) = try ShellStore.read(Array(good.text.utf8))
    #expect(store == ShellStore(active: good.active, instances: good.instances))
    #expect(flaws == good.flaws)
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let text: String
    let error: ShellStoreError
    var testDescription: String { String(text.prefix(120)) }
    init(_ text: String, _ error: ShellStoreError) { (self.text, self.error) = (text, error) }
  }

  static let topKeys = ["instances", "activeUrl"]
  static let instanceKeys = ["url", "label", "addedAt"]

  @Test(arguments: [
    Bad("", .notJSON(line: 1)),
    Bad(" \n\n", .notJSON(line: 3)),
    Bad("no", .notJSON(line: 1)),
    Bad("{\n'instances': []}", .notJSON(line: 2)),
    Bad("\u{FEFF}{}", .notJSON(line: 1)),
    Bad(#"{"instances":[],"activeUrl":null}}"#, .notJSON(line: 1)),
    Bad(#"{"instances":[],"activeUrl":null,"activeUrl":"https://a.example"}"#, .notJSON(line: 1)),
    Bad(#"{"instances":[],"activeUrl":"\ud800"}"#, .notJSON(line: 1)),
    Bad(String(repeating: "[", count: 100_000), .notJSON(line: 1)),
    Bad("[]", .wrongType("the file", expected: "an object")),
    Bad("{}", .missingKeys("the file", expected: topKeys, found: [])),
    Bad(
      #"{"instances":[],"active":null}"#,
      .missingKeys("the file", expected: topKeys, found: ["instances", "active"])),
    // Keys are told apart by case.
    Bad(
      #"{"instances":[],"activeURL":null}"#,
      .missingKeys("the file", expected: topKeys, found: ["instances", "activeURL"])),
    Bad(
      store(instance("https://a.example"), #"{"origin":"b.example","label":"","addedAt":0}"#),
      .missingKeys("instance 2", expected: instanceKeys, found: ["origin", "label", "addedAt"])),
    Bad(
      store(#"{"url":"https://a.example","addedAt":1}"#),
      .missingKeys("instance 1", expected: instanceKeys, found: ["url", "addedAt"])),
    Bad(store(#""https://a.example""#), .wrongType("instance 1", expected: "an object")),
    Bad(#"{"instances":{},"activeUrl":null}"#, .wrongType("`instances`", expected: "an array")),
    Bad(#"{"instances":null,"activeUrl":null}"#, .wrongType("`instances`", expected: "an array")),
    Bad(store(active: "7"), .wrongType("`activeUrl`", expected: "a string or null")),
    Bad(
      store(#"{"url":null,"label":"","addedAt":0}"#),
      .wrongType("`url` of instance 1", expected: "a string")),
    Bad(
      store(instance("https://a.example", label: "[]")),
      .wrongType("`label` of instance 1", expected: "a string or null")),
    Bad(
      store(instance("https://a.example", addedAt: #""yesterday""#)),
      .wrongType("`addedAt` of instance 1", expected: "a number or null")),
    Bad(
      store(instance("https://a.example", addedAt: "1e300")),
      .wrongType("`addedAt` of instance 1", expected: "a number or null")),
    Bad(store(active: #""javascript:alert(1)""#), .activeNoAddress),
    Bad(store(active: #""""#), .activeNoAddress),
    Bad(
      store(instance("https://a.example"), active: #""https://b.example""#),
      .activeNotListed(.named("b"))),
    Bad(
      store(instance("https://a.example"), active: #""http://a.example""#),
      .activeNotListed(.http("a"))),
    Bad(store((1...257).map { instance("https://i\($0).example") }), .tooManyInstances(257)),
  ])
  func refuses(_ bad: Bad) {
    #expect(throws: bad.error) { try ShellStore.read(Array(bad.text.utf8)) }
  }

  @Test func repeatsNoKeyThatIsALink() {
    let text = #"{"instances":[],"active_url":null,"https://me:hunter2@a.example/private":null}"#
    #expect {
      try ShellStore.read(Array(text.utf8))
    } throws: { error in
      "\(error)"
        == "the file must have the keys `instances`, `activeUrl`, and has `instances`, `active_url`, …"
    }
  }

  /// A file that is still being written must never be taken for a whole one.
  @Test func refusesEveryPart() {
    let text = Array(
      store(instance("https://é.example", label: #""\u00e9\n""#), active: "null").utf8)
    for count in 0..<(text.count) {
      #expect(throws: ShellStoreError.notJSON(line: 1), "\(count)") {
        try ShellStore.read(Array(text[..<count]))
      }
    }
  }

  @Test func refusesBytesThatAreNotUTF8() {
    let text = Array(store(instance("https://a.example", label: #""LABEL""#)).utf8)
    let label = Array("LABEL".utf8)
    for bytes in [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0x00]] as [[UInt8]] {
      var broken = text
      broken.replace(label, with: bytes)
      #expect(throws: ShellStoreError.notJSON(line: 1), "\(bytes)") {
        try ShellStore.read(broken)
      }
    }
  }

  @Test func refusesWhatIsNoFileOfItsSize() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path + "/instances.json"
    func cause() -> FileError.Cause? {
      do throws(ShellStoreError) {
        _ = try ShellStore.bytes(at: path)
        return nil
      } catch {
        if case .file(let error) = error { return error.cause }
        return nil
      }
    }
    #expect(cause() == .absent)
    try writeFile(path, [UInt8](repeating: 0x20, count: 1 << 20))
    #expect(cause() == nil)
    try writeFile(path, [UInt8](repeating: 0x20, count: 1 << 20 + 1))
    #expect(cause() == .tooLarge(limit: 1 << 20))
    unlink(path)
    mkfifo(path, 0o600)
    #expect(cause() == .notRegular)
  }

  @Test func namesKeysAndNoValues() throws {
    let renamed = shellStore.replacing("activeUrl", with: "current\u{1B}[31mUrl")
      .replacing("https://a.example", with: "https://user:secret@a.example/private")
    do {
      _ = try ShellStore.read(Array(renamed.utf8))
      Issue.record("it was read")
    } catch {
      #expect(
        "\(error)" == "it is not JSON, or only a part of it; see line 6",
        "a raw control character is no JSON")
    }
    let escaped = renamed.replacing("\u{1B}", with: #"\u001b"#)
    do {
      _ = try ShellStore.read(Array(escaped.utf8))
      Issue.record("it was read")
    } catch {
      #expect(
        "\(error)" == "the file must have the keys `instances`, `activeUrl`, "
          + "and has `instances`, …")
    }
  }
}

private func store(_ instances: String..., active: String = "null", more: String = "") -> String {
  store(instances, active: active, more: more)
}

private func store(_ instances: [String], active: String = "null", more: String = "") -> String {
  #"{"instances":["# + instances.joined(separator: ",") + #"],"activeUrl":"# + active + more + "}"
}

private func instance(
  _ url: String, label: String = "null", addedAt: String = "0"
) -> String {
  #"{"url":"\#(url)","label":\#(label),"addedAt":\#(addedAt)}"#
}

private func text(_ count: Int) -> String { "\"\(String(repeating: "x", count: count))\"" }

private func plain(_ name: String, label: String? = nil, addedAt: Int64 = 0) -> Instance {
  let origin = Origin.named(name)
  return Instance(origin: origin, label: label ?? origin.hostAndPort, addedAt: addedAt)
}

extension Origin {
  fileprivate static func http(_ name: String) -> Origin {
    Origin(scheme: "http", host: "\(name).example", port: nil)
  }
}
