import Glibc
import TestSupport
import Testing

extension EndToEnd.WithSystemd {
  @Suite(.enabled(if: Compositor.isInstalled, "sway and wtype are not installed"))
  struct FocusTests {
    /// A window with a button that opens a link, another one each time, as a chat would.
    private static let clicker = """
      import itertools
      import gi
      gi.require_version('Gtk', '4.0')
      from gi.repository import Gdk, Gtk

      numbers = itertools.count(1)

      def activate(application):
          window = Gtk.ApplicationWindow(application=application)
          button = Gtk.Button(label='link')
          link = lambda _: Gtk.show_uri(
              window, f'https://other.example/clicked/{next(numbers)}', Gdk.CURRENT_TIME)
          button.connect('clicked', link)
          window.set_child(button)
          button.grab_focus()
          window.present()

      application = Gtk.Application(application_id='org.example.Clicker')
      application.connect('activate', activate)
      application.run(None)

      """

    /// A browser with one window. It notes a link when the compositor has heard that it shows it.
    private static func browser(_ record: String) -> String {
      """
      #!/usr/bin/python3
      import sys
      import gi
      gi.require_version('Gtk', '4.0')
      from gi.repository import Gdk, Gio, Gtk

      def present(application, links):
          window = application.get_active_window() or Gtk.ApplicationWindow(application=application)
          window.present()
          Gdk.Display.get_default().sync()
          with open('\(record)', 'a') as record:
              for link in links:
                  print(link, file=record)

      application = Gtk.Application(
          application_id='org.example.Browser', flags=Gio.ApplicationFlags.HANDLES_OPEN)
      application.connect('activate', lambda application: present(application, []))
      application.connect(
          'open', lambda application, files, count, hint: present(
              application, [file.get_uri() for file in files]))
      application.run(sys.argv)

      """
    }

    /// A click that brings its token takes the focus to the browser; a link without one does not.
    @Test(arguments: [true, false])
    func theClickedLinksWindowGetsTheFocus(_ isOnBus: Bool) throws {
      let session = try TestSession()
      let compositor = try Compositor(session)
      // As a desktop does once it is there.
      let display = "WAYLAND_DISPLAY"
      _ = try session.run(
        ["systemctl", "--user", "import-environment", display], adding: compositor.environment)
      defer { _ = try? session.run(["systemctl", "--user", "unset-environment", display]) }
      let directory = session.home + "/.local/share/test/focus"
      try makeDirectories(directory)
      let record = directory + "/links"
      try writeFile(record, "")
      try writeFile(directory + "/browser", Self.browser(record), mode: 0o755)
      try writeFile(
        session.home + "/.local/share/applications/org.example.Browser.desktop",
        """
        [Desktop Entry]
        Type=Application
        Name=Browser
        Exec=\(directory)/browser %u
        DBusActivatable=\(isOnBus)

        """)
      try session.installBusService("org.example.Browser", command: "/bin/false")
      try session.makeUsTheDefault()
      _ = try session.call("SetOption", "ss", "Browser", "org.example.Browser.desktop")
      func links() throws -> [String] {
        String(decoding: try readFile(record), as: UTF8.self).split(separator: "\n")
          .map(String.init)
      }

      let browser = try session.start([directory + "/browser"], adding: compositor.environment)
      try #require(try compositor.waitForFocus("org.example.Browser"))
      let clicker = try session.start(
        ["python3", "-c", Self.clicker], adding: compositor.environment)
      try #require(try compositor.waitForFocus("org.example.Clicker"))

      _ = try Client(session).open(EndToEnd.foreign + "/unasked")
      try #require(try poll { try links() == [EndToEnd.foreign + "/unasked"] ? true : nil } != nil)
      #expect(try compositor.focused() == "org.example.Clicker")

      // A key may come before the window has seen the keyboard.
      let moved = try poll(limit: .seconds(20)) { () -> Bool? in
        if try links().count == 1 { try compositor.pressReturn() }
        return try compositor.focused() == "org.example.Browser" ? true : nil
      }
      #expect(moved == true)
      #expect(try links().last?.hasPrefix(EndToEnd.foreign + "/clicked/") == true)
      for child in [browser, clicker] { child.signal(SIGTERM) }
    }
  }
}
