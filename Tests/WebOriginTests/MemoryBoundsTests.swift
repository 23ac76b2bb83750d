import Glibc
import Testing

@testable import WebOrigin

/// A page between two that cannot be read.
private final class GuardedPage {
  let start: UnsafeMutablePointer<UInt8>
  static let size = 4096

  init?() {
    let length = 3 * Self.size
    guard let area = mmap(nil, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      area != MAP_FAILED,
      mprotect(area + Self.size, Self.size, PROT_READ | PROT_WRITE) == 0
    else { return nil }
    start = (area + Self.size).assumingMemoryBound(to: UInt8.self)
  }

  deinit { munmap(start - Self.size, 3 * Self.size) }
}

private let longURLs = [
  "https://my.sovereign.example:8443/channels/a?b#c and more of it, and more of it",
  "http://a-host-that-is-longer-than-32-bytes.my.sovereign.example:65535/x?y#z",
  "https://user:password@my.sovereign.example:8443/",
  "https://bücher.sovereign.example/ a\tb", "https://b%C3%BCcher.example:443",
  "http://0x7f.1:080/", "wss://[2001:db8::1.2.3.4]:8443/", "blob:https://my.sovereign.example/1",
  "https://[2001:db8::102:304]:8443/channels",
  "\u{1} https:\\\\my.sov\tereign.example\\x ", "sovereign://my.sovereign.example:8443/x",
]

/// Every beginning of every URL, once at the end of what can be read and once at its start: reading
/// past either ends the process.
@Test(arguments: longURLs)
func nothingIsReadOutsideOfTheURL(_ url: String) throws {
  let page = try #require(GuardedPage())
  let origins = PreparedOrigins(
    ["https://my.sovereign.example:8443", "http://a.b", "https://[2001:db8::102:304]:8443"]
      .compactMap(Origin.init(serialization:)))
  let bytes = Array(url.utf8)
  for count in 0...bytes.count {
    for offset in [0, GuardedPage.size - count] {
      let place = UnsafeMutableBufferPointer(start: page.start + offset, count: count)
      _ = place.update(fromContentsOf: bytes.prefix(count))
      let url = UnsafeBufferPointer(place)
      var text: [UInt8] = []
      URLOrigin.appendDescription(of: url, to: &text)
      let full = URLParser.parse(url) { "\($0.origin)" }
      #expect(String(decoding: text, as: UTF8.self) == full)
      _ = origins.slot(of: url)
      _ = origins.slot(ofSerialized: url)
    }
  }
}
