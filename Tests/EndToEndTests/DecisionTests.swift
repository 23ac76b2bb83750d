import TestSupport
import Testing

extension EndToEnd {
  @Suite struct DecisionTests {
    static let table: [(destination: String, urls: [String])] = [
      (
        "shell",
        [
          "https://my.sovereign.example/plugins/console?x=1#top",
          "HTTPS://MY.sovereign.EXAMPLE:443",
          "  https:\\\\my.sovereign.example\\x",
          "https://user:pw@my.sovereign.example/",
          "https:my.sovereign.example",
          "ht\ntps://my.sovereign.example/",
          "https://my.sovereign%2eexample/",
          "sovereign://my.sovereign.example/settings",
          "sovereign://oauth/done?code=1",
          "sovereign://unknown.example/",
        ]
      ),
      (
        "browser",
        [
          "https://evil.example/",
          "https://my.sovereign.example@evil.example/",
          "https://my.sovereign.example.evil.example/",
          "https://evil.example\\@my.sovereign.example/",
          "https://evil.example/?u=https://my.sovereign.example/",
          "https://my.sovereign.example./",
          "http://my.sovereign.example/",
          "https://my.sovereign.example:8443/",
          "https://www.my.sovereign.example/",
          "https://sovereign.example/",
        ]
      ),
      (
        "blocked",
        [
          "", " ", "my.sovereign.example", "javascript:alert(1)", "java\tscript:alert(1)",
          "file:///etc/passwd", "https://exa mple/", "https://", "data:text/html,x",
          "blob:https://my.sovereign.example/0", "view-source:https://my.sovereign.example/",
          "wss://my.sovereign.example/", "sovereign:my.sovereign.example",
          "sovereign://my.sovereign.example@evil.example/",
        ]
      ),
      ("handler", ["mailto:a@b.example", "tel:+491234", "MAILTO:x"]),
    ]

    static let urls = table.flatMap(\.urls)
    static let destinations = table.flatMap { row in row.urls.map { _ in row.destination } }

    @Test func decidesAsTheContractSays() throws {
      let session = try TestSession()
      #expect(
        try session.call("SetActive", "s", "my.sovereign.example")
          == #"s "https://my.sovereign.example""#)
      for (url, destination) in zip(Self.urls, Self.destinations) {
        #expect(
          try session.call("Decide", "s", url) == "s \"\(destination)\"", "\(url.debugDescription)")
      }
      #expect(try Client(session).decideMany(Self.urls) == Self.destinations)
    }

    @Test func showsExactlyWhatWouldBeHandedOver() throws {
      let (session, _, _) = try TestSession.withApplications()
      let host = "https://" + String(repeating: "a.", count: 2048) + "example"
      let link = "\(host)/?\(String(repeating: "b", count: 4096))"
      let explained = try session.run(["sovereign-navigation", "explain", link + "\u{1B}[2J"])
      let lines = explained.text.split(separator: "\n").map(String.init)
      #expect(lines.first?.hasSuffix("…") == true)
      let (shown, origin) = ("  hands-over: \(link)%1B[2J", "  origin: \(host)")
      for line in [shown, origin] { #expect(lines.contains(line), "\(explained)") }
    }

    @Test func withNothingActiveWebLinksBelongToTheBrowser() throws {
      let session = try TestSession()
      #expect(try session.call("Decide", "s", EndToEnd.instance) == #"s "browser""#)
      #expect(try session.property("ActiveOrigin") == #"s """#)
    }

    @Test func theCommandLineDecidesAlike() throws {
      let session = try TestSession()
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      let answers = Self.destinations.joined(separator: "\0") + "\0"
      let input = Array(Self.urls.joined(separator: "\0").utf8) + [0]
      let online = try session.run(["sovereign-navigation", "decide", "-0"], input: input)
      #expect(online.text == answers, "\(online.errorText)")
      let offline = try session.run(
        ["sovereign-navigation", "decide", "-0", "--offline", "--active", EndToEnd.instance],
        input: input, adding: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"])
      #expect(offline.text == answers, "\(offline.errorText)")
    }

    @Test func answersTenThousandRandomStringsAsTheLibraryDoes() throws {
      let session = try TestSession()
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      var random = SplitMix(state: 0x5EED)
      let urls = (0..<10_000).map { _ in randomURL(using: &random) }
      let library = try session.run(
        ["sovereign-navigation", "decide", "-0", "--offline", "--active", EndToEnd.instance],
        input: Array(urls.joined(separator: "\0").utf8) + [0]
      ).output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      try #require(library.count == urls.count)
      let client = try Client(session)
      for (url, expected) in zip(urls, library) {
        let answer = try client.decide(url)
        if answer != expected {
          Issue.record("\(url.debugDescription): \(answer), the library says \(expected)")
        }
      }
      #expect(Set(library) == ["shell", "browser", "handler", "blocked"])
    }
  }
}

/// Pieces of URLs, hostile characters and noise in a random order.
private func randomURL(using random: inout SplitMix) -> String {
  let pieces = [
    "https:", "http:", "HTTPS:", "sovereign:", "mailto:", "javascript:", "//", "\\\\", "/", "\\",
    "@",
    ":", "my.sovereign.example", "my.sovereign.example", "evil.example", "[::1]", "127.1", "%2e",
    "%", "?", "#", ".", "443", ":8443", " ", "\t", "\n", "\u{1}", "é", "ß", "\u{202E}", "💥", "*",
    "xn--", "\u{1E9E}", "oauth", "-", "a",
  ]
  let start = ["https://my.sovereign.example", "https://", "", "sovereign://"].randomElement(
    using: &random)
  return (0..<Int.random(in: 0..<9, using: &random)).reduce(into: start ?? "") { url, _ in
    url += pieces.randomElement(using: &random) ?? ""
  }
}

struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}

extension EndToEnd.DecisionTests {
  /// ICU takes the square of the length for such hosts: seconds for a call.
  @Test func manyExpensiveURLsKeepNobodyWaiting() throws {
    let session = try TestSession()
    _ = try session.servicePID()
    let label = String(
      String.UnicodeScalarView((0..<990).compactMap { Unicode.Scalar(0x4E00 + $0 * 7919 % 20_000) })
    )
    let url = "https://\(label).example/"
    let slow = try session.start(["/usr/bin/python3", "-c", decideManyScript, url, "400"])
    let client = try Client(session)
    var answers = 0
    while !slow.hasEnded {
      #expect(try client.decide("https://a.example") == "browser")
      answers += 1
    }
    let result = try slow.wait()
    #expect(result.text == "400 ['browser']", "\(result)")
    #expect(answers > 20)
  }
}

private let decideManyScript = """
  import sys
  from gi.repository import Gio, GLib
  bus = Gio.bus_get_sync(Gio.BusType.SESSION)
  reply = bus.call_sync("fs.sovereign.Navigation", "/fs/sovereign/Navigation",
      "fs.sovereign.Navigation", "DecideMany", GLib.Variant("(as)", ([sys.argv[1]] * int(sys.argv[2]),)),
      None, 0, 20000, None).unpack()[0]
  print(len(reply), sorted(set(reply)))
  """
