import Testing

@testable import WebOrigin

struct OriginCase: CustomTestStringConvertible {
  let url: String
  let origin: String

  init(_ url: String, _ origin: String) {
    self.url = url
    self.origin = origin
  }

  var testDescription: String { url.utf8.count < 100 ? url.debugDescription : "\(url.prefix(20))…" }
}

@Test(arguments: [
  OriginCase("https://my.sovereign.example", "https://my.sovereign.example"),
  OriginCase("HTTPS://MY.sovereign.EXAMPLE:443", "https://my.sovereign.example"),
  OriginCase("  https:\\\\my.sovereign.example\\x", "https://my.sovereign.example"),
  OriginCase("ht\ntps:/\t/my.sovereign.example", "https://my.sovereign.example"),
  OriginCase("https://my.sover\reign.example", "https://my.sovereign.example"),
  OriginCase("https:my.sovereign.example", "https://my.sovereign.example"),
  OriginCase("https://evil.example\\@my.sovereign.example", "https://evil.example"),
  OriginCase("https://my.sovereign.example@evil.example", "https://evil.example"),
  OriginCase("https://a@b@c", "https://c"),
  OriginCase("https://[::1]@a", "https://a"),
  OriginCase("https://[@a:81", "https://a:81"),
  OriginCase("https://a.", "https://a."),
  OriginCase("https://a:", "https://a"),
  OriginCase("https://a:0", "https://a:0"),
  OriginCase("https://a:00080", "https://a:80"),
  OriginCase("https://a:0000000000000000443", "https://a"),
  OriginCase("https://a:65535", "https://a:65535"),
  OriginCase("http://a:80", "http://a"),
  OriginCase("ws://a:80", "ws://a"),
  OriginCase("wss://a:443", "wss://a"),
  OriginCase("ftp://a:21", "ftp://a"),
  OriginCase("https://0", "https://0.0.0.0"),
  OriginCase("https://0x7F.1", "https://127.0.0.1"),
  OriginCase("https://0x", "https://0.0.0.0"),
  OriginCase("https://4294967295", "https://255.255.255.255"),
  OriginCase("https://1.2.3.4.", "https://1.2.3.4"),
  OriginCase("https://²", "https://0.0.0.2"),
  OriginCase("https://1.2.3.04x", "https://1.2.3.04x"),
  OriginCase("https://a.0xg", "https://a.0xg"),
  OriginCase("https://1..", "https://1.."),
  OriginCase("https://[1:0:0:2:0:0:0:3]", "https://[1:0:0:2::3]"),
  OriginCase("https://[1:0:0:2:0:0:3:4]", "https://[1::2:0:0:3:4]"),
  OriginCase("https://[0:0:1::1.2.3.4]", "https://[0:0:1::102:304]"),
  OriginCase("https://[1:2:3:4:5:6:7::]", "https://[1:2:3:4:5:6:7:0]"),
  OriginCase("https://bücher.example", "https://xn--bcher-kva.example"),
  OriginCase("https://b%C3%BCcher.example", "https://xn--bcher-kva.example"),
  OriginCase("https://faß.example", "https://xn--fa-hia.example"),
  // Bidi and joiners are checked, hyphens and lengths are not.
  OriginCase("https://a\u{5D0}", "failure"),
  OriginCase("https://a\u{200D}b", "failure"),
  OriginCase("https://-é", "https://xn----bga"),
  OriginCase("https://é-", "https://xn----9fa"),
  OriginCase("https://aé--b", "https://xn--a--b-bpa"),
  OriginCase("https://aa--é", "https://xn--aa---epa"),
  OriginCase("https://a..é", "https://a..xn--9ca"),
  OriginCase(
    "https://" + String(repeating: "é", count: 63),
    "https://xn--9ca" + String(repeating: "a", count: 62)),
  OriginCase("https://[1:2:3:4:5:6:1.2.3.4]", "https://[1:2:3:4:5:6:102:304]"),
  // Labels that begin with xn-- in an ASCII host are not validated, in others they are.
  OriginCase("https://xn--.example", "https://xn--.example"),
  OriginCase("https://xn--.é", "failure"),
  // The host limit of DNS is none of the standard's, ours counts for ICU only.
  OriginCase(
    "https://" + String(repeating: "a", count: 5000),
    "https://" + String(repeating: "a", count: 5000)),
  OriginCase(
    "https://" + String(repeating: "é.", count: 1365),
    "https://" + String(repeating: "xn--9ca.", count: 1365)),
  OriginCase(
    "https://" + String(repeating: "é.", count: 1365) + "a",
    "https://" + String(repeating: "xn--9ca.", count: 1365) + "a"),
  OriginCase("https://" + String(repeating: "é.", count: 1365) + "aa", "failure"),
  OriginCase("blob:https://a/x", "https://a"),
  OriginCase("blob:  http://a:80", "http://a"),
  OriginCase("blob:ftp://a", "null"),
  OriginCase("blob:blob:https://a", "null"),
  OriginCase("blob:https://a #", "null"),
  OriginCase("blob:\u{1}https://a", "null"),
  OriginCase("blob://https://a", "null"),
  OriginCase("file:///etc/passwd", "null"),
  OriginCase("file://c:/x", "null"),
  OriginCase("file://c|/x", "null"),
  OriginCase("file://a:80/x", "failure"),
  OriginCase("mailto:a@b.example", "null"),
  OriginCase("foo:", "null"),
  OriginCase("foo://", "null"),
  OriginCase("foo://:80", "failure"),
  OriginCase("foo://a@", "failure"),
  OriginCase("foo://a%b", "null"),
  OriginCase("foo://a b", "failure"),
  OriginCase("foo://[::1", "failure"),
  OriginCase("", "failure"),
  OriginCase(" \t\u{0}", "failure"),
  OriginCase("a", "failure"),
  OriginCase(":", "failure"),
  OriginCase("1a:", "failure"),
  OriginCase("//a", "failure"),
  // A colon but for one bit.
  OriginCase("https\u{1A}//a.example", "failure"),
  OriginCase("http\u{1A}//a.example", "failure"),
  OriginCase("\u{FEFF}https://a", "failure"),
  OriginCase("https://", "failure"),
  OriginCase("https:///", "failure"),
  OriginCase("https://@", "failure"),
  OriginCase("https://:80", "failure"),
  OriginCase("https://a:65536", "failure"),
  OriginCase("https://a:99999999999999999999999999", "failure"),
  OriginCase("https://a:-1", "failure"),
  OriginCase("https://a:8 0", "failure"),
  OriginCase("https://a:80:80", "failure"),
  OriginCase("https://exa mple/", "failure"),
  OriginCase("https://a%", "failure"),
  OriginCase("https://a%00b", "failure"),
  OriginCase("https://a%2Fb", "failure"),
  OriginCase("https://a%ff", "failure"),
  OriginCase("https://a\u{FFFD}", "failure"),
  OriginCase("https://\u{AD}", "failure"),
  OriginCase("https://％41", "failure"),
  OriginCase("https://256.1.1.1", "failure"),
  OriginCase("https://1.2.3.4.5", "failure"),
  OriginCase("https://1.2.3.4.0", "failure"),
  OriginCase("https://a.09", "failure"),
  OriginCase("https://1..2", "failure"),
  OriginCase("https://4294967296", "failure"),
  OriginCase("https://[]", "failure"),
  OriginCase("https://[::1", "failure"),
  OriginCase("https://[::1]a", "failure"),
  OriginCase("https://[1::2::3]", "failure"),
  OriginCase("https://[1:2:3:4:5:6:7:8:9]", "failure"),
  OriginCase("https://[::1.2.3.04]", "failure"),
  OriginCase("https://[::é]", "failure"),
  OriginCase("https://::1", "failure"),
])
func originOfURL(_ test: OriginCase) {
  #expect("\(URLOrigin(of: test.url))" == test.origin)
}

@Test func lengthLimit() {
  let url = "https://a/"
  let longest = url + String(repeating: "x", count: URLOrigin.maximumLength - url.utf8.count)
  #expect("\(URLOrigin(of: longest))" == "https://a")
  #expect("\(URLOrigin(of: longest + "x"))" == "failure")
  var text: [UInt8] = []
  let plain = Array((longest + "x").utf8)
  plain.withUnsafeBufferPointer { URLOrigin.appendDescription(of: $0, to: &text) }
  #expect(String(decoding: text, as: UTF8.self) == "failure")
  let host = "https://" + String(repeating: "%61", count: (URLOrigin.maximumLength - 8) / 3)
  #expect("\(URLOrigin(of: host))".utf8.count == 8 + (URLOrigin.maximumLength - 8) / 3)
}

@Test(arguments: [
  ([0x68, 0x74, 0x74, 0x70, 0x3A, 0x2F, 0x2F, 0x61, 0xFF] as [UInt8], "failure"),
  ([0x68, 0x74, 0x74, 0x70, 0x3A, 0x2F, 0x2F, 0x61, 0x2F, 0xFF], "http://a"),
  ([0x66, 0x6F, 0x6F, 0x3A, 0x2F, 0x2F, 0xC0, 0xAF], "null"),
  ([0xFF, 0xFE], "failure"),
  (Array("http://aaaaaaaaaaaaaaa".utf8) + [0x80], "failure"),
  // The two halves of U+00E9, apart.
  ([0x68, 0x74, 0x74, 0x70, 0x3A, 0x2F, 0x2F, 0xC3, 0x0A, 0xA9], "failure"),
  ([0x68, 0x74, 0x74, 0x70, 0x3A, 0x2F, 0x2F, 0xC3, 0x25, 0x41, 0x39], "failure"),
  ([0x68, 0x74, 0x74, 0x70, 0x3A, 0x2F, 0x2F, 0x25, 0x43, 0x33, 0xA9], "failure"),
])
func bytesThatAreNoText(_ bytes: [UInt8], _ origin: String) {
  #expect("\(bytes.withUnsafeBufferPointer(URLOrigin.init(of:)))" == origin)
}

@Test(arguments: [
  "https://my.sovereign.example", "http://a:8443", "https://[::1]:8443", "https://127.0.0.1",
  "ftp://a",
])
func serializationIsRead(_ text: String) {
  #expect(Origin(serialization: text)?.description == text)
}

@Test(arguments: [
  "", "null", "https://a/", "HTTPS://a", "https://A", "https://a:443", "https://é", "https://u@a",
  "blob:https://a",
  " https://a", "https://0x1",
])
func otherSpellingsAreNoSerialization(_ text: String) {
  #expect(Origin(serialization: text) == nil)
}

/// Source: <https://url.spec.whatwg.org/#forbidden-domain-code-point>.
@Test func codePointsInAHost() {
  let forbidden = Set("#%/:<>?@[\\]^|".utf8).union(0x00...0x20).union([0x7F])
  for byte in UInt8(0)...0x7F where !(0x41...0x5A).contains(byte) {
    let host = "a\(Unicode.Scalar(byte))b.example"
    // Escaped, for some of them separate or are dropped.
    let escaped = "https://a%" + (byte < 16 ? "0" : "") + String(byte, radix: 16) + "b.example"
    let expected = forbidden.contains(byte) ? "failure" : "https://\(host)"
    #expect("\(URLOrigin(of: escaped))" == expected)
    if !"\t\n\r#/:?@\\".utf8.contains(byte) {
      #expect("\(URLOrigin(of: "https://\(host)"))" == expected, "\(host)")
    }
  }
}

@Test func hostsThatEnginesReadDifferently() {
  for (host, isAmbiguous) in [
    ("a*b", true), ("a%2Ab", true), ("a＊b", true), ("stra\u{1E9E}e", true),
    ("stra%E1%BA%9Ee", true),
    ("straße", false), ("a", false), ("127.1", false), ("[::1]", false),
  ] {
    var host = host
    let result = host.withUTF8 { Host.parse($0) { $0?.isAmbiguous } }
    #expect(result == isAmbiguous, "\(host)")
  }
}

/// What the command line writes for millions of URLs is what the description says.
@Test(arguments: [
  "https://a.example", "HTTPS://A.Example:443/x", "http://a.example:443", "http://a.example:080/",
  "https://a.example:", "https://u@a.example", "https://é", "https://0x7f.1", "blob:https://a/1",
  "data:,", "a", "",
]) func appendsWhatItDescribes(_ url: String) {
  var text = Array("before".utf8)
  Array(url.utf8).withUnsafeBufferPointer { URLOrigin.appendDescription(of: $0, to: &text) }
  #expect(text == Array("before\(URLOrigin(of: url))".utf8))
}
