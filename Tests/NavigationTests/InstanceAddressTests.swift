import Testing
import WebOrigin

@testable import Navigation

@Test(arguments: [
  ("my.sovereign.example", "https://my.sovereign.example"),
  ("my.sovereign.example:8443", "https://my.sovereign.example:8443"),
  ("localhost:3000", "https://localhost:3000"),
  ("localhost:3000\\x", "https://localhost:3000"),
  ("  https://My.Sovereign.Example:443/a?b#c \n", "https://my.sovereign.example"),
  ("http://my.sovereign.example", "http://my.sovereign.example"),
  ("HTTPS:my.sovereign.example", "https://my.sovereign.example"),
  ("//my.sovereign.example", "https://my.sovereign.example"),
  ("[::1]:8443", "https://[::1]:8443"),
  ("127.1", "https://127.0.0.1"),
  ("bücher.example", "https://xn--bcher-kva.example"),
  ("https://@my.sovereign.example", "https://my.sovereign.example"),
])
func addressIsRead(_ text: String, _ origin: String) throws {
  #expect(try InstanceAddress(text).origin.description == origin)
}

@Test(arguments: [
  ("", InstanceAddressError.malformed("")),
  ("  ", .malformed("  ")),
  ("https://", .malformed("https://")),
  ("exa mple", .malformed("exa mple")),
  ("localhost:99999", .malformed("localhost:99999")),
  ("javascript:alert(1)", .unsupportedScheme("javascript")),
  ("java\tscript:alert(1)", .unsupportedScheme("javascript")),
  ("FTP://my.sovereign.example", .unsupportedScheme("ftp")),
  ("mailto:me@my.sovereign.example", .schemeOrUser("mailto")),
  ("user:pw@my.sovereign.example", .schemeOrUser("user")),
  ("ftp://user@my.sovereign.example", .unsupportedScheme("ftp")),
  ("localhost:300000", .unsupportedScheme("localhost")),
  ("localhost:3000x", .unsupportedScheme("localhost")),
  ("my.sovereign.example:", .unsupportedScheme("my.sovereign.example")),
  ("user@my.sovereign.example", .credentials),
  ("https://user:pw@my.sovereign.example", .credentials),
  ("*.example", .ambiguousHost("*.example")),
  ("https://stra\u{1E9E}e.example", .ambiguousHost("https://stra\u{1E9E}e.example")),
  (String(repeating: "a", count: 255), .tooLong),
])
func addressIsRefused(_ text: String, _ error: InstanceAddressError) {
  #expect(throws: error) { try InstanceAddress(text) }
}

@Test func addressLongerThanAURLIsRefused() {
  let text = String(repeating: " ", count: (2 << 20) + 1)
  #expect(throws: InstanceAddressError.tooLong) { try InstanceAddress(text) }
}

@Test func longestHostIsTaken() throws {
  let host = String(repeating: "a", count: 254)
  #expect(try InstanceAddress(host).origin.host == host)
}

@Test func messageShowsNoControlCharactersAndNoMoreThanALine() {
  let message = InstanceAddressError.malformed("\u{1B}[31m\n" + String(repeating: "x", count: 500))
  #expect(message.description.count < 200)
  #expect(
    message.description.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
}
