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

  private func lines(_ name: String) throws -> [String] {
    String(decoding: try readFile("\(records)/\(name)"), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }
}

extension TestSession {
  /// Installs an application of this bus name. For each `link` it also runs `whenGiven`, in Python.
  ///
  /// In a session of systemd only: nothing can be added to the services of a private bus.
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

      application = Gio.Application(
          application_id='\(name)',
          flags=Gio.ApplicationFlags.HANDLES_OPEN | Gio.ApplicationFlags.IS_SERVICE)
      application.connect('open', open_links)
      application.connect('activate', lambda application: None)
      application.run(None)

      """, mode: 0o755)
    try writeFile(
      "\(home)/.local/share/dbus-1/services/\(name).service",
      "[D-BUS Service]\nName=\(name)\nExec=\(records)/program\n")
    try writeFile(
      "\(home)/.local/share/applications/\(name).desktop",
      "[Desktop Entry]\nType=Application\nName=\(name)\nDBusActivatable=true\n")
    let reload = try run([
      "busctl", "--user", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
      "org.freedesktop.DBus", "ReloadConfig",
    ])
    guard reload.status == 0 else { throw SessionError("ReloadConfig: \(reload)") }
    return BusApplication(id: name + ".desktop", records: records)
  }
}
