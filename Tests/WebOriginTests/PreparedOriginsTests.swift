import Testing

@testable import WebOrigin

private func slot(of url: String, in origins: PreparedOrigins) -> Int? {
  // No byte stands behind the end, so that a sanitizer sees one that is read there.
  Array(url.utf8).withUnsafeBufferPointer { origins.slot(of: $0) ?? origins.slot(ofSerialized: $0) }
}

private func firstIndex(of url: String, in origins: PreparedOrigins) -> Int? {
  Array(url.utf8).withUnsafeBufferPointer { bytes in
    URLParser.parse(bytes) { parsed in
      guard case .tuple(let url) = parsed else { return nil }
      return origins.firstIndex(of: url)
    }
  }
}

private let hosts = [
  "abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvw", "a.bc.d-.e.fgh.ijklmnop.qrstuvwxyzabcdefg",
]

/// Every length around the bytes that are looked at together, every byte in turn.
@Test(arguments: ["https", "http"], hosts)
func everyByteOfAHostCounts(_ scheme: String, _ text: String) {
  for length in 1...text.utf8.count {
    let host = Array(text.utf8.prefix(length))
    let origins = PreparedOrigins([
      Origin(scheme: scheme, host: String(decoding: host, as: UTF8.self), port: nil)
    ])
    for end in ["", "/", "?", "#", "\\", ":", ":443", ":80/", "/a very long path behind it"] {
      for index in [nil] + host.indices.map(Optional.some) {
        var other = host
        if let index { other[index] = UInt8(ascii: "z") == host[index] ? 0x79 : 0x7A }
        let url = "\(scheme)://" + String(decoding: other, as: UTF8.self) + end
        for url in [url, url.uppercased()] {
          let full = firstIndex(of: url, in: origins)
          let slot = slot(of: url, in: origins)
          #expect(slot == nil || slot == (full ?? -1) + 1, "\(url)")
          let isDefault = end != (scheme == "http" ? ":443" : ":80/")
          #expect((full == 0) == (index == nil && isDefault), "\(url)")
        }
      }
    }
  }
}

/// Hosts of one letter only: all that is looked at together is equal but for the length.
@Test(arguments: ["https", "http"])
func lengthOfAHostCounts(_ scheme: String) {
  for length in 1...40 {
    let host = String(repeating: "a", count: length)
    let origins = PreparedOrigins([Origin(scheme: scheme, host: host, port: nil)])
    for other in 1...40 {
      let url = "\(scheme)://" + String(repeating: "a", count: other) + "/a-path-behind-it"
      let expected = other == length ? 1 : 0
      #expect((firstIndex(of: url, in: origins) ?? -1) + 1 == expected, "\(url)")
      let slot = slot(of: url, in: origins)
      #expect(slot == nil || slot == expected, "\(url)")
    }
  }
}

@Test func linksOfOrdinaryLengthArePlain() {
  let origins = PreparedOrigins([Origin(scheme: "https", host: "a.example", port: 8443)])
  #expect(slot(of: "https://a.example:8443", in: origins) == 1)
  #expect(slot(of: "HTTPS://A.Example:08443/x", in: origins) == 1)
  for port in [0, 9, 8444, 10_293, 65_535] {
    #expect(slot(of: "https://a.example:\(port)", in: origins) == 0, "\(port)")
  }
  #expect(slot(of: "http://www.a-b.example?x", in: origins) == 0)
  for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
    #expect(slot(of: "https://\(letter)-0123456789.\(letter)/", in: origins) == 0, "\(letter)")
  }
  #expect(slot(of: "https://192.168.1.2/path", in: origins) == nil)
  #expect(slot(of: "https://user@a.example:8443", in: origins) == nil)
}

/// Scheme and host may have 32 bytes; a longer match is found only as the origin is serialized.
@Test func linksOfTheLongestLengthArePlain() {
  let longest = "https://abcdefghijklmnop.example"
  let origins = PreparedOrigins([longest, longest + "s"].compactMap(Origin.init(serialization:)))
  #expect(slot(of: longest, in: origins) == 1)
  #expect(slot(of: longest.uppercased() + ":443/x", in: origins) == 1)
  #expect(slot(of: longest + "s/x", in: origins) == 2)
  #expect(slot(of: longest.uppercased() + "s/x", in: origins) == nil)
  #expect(slot(of: longest + "t/x", in: origins) == 0)
}

@Test(arguments: [
  "https://192.168.178.20:8443", "https://[fd00::1]", "http://[::1]:3000", "https://a_b.example",
  "https://workspace.department.company.example:8443",
])
func serializedOriginIsFound(_ origin: String) throws {
  let other = Origin(scheme: "https", host: "a.example", port: nil)
  let origins = PreparedOrigins([other, try #require(Origin(serialization: origin))])
  for end in ["", "/", "/a?b", "?", "#x", "\\@evil.example"] {
    #expect(slot(of: origin + end, in: origins) == 2, "\(end)")
  }
  for end in ["0", ":", ":443", ":1", ".", ".a.example", "@a.example", "\t", " ", "%2F", "a", "é"] {
    let url = origin + end
    let slot = slot(of: url, in: origins)
    #expect(slot == nil || slot == (firstIndex(of: url, in: origins) ?? -1) + 1, "\(url)")
  }
  for index in origin.utf8.indices.dropFirst(8) {
    var bytes = Array(origin.utf8)
    bytes[origin.utf8.distance(from: origin.utf8.startIndex, to: index)] ^= 1
    let slot = slot(of: String(decoding: bytes, as: UTF8.self), in: origins)
    #expect(slot ?? 0 == 0, "\(String(decoding: bytes, as: UTF8.self))")
  }
}

@Test func whatGoesToNoShellIsNotFound() {
  let origins = PreparedOrigins([
    Origin(scheme: "https", host: "a*b.sovereign.example", port: nil),
    Origin(scheme: "wss", host: "my.sovereign.example", port: nil),
  ])
  #expect(slot(of: "https://a*b.sovereign.example/", in: origins) == nil)
  #expect(slot(of: "wss://my.sovereign.example/", in: origins) == nil)
}

@Test func schemePortAndOrderCount() {
  let origins = PreparedOrigins(
    ["https://a.example", "http://a.example", "https://a.example:8443", "https://a.example"]
      .compactMap(Origin.init(serialization:)))
  #expect(slot(of: "https://a.example/", in: origins) == 1)
  #expect(slot(of: "http://a.example:80/", in: origins) == 2)
  #expect(slot(of: "https://a.example:08443/", in: origins) == 3)
  #expect(slot(of: "http://a.example:443/", in: origins) == 0)
  #expect(slot(of: "https://a.example:80/", in: origins) == 0)
  #expect(slot(of: "https://a.example:0/", in: origins) == 0)
  #expect(slot(of: "https://a.example./", in: origins) == nil)
}

@Test func everyPortIsReadAsTheFullParserReadsIt() {
  for port in stride(from: 0, to: 70_000, by: 7).map(String.init)
    + ["", "00", "000080", "00443", "099999", "8o80", "80 ", "+80", "80:", "80@", "4:3"]
    + ["80", "443", "65535", "65536"]
  {
    for end in port.utf8.count == 5 ? ["/"] : ["", "/", "?", "#", "\\", "/12345678"] {
      for url in ["http://www.a.example:\(port)\(end)", "https://www.example:\(port)\(end)"] {
        Array(url.utf8).withUnsafeBufferPointer { bytes in
          guard let plain = PlainURL(bytes) else { return }
          let full = "\(URLParser.parse(bytes) { $0.origin })"
          #expect("\(plain.origin(in: bytes))" == full, "\(url)")
          var text: [UInt8] = []
          plain.appendOrigin(in: bytes, to: &text)
          #expect(String(decoding: text, as: UTF8.self) == full, "\(url)")
        }
      }
    }
  }
}

@Test func everyByteInAnAuthorityIsReadAsTheFullParserReadsIt() {
  for byte in UInt8.min...UInt8.max {
    for before in 0...34 {
      for end in ["", "/", ".", ".a", "?12345678901234567890123456789012345"] {
        for scheme in ["http://", "https://"] {
          let host = Array("abcdefgh.jklmnopqrstuvwxyzabcdefgh".utf8.prefix(before))
          let url = Array(scheme.utf8) + host + [byte] + Array(end.utf8)
          url.withUnsafeBufferPointer { bytes in
            guard let plain = PlainURL(bytes) else { return }
            let full = "\(URLParser.parse(bytes) { $0.origin })"
            #expect("\(plain.origin(in: bytes))" == full, "\(url)")
          }
        }
      }
    }
  }
}

@Test(arguments: ["https://www.example.org/a", "HTTP://WWW.EXAMPLE.ORG/A"])
func everyByteInASchemeIsReadAsTheFullParserReadsIt(_ text: String) {
  for index in 0..<8 {
    for byte in UInt8.min...UInt8.max {
      var url = Array(text.utf8)
      url[index] = byte
      url.withUnsafeBufferPointer { bytes in
        guard let plain = PlainURL(bytes) else { return }
        let full = "\(URLParser.parse(bytes) { $0.origin })"
        #expect("\(plain.origin(in: bytes))" == full, "\(url)")
      }
    }
  }
}
