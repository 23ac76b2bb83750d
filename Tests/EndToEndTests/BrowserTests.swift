import Glibc
import TestSupport
import Testing

extension EndToEnd {
  @Suite struct BrowserTests {
    @Test(arguments: [["xdg-open"], ["gio", "open"]])
    func realChromiumFetchesExactlyTheClickedLink(_ opener: [String]) throws {
      let (session, _, _) = try TestSession.withApplications()
      try session.installChromium()
      _ = try session.call("SetOption", "ss", "Browser", "real-chromium.desktop")
      let server = try PageServer()
      defer { server.stop() }
      let display = try session.showDisplay()
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

    /// From the default before, through twenty clicks, back to the default before.
    @Test func chromiumKeepsTheLinksWhileWeAreRegisteredAndIsTheDefaultAgainAfterwards() throws {
      let session = try TestSession()
      try session.installChromium()
      let list = session.home + "/.config/mimeapps.list"
      let before = """
        # Mine.
        [Default Applications]
        x-scheme-handler/http=real-chromium.desktop
        text/html=real-chromium.desktop;
        x-scheme-handler/https=real-chromium.desktop
        """
      try writeFile(list, before)
      let server = try PageServer()
      defer { server.stop() }
      let display = try session.showDisplay()
      func run(_ command: [String]) throws -> CommandResult {
        try session.run(command, adding: ["DISPLAY": display.name])
      }
      #expect(try run(["sovereign-navigation", "register"]).status == 0)
      #expect(
        try run(["xdg-mime", "query", "default", "x-scheme-handler/https"]).text
          == "fs.sovereign.Navigation.desktop")

      let openers = [["xdg-open"], ["gio", "open"], ["/usr/bin/python3", "-c", gtkApplication]]
      for number in 0..<20 {
        let clicked = "http://127.0.0.1:\(server.port)/link-\(number)"
        let result = try run(openers[number % openers.count] + [clicked])
        #expect(result.status == 0, "\(result)")
      }
      let links = (0..<20).map { "/link-\($0)" }
      let all = poll(limit: .seconds(60)) { Set(links).isSubset(of: server.targets) ? true : nil }
      #expect(all != nil, "Chromium fetched \(server.targets)")
      #expect(server.targets.filter { $0.hasPrefix("/link-") }.sorted() == links.sorted())

      #expect(try run(["sovereign-navigation", "unregister"]).status == 0)
      #expect(String(decoding: try readFile(list), as: UTF8.self) == before)
      for scheme in ["http", "https"] {
        let type = "x-scheme-handler/" + scheme
        #expect(try run(["xdg-mime", "query", "default", type]).text == "real-chromium.desktop")
        #expect(
          try run(["gio", "mime", type]).text.split(separator: "\n").first?
            .hasSuffix("real-chromium.desktop") == true)
      }
    }
  }
}

extension EndToEnd.WithSystemd {
  /// As of a terminal that came by `ssh -X`, or in a nested X server.
  @Suite struct OtherDisplayTests {
    @Test(arguments: [["xdg-open"], ["sovereign-navigation", "open"]])
    func realChromiumShowsTheLinkOnTheDisplayItWasClickedOn(_ opener: [String]) throws {
      let (session, _, _) = try TestSession.withApplications()
      try session.installChromium()
      _ = try session.call("SetOption", "ss", "Browser", "real-chromium.desktop")
      let server = try PageServer()
      defer { server.stop() }
      // It lets in who has the cookie, which is where it is looked for by default.
      let cookie = String(repeating: "5a", count: 16)
      let admitted = session.home + "/.local/share/test/admitted"
      let cookies = session.home + "/.Xauthority"
      defer { unlink(cookies) }
      _ = try session.run(["xauth", "-f", admitted, "add", ":0", ".", cookie])
      let display = try VirtualDisplay(session, arguments: ["-auth", admitted])
      _ = try session.run(["xauth", "-f", cookies, "add", display.name, ".", cookie])

      let others = session.home + "/.local/share/test/xauthority"
      try writeFile(others, "")
      _ = try session.run([
        "systemctl", "--user", "set-environment", "DISPLAY=:0", "WAYLAND_DISPLAY=wayland-0",
        "XAUTHORITY=\(others)",
      ])
      let clicked = "http://127.0.0.1:\(server.port)/clicked"
      let result = try session.run(
        ["env", "-u", "WAYLAND_DISPLAY", "-u", "XAUTHORITY"] + opener + [clicked],
        adding: ["DISPLAY": display.name])
      #expect(result.status == 0, "\(result)")
      let fetched = poll(limit: .seconds(60)) {
        server.targets.contains("/clicked") ? true : nil
      }
      #expect(fetched != nil, "Chromium fetched \(server.targets)")
    }
  }
}

/// Opens its argument as a GTK application does, and ends when that is done.
private let gtkApplication = """
  import sys
  import gi
  gi.require_version('Gtk', '4.0')
  from gi.repository import Gtk
  application = Gtk.Application(application_id='org.example.Clicker%d' % __import__('os').getpid())
  def activate(_):
      window = Gtk.ApplicationWindow(application=application)
      window.present()
      def opened(launcher, result):
          launcher.launch_finish(result)
          application.quit()
      Gtk.UriLauncher.new(sys.argv[1]).launch(window, None, opened)
  def old(_):
      window = Gtk.ApplicationWindow(application=application)
      window.present()
      def opened(window, result):
          Gtk.show_uri_full_finish(window, result)
          application.quit()
      Gtk.show_uri_full(window, sys.argv[1], 0, None, opened)
  application.connect('activate', activate if hasattr(Gtk, 'UriLauncher') else old)
  application.run(None)
  """

extension TestSession {
  fileprivate func installChromium() throws {
    // Chromium has no sandbox as root, nor where user namespaces are refused, as in a chroot.
    let flags = "--no-sandbox --disable-dev-shm-usage --user-data-dir=\(home)/chromium"
    try writeFile(
      home + "/.local/share/applications/real-chromium.desktop",
      """
      [Desktop Entry]
      Type=Application
      Name=Chromium
      Exec=/usr/bin/chromium \(flags) --no-first-run --password-store=basic %U
      MimeType=x-scheme-handler/http;x-scheme-handler/https;

      """)
  }

  /// Starts a display and tells the bus of it.
  fileprivate func showDisplay() throws -> VirtualDisplay {
    let display = try VirtualDisplay(self)
    // As a desktop does once its display is there; `gio open` does not tell where it was clicked.
    _ = try run(
      ["dbus-update-activation-environment"] + (Self.hasSystemd ? ["--systemd"] : []) + ["DISPLAY"],
      adding: ["DISPLAY": display.name])
    try endService(SIGTERM)
    return display
  }
}

/// An X server without a screen.
private final class VirtualDisplay {
  let name: String
  private let server: Child

  init(_ session: TestSession, arguments: [String] = []) throws {
    server = try session.start(
      ["Xvfb", "-displayfd", "1", "-screen", "0", "1024x768x24", "-nolisten", "tcp"] + arguments)
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
