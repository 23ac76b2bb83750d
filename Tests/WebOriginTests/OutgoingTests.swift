import Testing

@testable import WebOrigin

@Test(arguments: [
  ("https://a/%2F%c3%a9&+$'(`{}^|\\~[]#%", "https://a/%2F%c3%a9&+$'(`{}^|\\~[]#%"),
  ("https://a/${HOME}$HOME$$%u%%;!*,", "https://a/${HOME}$HOME$$%u%%;!*,"),
  ("https://a/ \"<>é\u{1}\u{7F}", "https://a/%20%22%3C%3E%C3%A9%01%7F"),
  ("https://a?q=a b#é f", "https://a?q=a%20b#%C3%A9%20f"),
  ("  https://a/x \n", "https://a/x"),
  ("https://a/x\ny\tz", "https://a/xyz"),
  ("https:\\\\a\\p", "https://a/p"),
  ("https://a\\@b\\c", "https://a/@b\\c"),
  ("https:a/p", "https://a/p"),
  ("https:////a/p", "https://a/p"),
  ("HTTPS://A.Example:0443/P", "https://A.Example:0443/P"),
  ("https://a:/p", "https://a/p"),
  ("https://@a/p", "https://a/p"),
  ("https://u:p@a/p", "https://u:p@a/p"),
  ("https://ü @x@a:8443", "https://%C3%BC%20%40x@a:8443"),
  ("https://bücher.example/é", "https://xn--bcher-kva.example/%C3%A9"),
  ("https://%C3%BC:8443/", "https://xn--tda:8443/"),
  ("https://%61/", "https://a/"),
  ("https://0x7f.1/", "https://0x7f.1/"),
  ("https://[::0:1]:8443/", "https://[::0:1]:8443/"),
  ("https://-a/-b?-c#-d", "https://-a/-b?-c#-d"),
  ("mailto:a@b.example?subject=a b\"<é>\u{1}.", "mailto:a@b.example?subject=a b\"<%C3%A9>%01."),
  ("MAILTO: A@b", "mailto: A@b"),
  ("irc://é:7000/#x", "irc://%C3%A9:7000/#x"),
])
func handedOver(_ url: String, _ expected: String) {
  #expect(outgoing(url) == expected)
  expectSameAfterHandingOver(url)
}

@Test func longURLIsHandedOverWhole() {
  let url = "https://a/" + String(repeating: "x", count: 100 << 10)
  #expect(outgoing(url) == url)
}
