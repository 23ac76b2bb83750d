import Testing

@testable import Desktop

private let sovereign = "x-scheme-handler/sovereign"
private let mailto = "x-scheme-handler/mailto"

/// Applications for a scheme that is not the browser's, and the one that gets its links.
private struct Handlers: Sendable, CustomTestStringConvertible {
  struct Application: Sendable {
    let id: String
    var exec = "app %u"
    var claims = true
    var more = ""
    var directory = "share"
  }

  let what: String
  let type: String
  let applications: [Application]
  /// Of the user.
  var defaults = ""
  var files: [(String, String)] = []
  let expected: String?
  /// What the desktop's own programs say where that is something else; the reason is in the row.
  var gio: String?
  var xdgMime: String?

  var testDescription: String { "\(type): \(what)" }
}

/// The entry of a Tauri program's .deb, and the one that the program writes at each start.
private let packaged = Handlers.Application(id: "Sovereign.desktop", exec: "app")
private let selfMade = Handlers.Application(
  id: "app-handler.desktop", exec: "\"app\" %u", more: "NoDisplay=true\n", directory: "data")

@Suite struct SchemeHandlerTests {
  @Test(arguments: [
    Handlers(
      what: "a package without field code", type: sovereign, applications: [packaged],
      expected: "Sovereign.desktop"),
    Handlers(
      what: "a program that registered itself", type: sovereign,
      applications: [packaged, selfMade],
      defaults: "app-handler.desktop;", expected: "app-handler.desktop"),
    Handlers(
      what: "without field code after all others", type: sovereign,
      applications: [packaged, selfMade], defaults: "Sovereign.desktop;",
      // Nobody else reads Exec here.
      expected: "app-handler.desktop", gio: "Sovereign.desktop", xdgMime: "Sovereign.desktop"),
    Handlers(
      what: "activated over D-Bus it needs no field code", type: sovereign,
      applications: [
        .init(id: "org.x.Shell.desktop", exec: "app", more: "DBusActivatable=true\n"), selfMade,
      ], defaults: "org.x.Shell.desktop;", expected: "org.x.Shell.desktop"),
    Handlers(
      what: "an AppImage that was deleted", type: sovereign,
      applications: [
        packaged, .init(id: "image.desktop", exec: "/opt/gone/app.AppImage %u", directory: "data"),
      ], defaults: "image.desktop;", expected: "Sovereign.desktop",
      // It goes on with the caches, in which only the user's is.
      xdgMime: "image.desktop"),
    Handlers(
      what: "a sandboxed shell that nobody named", type: sovereign,
      applications: [.init(id: "org.x.Box.desktop", more: "X-Flatpak=org.x.Box\n")],
      defaults: "org.x.Box.desktop;",
      // That is our rule alone.
      expected: nil, gio: "org.x.Box.desktop", xdgMime: "org.x.Box.desktop"),
    Handlers(
      what: "a default that does not claim it", type: sovereign,
      applications: [packaged, .init(id: "mine.desktop", claims: false)],
      defaults: "mine.desktop;", expected: "mine.desktop"),
    Handlers(
      what: "files only", type: sovereign,
      applications: [.init(id: "files.desktop", exec: "app %F"), packaged],
      defaults: "files.desktop;", expected: "Sovereign.desktop",
      // Nobody else reads Exec here.
      gio: "files.desktop", xdgMime: "files.desktop"),

    Handlers(
      what: "the one that claims it", type: mailto,
      applications: [.init(id: "mail.desktop"), .init(id: "other.desktop", claims: false)],
      expected: "mail.desktop"),
    Handlers(
      what: "a browser that made itself the default and does not claim it", type: mailto,
      applications: [.init(id: "google-chrome.desktop", claims: false), .init(id: "mail.desktop")],
      defaults: "google-chrome.desktop;", expected: "google-chrome.desktop"),
    Handlers(
      what: "a default of the system that does not claim it", type: mailto,
      applications: [.init(id: "mutt.desktop", claims: false), .init(id: "mail.desktop")],
      files: [("xdg/mimeapps.list", "[Default Applications]\n\(mailto)=mutt.desktop;\n")],
      expected: "mutt.desktop"),
    Handlers(
      what: "a default of the system before an added association of the user", type: mailto,
      applications: [.init(id: "mutt.desktop"), .init(id: "mail.desktop")],
      files: [
        ("config/mimeapps.list", "[Added Associations]\n\(mailto)=mail.desktop;\n"),
        ("xdg/mimeapps.list", "[Default Applications]\n\(mailto)=mutt.desktop;\n"),
      ], expected: "mutt.desktop"),
    Handlers(
      what: "a default that asks for the default", type: mailto,
      applications: [.init(id: "loop.desktop", exec: "gio open %u"), .init(id: "mail.desktop")],
      defaults: "loop.desktop;", expected: "mail.desktop",
      // Nobody else reads Exec here.
      gio: "loop.desktop", xdgMime: "loop.desktop"),
  ])
  fileprivate func handlerOf(_ row: Handlers) throws {
    let home = try Home()
    for program in ["app", "gio", "sovereign-navigation"] { try home.program(program) }
    for application in row.applications {
      try home.application(
        application.id, exec: application.exec, in: application.directory,
        types: application.claims ? [row.type] : [], more: application.more)
    }
    try home.application(
      DesktopEntry.ours, exec: "sovereign-navigation open %u", types: [sovereign])
    func setDefaults(_ ids: String) throws {
      try home.write("config/mimeapps.list", "[Default Applications]\n\(row.type)=\(ids)\n")
    }
    if !row.defaults.isEmpty { try setDefaults(row.defaults) }
    for (name, text) in row.files { try home.write(name, text) }
    for directory in ["data", "share"] {
      _ = try home.run("/usr/bin/update-desktop-database", "\(home.path)/\(directory)/applications")
    }
    func handler() -> String? {
      let choices = home.choices()
      return row.type == sovereign
        ? choices.shell?.id : choices.handler(ofScheme: "mailto")?.entry.id
    }

    #expect(handler() == row.expected)
    #expect(try home.gioDefault(row.type) == row.gio ?? row.expected)
    #expect(try home.xdgMimeDefault(row.type) == row.xdgMime ?? row.expected)

    // Where this service is the default, its links go where they went before.
    guard row.files.isEmpty else { return }
    try setDefaults(DesktopEntry.ours + ";" + row.defaults)
    #expect(try home.gioDefault(row.type) == DesktopEntry.ours)
    #expect(handler() == row.expected)
  }
}
