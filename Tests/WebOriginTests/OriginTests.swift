import Testing

@testable import WebOrigin

@Test func originSerializesWithoutDefaultPort() {
  #expect(
    Origin(scheme: "https", host: "my.sovereign.example", port: nil).description
      == "https://my.sovereign.example")
}
