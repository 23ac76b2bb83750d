/// An application that the bus starts and GLib runs; it notes what it is given, and stays for ten seconds.
package struct BusApplication {
  /// The desktop-file id.
  package let id: String
  private let records: String

  fileprivate init(id: String, records: String) {
    self.id = id
    self.records = records
  }

  /// The links that it was given so far, in order.
  package var links: [String] {
    get throws { try lines("links") }
  }

  /// The activation token that came with each call, in order; empty where none did.
  package var tokens: [String] {
    get throws { try lines("tokens", keepingEmpty: true) }
  }

  private func lines(_ name: String, keepingEmpty: Bool = false) throws -> [String] {
    let text = String(decoding: try readFile("\(records)/\(name)"), as: UTF8.self)
    return text.dropLast().split(separator: "\n", omittingEmptySubsequences: !keepingEmpty)
      .map(String.init)
  }
}

extension TestSession {
  /// Installs an application of this bus name. For each `link` it also runs `whenGiven`, in Python.
  ///
  /// In a session of systemd only, as nothing can be added to the services of a private bus.
  package func installBusApplication(
    _ name: String, whenGiven: String = "pass"
  ) throws -> BusApplication {
    let records = "\(home)/.local/share/test/\(name)"
    try makeDirectories(records)
    try writeFile(
      records + "/program",
      """
      #!/usr/bin/python3
      import subprocess
      from gi.repository import Gio

      def open_links(application, files, count, hint):
          for file in files:
              link = file.get_uri()
              with open('\(records)/links', 'a') as record:
                  print(link, file=record)
              \(whenGiven)

      class Application(Gio.Application):
          def do_before_emit(self, platform_data):
              token = platform_data.unpack().get('activation-token', '')
              with open('\(records)/tokens', 'a') as record:
                  print(token, file=record)

      application = Application(
          application_id='\(name)',
          flags=Gio.ApplicationFlags.HANDLES_OPEN | Gio.ApplicationFlags.IS_SERVICE)
      application.connect('open', open_links)
      application.connect('activate', lambda application: None)
      application.run(None)

      """, mode: 0o755)
    try installBusService(name, command: records + "/program")
    try writeFile(
      "\(home)/.local/share/applications/\(name).desktop",
      "[Desktop Entry]\nType=Application\nName=\(name)\nDBusActivatable=true\n")
    return BusApplication(id: name + ".desktop", records: records)
  }

  /// Makes `command` what the bus runs to start the owner of `name`. In a session of systemd only.
  package func installBusService(_ name: String, command: String, more: String = "") throws {
    try writeFile(
      "\(home)/.local/share/dbus-1/services/\(name).service",
      "[D-BUS Service]\nName=\(name)\nExec=\(command)\n\(more)")
    let reload = try run([
      "busctl", "--user", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
      "org.freedesktop.DBus", "ReloadConfig",
    ])
    guard reload.status == 0 else { throw SessionError("ReloadConfig: \(reload)") }
  }
}
