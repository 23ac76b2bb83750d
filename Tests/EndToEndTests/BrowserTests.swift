import Glibc
import TestSupport
import Testing

extension EndToEnd {
  @Suite struct BrowserTests {
    @Test(arguments: [["xdg-open"], ["gio", "open"]])
    func realChromiumFetchesExactlyTheClickedLink(_ opener: [String]) throws {
      let (session, _, _) = try TestSession.withApplications()
      // Chromium has no sandbox as root, nor where user namespaces are refused, as in a chroot.
      let flags = "--no-sandbox --disable-dev-shm-usage"
      try writeFile(
        session.home + "/.local/share/applications/real-chromium.desktop",
        """
        [Desktop Entry]
        Type=Application
        Name=Chromium
        Exec=/usr/bin/chromium \(flags) --no-first-run --password-store=basic %U
        MimeType=x-scheme-handler/http;x-scheme-handler/https;

        """)
      _ = try session.call("SetOption", "ss", "Browser", "real-chromium.desktop")
      let server = try PageServer()
      defer { server.stop() }
      let display = try VirtualDisplay(session)
      // As a desktop does once its display is there; `gio open` does not tell where it was clicked.
      _ = try session.run(
        ["dbus-update-activation-environment"]
          + (TestSession.hasSystemd ? ["--systemd"] : []) + ["DISPLAY"],
        adding: ["DISPLAY": display.name])
      try session.endService(SIGTERM)

      let rest = "/a%2Fb/caf%c3%a9'?x=1&y=+`{z}|&u=${HOME}%25$$#frag/ment?&'"
      let clicked = "http://127.0.0.1:\(server.port)\(rest)"
      let result = try session.run(opener + [clicked], adding: ["DISPLAY": display.name])
      #expect(result.status == 0, "\(result)")

      let fetched = rest.prefix { $0 != "#" }
      let report = poll(limit: .seconds(60)) { server.targets.first { $0.hasPrefix("/seen?") } }
      let address = try #require(report, "Chromium fetched \(server.targets)")
      #expect(percentDecoded(address.dropFirst("/seen?".count)) == clicked)
      #expect(server.targets.filter { $0.hasPrefix("/a") } == [String(fetched)])
    }
  }
}

/// An X server without a screen.
private final class VirtualDisplay {
  let name: String
  private let server: Child

  init(_ session: TestSession) throws {
    server = try session.start([
      "Xvfb", "-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp",
    ])
    let server = server
    guard
      let number = poll(
        limit: .seconds(20),
        {
          server.output.last == UInt8(ascii: "\n")
            ? String(decoding: server.output.dropLast(), as: UTF8.self) : nil
        })
    else { throw SessionError("Xvfb did not start") }
    name = ":" + number
  }
}

private func percentDecoded(_ text: Substring) -> String {
  var bytes: [UInt8] = []
  var rest = text.utf8[...]
  while let byte = rest.popFirst() {
    if byte == UInt8(ascii: "%"), let code = UInt8(String(rest.prefix(2)) ?? "", radix: 16) {
      bytes.append(code)
      rest = rest.dropFirst(2)
    } else {
      bytes.append(byte)
    }
  }
  return String(decoding: bytes, as: UTF8.self)
}
