import Files
import Testing

@testable import Desktop

private let https = "x-scheme-handler/https"
private let mailto = "x-scheme-handler/mailto"

/// The user's own copy of an entry that the system has, too.
private struct Copy: Sendable, CustomTestStringConvertible {
  let what: String
  let text: String
  /// The directory of the copy that counts; `nil` if none does.
  var expected: String? = "share"
  /// GIO does not read Hidden of a default.
  var gio: String? = "share"
  var testDescription: String { what }
}

private func entry(_ exec: String, _ more: String = "") -> String {
  "[Desktop Entry]\nType=Application\nName=x\nExec=\(exec)\nMimeType=\(https);\(mailto);\n\(more)"
}

@Suite struct StaleEntryTests {
  @Test(arguments: [
    Copy(what: "a good copy", text: entry("b %u"), expected: "data", gio: "data"),
    Copy(what: "its program is gone", text: entry("/opt/gone/b %u")),
    Copy(what: "its program is in no directory", text: entry("gone %u")),
    Copy(what: "its TryExec is gone", text: entry("b %u", "TryExec=/opt/gone/b\n")),
    Copy(what: "its program is gone and it may not be run", text: entry("gone --app=%U")),
    Copy(what: "an assignment as its program", text: entry("A=b b %u")),
    Copy(what: "a link as its program", text: entry("%u")),
    Copy(what: "a quote is open", text: entry("b \"%u")),
    Copy(what: "an apostrophe is open", text: entry("b --it's %u")),
    Copy(what: "no key file", text: "garbage\n"),
    Copy(what: "an empty file", text: ""),
    Copy(
      what: "another type", text: "[Desktop Entry]\nType=Link\nName=x\nURL=https://a.example/\n"),
    Copy(what: "deleted", text: entry("b %u", "Hidden=true\n"), expected: nil, gio: "data"),
  ])
  fileprivate func aStaleCopyHidesNoGoodEntry(_ row: Copy) throws {
    let home = try Home()
    let types = [https, mailto]
    try home.application("b.desktop", types: types)
    try home.application("a.desktop", types: types)
    try home.write("data/applications/b.desktop", row.text)
    for directory in ["data", "share"] {
      _ = try home.run("/usr/bin/update-desktop-database", "\(home.path)/\(directory)/applications")
    }
    let lists = types.map { "\($0)=b.desktop;\n" }.joined()
    try home.write("config/mimeapps.list", "[Default Applications]\n" + lists)
    func path(_ directory: String?) -> String? {
      directory.map { "\(home.path)/\($0)/applications/b.desktop" }
    }

    let gio = try #require(try GIOAnswer.all(of: types, [home.environment]).first)
    for type in types {
      #expect(gio[type]?.default?.id == "b.desktop")
      #expect(gio[type]?.default?.path == path(row.gio))
    }
    let expected = path(row.expected) ?? "\(home.path)/share/applications/a.desktop"
    for choices in [
      home.choices(), home.choices(browser: "b.desktop"), home.choices(previous: "b.desktop"),
    ] {
      #expect(choices.browser?.path == expected)
      #expect(choices.handler(ofScheme: "mailto")?.entry.path == expected)
    }
    #expect(
      home.choices().desktopHandler(ofScheme: "https")?.id
        == (row.expected == nil ? "a.desktop" : "b.desktop"))
    #expect((home.choices().objection(toBrowser: "b.desktop") == nil) == (row.expected != nil))
  }

  @Test func whereNoCopyIsGoodTheFirstOneSaysWhy() throws {
    let home = try Home()
    try home.application("b.desktop", exec: "gone %u")
    try home.write("data/applications/b.desktop", entry("older %u"))
    #expect(home.choices().objection(toBrowser: "b.desktop") == .programMissing("older"))
    // As it stays the choice without its program.
    #expect(home.choices(browser: "b.desktop").browser?.exec == "older %u")
    let path = home.path + "/data/applications/b.desktop"
    try home.write("data/applications/b.desktop", "[Desktop Entry]\nType=Link\n")
    #expect(
      home.choices().objection(toBrowser: "b.desktop") == .unavailable(.notApplication(path: path)))
  }

  @Test func aDefaultWhoseCommandIsNoneIsNotTheDesktopsHandler() throws {
    for exec in ["b \"%u", "A=b b %u", "\"\" %u", "%u", "gone --app=%U"] {
      let home = try Home()
      try home.program("b")
      try home.application("broken.desktop", exec: exec)
      try home.application("c.desktop")
      _ = try home.run("/usr/bin/update-desktop-database", "\(home.path)/share/applications")
      try home.write(
        "config/mimeapps.list", "[Default Applications]\n\(https)=broken.desktop;c.desktop;\n")
      #expect(try home.gioDefault(https) == "c.desktop")
      #expect(home.choices().desktopHandler(ofScheme: "https")?.id == "c.desktop", "\(exec)")
    }
  }

  /// What is the former default is written down before anything is changed.
  @Test func registeringRemembersTheDefaultBehindAStaleCopy() throws {
    let home = try Home()
    try home.application(DesktopEntry.ours, types: ["x-scheme-handler/sovereign"])
    for id in ["a.desktop", "b.desktop"] { try home.application(id) }
    try home.write("data/applications/b.desktop", entry("/opt/gone/b %u"))
    try home.write("config/mimeapps.list", "[Default Applications]\n\(https)=b.desktop;\n")
    #expect(try home.gioDefault(https) == "b.desktop")
    let directories = BaseDirectories(environment: home.environment)
    try Registrar(directories, state: directories).register()
    #expect(try home.gioDefault(https) == DesktopEntry.ours)
    let former = Registrar.previousBrowser(directories)
    #expect(former == "b.desktop")
    #expect(home.choices(previous: former).browser?.path.hasPrefix(home.path + "/share") == true)
  }

  /// Desktops that look at the first one alone would lose every link.
  @Test func aStaleCopyOfOurEntryIsNoPlaceToRegister() throws {
    let home = try Home()
    try home.application(DesktopEntry.ours, types: ["x-scheme-handler/sovereign"])
    try home.write("data/applications/\(DesktopEntry.ours)", entry("/opt/gone/us %u"))
    let directories = BaseDirectories(environment: home.environment)
    #expect(throws: RegistrationError.notInstalled("its program /opt/gone/us is not there")) {
      try Registrar(directories, state: directories).register()
    }
  }
}
