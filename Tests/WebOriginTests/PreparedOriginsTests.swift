import Testing

@testable import WebOrigin

private func firstIndex(of url: String, in origins: PreparedOrigins) -> Int? {
  Array(url.utf8).withUnsafeBufferPointer { bytes in
    guard let plain = PlainURL(bytes) else { return nil }
    return origins.firstIndex(of: plain, in: bytes)
  }
}

/// Every length around the eight bytes that are looked at together, every byte in turn.
@Test(arguments: 1...34)
func everyByteOfAHostCounts(_ length: Int) {
  let host = Array("abcdefghijklmnopqrstuvwxyz-abcdefg".utf8.prefix(length))
  let origins = PreparedOrigins([
    Origin(scheme: "https", host: String(decoding: host, as: UTF8.self), port: nil)
  ])
  for end in ["", "/", "?", "#", "\\", ":", ":443", ":443/", "/a very long path behind it"] {
    let url = "https://" + String(decoding: host, as: UTF8.self) + end
    #expect(firstIndex(of: url, in: origins) == 0)
    #expect(firstIndex(of: url.uppercased(), in: origins) == 0)
    for index in host.indices {
      var other = host
      other[index] = UInt8(ascii: host[index] == UInt8(ascii: "-") ? "_" : "-")
      let url = "https://" + String(decoding: other, as: UTF8.self) + end
      #expect(firstIndex(of: url, in: origins) == nil)
    }
  }
}

@Test func schemePortAndOrderCount() {
  let origins = PreparedOrigins(
    ["https://a.example", "http://a.example", "https://a.example:8443", "https://a.example"]
      .compactMap(Origin.init(serialization:)))
  #expect(firstIndex(of: "https://a.example/", in: origins) == 0)
  #expect(firstIndex(of: "http://a.example:80/", in: origins) == 1)
  #expect(firstIndex(of: "https://a.example:08443/", in: origins) == 2)
  #expect(firstIndex(of: "http://a.example:443/", in: origins) == nil)
  #expect(firstIndex(of: "https://a.example:80/", in: origins) == nil)
  #expect(firstIndex(of: "https://a.example./", in: origins) == nil)
}

@Test func everyASCIIByteInAHostIsReadAsTheFullParserReadsIt() {
  for byte in UInt8.min..<0x80 {
    for host in [
      [byte], [0x61, byte], [byte, 0x61], [0x61, 0x62, 0x63, 0x64, byte, 0x66, 0x67, 0x68],
    ] {
      for end in ["", "/", "?12345678"] {
        let url = Array("http://".utf8) + host + Array(end.utf8)
        url.withUnsafeBufferPointer { bytes in
          guard let plain = PlainURL(bytes) else { return }
          let full = "\(URLParser.parse(bytes) { $0.origin })"
          #expect("\(plain.origin(in: bytes))" == full, "\(url)")
        }
      }
    }
  }
}
