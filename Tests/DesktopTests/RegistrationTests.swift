import Files
import Foundation
import Testing

@testable import Desktop

private let https = "x-scheme-handler/https"
private let ours = DesktopEntry.ours

/// Lists of a user, with a.desktop and b.desktop installed, in that order.
private struct Lists: Sendable, CustomTestStringConvertible {
  let what: String
  var files: [(String, String)] = []
  var links: [(String, String)] = []
  var desktops = ""
  /// What opens https links before, and again when our entry is gone.
  var handler = "a"
  var testDescription: String { what }

  func make() throws -> Home {
    let home = try Home()
    home.desktops = desktops
    for id in ["a.desktop", "b.desktop"] { try home.application(id) }
    try home.installUs()
    _ = try home.run("/usr/bin/update-desktop-database", "\(home.path)/share/applications")
    for (link, target) in links {
      try FileManager.default.createSymbolicLink(
        atPath: "\(home.path)/\(link)", withDestinationPath: target)
    }
    for (name, text) in files { try home.write(name, text) }
    return home
  }
}

private func defaults(_ ids: String) -> String { "[Default Applications]\n\(https)=\(ids)\n" }

private let lists: [Lists] = [
  Lists(what: "no list"),
  Lists(what: "an empty list", files: [("config/mimeapps.list", "")]),
  Lists(what: "comments without a line end", files: [("config/mimeapps.list", "# a\n\n# b")]),
  Lists(
    what: "a default", files: [("config/mimeapps.list", defaults("b.desktop;"))], handler: "b"),
  Lists(
    what: "a default without semicolon and line end",
    files: [("config/mimeapps.list", "[Default Applications]\n\(https)=b.desktop")], handler: "b"),
  Lists(
    what: "CR LF, other types and groups",
    files: [
      (
        "config/mimeapps.list",
        "# c\r\n[Default Applications]\r\ntext/html=b.desktop;\r\n\r\n[X]\r\nk = v\r\n"
      )
    ]),
  Lists(
    what: "an old list that is broken",
    files: [
      ("data/applications/mimeapps.list", "garbage\n"),
      ("config/mimeapps.list", defaults("b.desktop")),
    ], handler: "b"),
  Lists(
    what: "an old list that names another",
    files: [
      ("data/applications/mimeapps.list", defaults("a.desktop")),
      ("config/mimeapps.list", defaults("b.desktop")),
    ], handler: "b"),
  Lists(
    what: "an old list that is a directory",
    files: [
      ("data/applications/mimeapps.list/x", ""),
      ("config/mimeapps.list", defaults("a.desktop")),
    ]),
  Lists(
    what: "repeated groups and keys",
    files: [("config/mimeapps.list", defaults("b.desktop") + "[X]\n" + defaults("b.desktop"))],
    handler: "b"),
  Lists(
    what: "an added association",
    files: [("config/mimeapps.list", "[Added Associations]\n\(https)=a.desktop;\n")]),
  Lists(
    what: "removed associations that list us",
    files: [("config/mimeapps.list", "[Removed Associations]\n\(https)=\(ours);b.desktop;\n")]),
  Lists(
    what: "an administrator's default", files: [("xdg/mimeapps.list", defaults("b.desktop"))],
    handler: "b"),
  Lists(
    what: "a list of the desktop in use that names a default",
    files: [
      ("config/mimeapps.list", defaults("a.desktop")),
      ("config/gnome-mimeapps.list", "# g\n" + defaults("b.desktop")),
    ], desktops: "ubuntu:GNOME", handler: "b"),
  Lists(
    what: "KDE's own list",
    files: [("config/kde-mimeapps.list", defaults("b.desktop"))], desktops: "KDE", handler: "b"),
  Lists(
    what: "lists of the desktop in use that do not matter, and another desktop's",
    files: [
      ("config/gnome-mimeapps.list", "[Default Applications]\ntext/html=b.desktop\n"),
      ("config/kde-mimeapps.list", defaults("b.desktop")),
    ], desktops: "GNOME"),
  Lists(
    what: "a symbolic link to a list",
    files: [("config/mimeapps.list", defaults("b.desktop"))],
    links: [("config/mimeapps.list", "../dotfiles/m.list")], handler: "b"),
  Lists(
    what: "a symbolic link to nowhere",
    links: [("config/mimeapps.list", "\("../dotfiles/deep")/m.list")]),
]

@Suite struct RegistrationTests {
  @Test(arguments: lists)
  fileprivate func registersAndPutsBack(_ lists: Lists) throws {
    let home = try lists.make()
    let before = try home.tree()
    let handler = lists.handler + ".desktop"
    #expect(try home.gio(https) == handler)

    try home.registrar.register()
    for type in ["http", "https", "sovereign"].map({ "x-scheme-handler/" + $0 }) {
      #expect(try home.gio(type) == ours)
      #expect(try home.run("/usr/bin/xdg-mime", "query", "default", type) == ours)
    }
    #expect(home.choices().desktopHandler(ofScheme: "https")?.id == ours)
    #expect(Registrar.previousBrowser(home.directories) == handler)
    #expect(
      home.choices(previous: Registrar.previousBrowser(home.directories)).browser?.id == handler)

    let registered = try home.tree()
    try home.registrar.register()
    #expect(try home.tree() == registered)

    // Removed without a word.
    try FileManager.default.removeItem(atPath: "\(home.path)/share/applications/\(ours)")
    #expect(try home.gio(https) == handler)
    #expect(try home.run("/usr/bin/xdg-mime", "query", "default", https) == handler)

    try home.installUs()
    try home.registrar.unregister()
    #expect(try home.tree() == before)
    try home.registrar.unregister()
    #expect(try home.tree() == before)
  }

  /// KDE's own resolver, which takes any where no list names one.
  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: Home.kdeTrader),
      "\(Home.kdeTrader) is not installed; kde-cli-tools has it"),
    arguments: lists)
  fileprivate func kdeNamesUsToo(_ lists: Lists) throws {
    let home = try lists.make()
    for (link, target) in [("menus", "/etc/xdg/menus"), ("../share/mime", "/usr/share/mime")] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(home.path)/xdg/\(link)", withDestinationPath: target)
    }
    let former = lists.handler == "a" ? ["a.desktop", "b.desktop"] : ["b.desktop"]
    #expect(former.contains(try home.kde(https)))
    try home.registrar.register()
    for scheme in ["http", "https", "sovereign"] {
      #expect(try home.kde("x-scheme-handler/" + scheme) == ours)
    }
    try FileManager.default.removeItem(atPath: "\(home.path)/share/applications/\(ours)")
    #expect(former.contains(try home.kde(https)))
    try home.installUs()
    try home.registrar.unregister()
    #expect(former.contains(try home.kde(https)))
  }

  /// As a power cut leaves it: all steps until then are done, the others not.
  @Test(arguments: lists)
  fileprivate func survivesACrashAfterEachStep(_ lists: Lists) throws {
    for (isRegistering, finish) in [(true, true), (true, false), (false, true), (false, false)] {
      for count in 0... {
        let home = try lists.make()
        let before = try home.tree()
        if !isRegistering { try home.registrar.register() }
        let now = try home.registrar.look()
        let steps =
          isRegistering
          ? try home.registrar.steps(registering: now) : now.unregistering()
        for step in steps.prefix(count) { try home.registrar.perform(step) }

        if finish {
          try home.registrar.register()
          #expect(home.choices().desktopHandler(ofScheme: "https")?.id == ours)
          #expect(Registrar.previousBrowser(home.directories) == lists.handler + ".desktop")
          #expect(try home.registrar.look().unregistering().isEmpty == false)
        }
        try home.registrar.unregister()
        #expect(
          try home.tree() == before, "\(isRegistering), \(finish), \(count) of \(steps.count)")
        if count >= steps.count { break }
      }
    }
  }

  /// A comment in Latin-1, and what could be an escape.
  @Test func putsBackWhatIsNoText() throws {
    let home = try Home()
    for id in ["a.desktop", "b.desktop"] { try home.application(id) }
    try home.installUs()
    let list = DurableFile(path: "\(home.path)/config/mimeapps.list")
    let bytes: [UInt8] =
      Array("\u{C}# %41\\n ".utf8) + [0xE9, 0x0A] + Array(defaults("b.desktop").utf8)
    try list.replace(with: bytes)
    #expect(try home.gio(https) == "b.desktop")
    try home.registrar.register()
    #expect(try home.gio(https) == ours)
    try home.registrar.unregister()
    #expect(try list.read(limit: 1 << 20) == bytes)
  }

  @Test func makesAndRemovesDirectories() throws {
    let home = try Home()
    try home.installUs()
    try FileManager.default.removeItem(atPath: "\(home.path)/config")
    home.configuration = "config/deep/er"
    try home.registrar.register()
    #expect(home.choices().desktopHandler(ofScheme: "https")?.id == ours)
    try home.registrar.unregister()
    #expect(!FileManager.default.fileExists(atPath: "\(home.path)/config"))
    // What somebody put there stays.
    try home.registrar.register()
    try home.write("config/mine", "")
    try home.registrar.unregister()
    #expect(try FileManager.default.contentsOfDirectory(atPath: "\(home.path)/config") == ["mine"])
  }

  /// It was killed while it wrote a list that it had to make a directory for.
  @Test func removesWhatACrashLeftBehind() throws {
    let home = try Home()
    try home.installUs()
    try FileManager.default.removeItem(atPath: "\(home.path)/config")
    try home.registrar.register()
    try FileManager.default.removeItem(atPath: "\(home.path)/config/mimeapps.list")
    let leftover = "config/.sovereign-navigation.tmp-x"
    #expect(FileManager.default.createFile(atPath: "\(home.path)/\(leftover)", contents: nil))
    try home.registrar.unregister()
    #expect(!FileManager.default.fileExists(atPath: "\(home.path)/config"))
  }
}

// MARK: Changes in between

private struct Between: Sendable, CustomTestStringConvertible {
  let what: String
  let change: @Sendable (Home) throws -> Void
  /// What opens https links after the change, after unregistering, and before a second registration.
  let handlers: (changed: String, unregistered: String, previous: String)
  /// What else must be in the list at the end.
  var kept = ""
  var testDescription: String { what }
}

extension RegistrationTests {
  /// b.desktop is the user's default before.
  @Test(
    arguments: [
      Between(
        what: "a browser takes the default back, as it does itself",
        change: { home in
          _ = try home.run("/usr/bin/xdg-settings", "set", "default-web-browser", "a.desktop")
        }, handlers: ("a", "a", "a"), kept: "text/html=a.desktop\n"),
      Between(
        what: "the desktop's settings make another the default",
        change: { _ = try $0.run("/usr/bin/gio", "mime", https, "a.desktop") },
        handlers: ("a", "a", "a")),
      Between(
        what: "the user takes us out",
        change: { home in
          let text = try home.text("config/mimeapps.list")
          try home.write("config/mimeapps.list", text.replacing("\(ours);", with: ""))
        }, handlers: ("b", "b", "b")),
      Between(
        what: "the user deletes the list",
        // The old place still has it, for xdg-mime.
        change: { try FileManager.default.removeItem(atPath: "\($0.path)/config/mimeapps.list") },
        handlers: ("b", "a", "b")),
      Between(
        what: "another type gets a default",
        change: { _ = try $0.run("/usr/bin/xdg-mime", "default", "a.desktop", "text/plain") },
        handlers: (String(ours.dropLast(8)), "b", "b"), kept: "text/plain=a.desktop\n"),
      Between(
        what: "another program forgets everybody behind us",
        change: { _ = try $0.run("/usr/bin/xdg-mime", "default", ours, https) },
        handlers: (String(ours.dropLast(8)), "b", "b")),
    ], [false, true])
  fileprivate func keepsWhatSomebodyChanged(_ between: Between, registersAgain: Bool) throws {
    let home = try Home()
    for id in ["a.desktop", "b.desktop"] { try home.application(id) }
    try home.installUs()
    _ = try home.run("/usr/bin/update-desktop-database", "\(home.path)/share/applications")
    try home.write("config/mimeapps.list", "# mine\n" + defaults("b.desktop;"))
    try home.registrar.register()

    try between.change(home)
    #expect(try home.gio(https) == between.handlers.changed + ".desktop")
    if registersAgain {
      try home.registrar.register()
      #expect(try home.gio(https) == ours)
      #expect(try home.gio("x-scheme-handler/http") == ours)
      #expect(
        Registrar.previousBrowser(home.directories) == between.handlers.previous + ".desktop")
    }
    try home.registrar.unregister()
    #expect(try home.gio(https) == between.handlers.unregistered + ".desktop")
    let text = (try? home.text("config/mimeapps.list")) ?? ""
    #expect(!text.contains(ours), "\(text)")
    #expect(
      !FileManager.default.fileExists(atPath: "\(home.path)/data/applications/mimeapps.list"))
    #expect(between.kept.isEmpty || text.contains(between.kept), "\(text)")
    #expect(
      !FileManager.default.fileExists(
        atPath: "\(home.path)/.local/state/sovereign/registration.conf"))
  }

  /// As the user may have made us the default before there was anything to register with.
  @Test func takesOverWhatWasSetByHand() throws {
    let home = try Home()
    try home.application("a.desktop")
    try home.installUs()
    for scheme in ["http", "https"] {
      _ = try home.run("/usr/bin/xdg-mime", "default", ours, "x-scheme-handler/" + scheme)
    }
    try home.write(
      "data/applications/mimeapps.list", "[Default Applications]\n\(https)=\(ours);a.desktop;\n")
    try home.registrar.register()
    #expect(Registrar.previousBrowser(home.directories) == "a.desktop")
    try home.registrar.unregister()
    #expect(try home.gio(https) == "a.desktop")
    #expect(try home.text("data/applications/mimeapps.list") == defaults("a.desktop;"))
  }
}

// MARK: What cannot be done

extension RegistrationTests {
  @Test func refusesWhatWouldLoseEveryLink() throws {
    let home = try Home()
    try home.application("a.desktop")
    let before = try home.tree()
    func refusal() -> RegistrationError? {
      do throws(RegistrationError) {
        try home.registrar.register()
        return nil
      } catch {
        return error
      }
    }
    #expect(refusal() == .notInstalled("it is not installed"))
    try home.installUs()
    try FileManager.default.removeItem(atPath: "\(home.path)/bin/fs.sovereign.Navigation")
    #expect(refusal() == .notInstalled("its program fs.sovereign.Navigation is not there"))
    #expect(try home.tree() == before)
  }

  @Test(arguments: [
    ("config/mimeapps.list", "garbage\n"), ("config/mimeapps.list", "[A]\nk=\u{0}\n"),
    ("config/mimeapps.list", "\u{FEFF}" + defaults("a.desktop")),
    (".local/state/sovereign/registration.conf", "garbage\n"),
    (".local/state/sovereign/registration.conf", "[File 1]\nPath=/x\n"),
  ])
  func refusesWhatIsBroken(_ file: (path: String, text: String)) throws {
    let home = try Home()
    try home.application("a.desktop")
    try home.installUs()
    try home.write(file.path, file.text)
    let before = try home.tree()
    #expect(throws: RegistrationError.self) { try home.registrar.register() }
    #expect(try home.tree() == before)
  }

  @Test func saysWhichListBeatsUs() throws {
    let home = try Home()
    try home.application("a.desktop")
    try home.installUs()
    try home.write("xdg/mimeapps.list", defaults(ours))
    try home.registrar.register()
    #expect(
      throws: RegistrationError.stillDefault(
        .init(id: ours, file: "\(home.path)/xdg/mimeapps.list"))
    ) { try home.registrar.unregister() }
    #expect(!FileManager.default.fileExists(atPath: "\(home.path)/config/mimeapps.list"))
  }

  @Test func aBrokenRecordDoesNotKeepAnybodyIn() throws {
    let home = try Home()
    try home.application("a.desktop")
    try home.installUs()
    try home.write("config/mimeapps.list", "[Added Associations]\n\(https)=a.desktop;\n")
    let before = try home.tree()
    try home.registrar.register()
    try home.write(".local/state/sovereign/registration.conf", "garbage\n")
    try home.registrar.unregister()
    #expect(try home.tree() == before)
  }
}

extension Home {
  var directories: BaseDirectories { BaseDirectories(environment: environment) }
  fileprivate var registrar: Registrar { Registrar(directories, state: directories) }

  fileprivate func installUs() throws {
    try application(ours, types: ["x-scheme-handler/sovereign"])
  }

  fileprivate func text(_ name: String) throws -> String {
    String(decoding: try DurableFile(path: "\(path)/\(name)").read(limit: 1 << 20), as: UTF8.self)
  }

  fileprivate func gio(_ type: String) throws -> String {
    let answer = try run("/usr/bin/gio", "mime", type)
    return answer.split(separator: "\n").first?.split(separator: " ").last.map(String.init) ?? ""
  }

  fileprivate static let kdeTrader = "/usr/bin/ktraderclient5"

  /// The first that KDE offers for a type.
  fileprivate func kde(_ type: String) throws -> String {
    // It looks for changes by the second.
    try? FileManager.default.removeItem(atPath: "\(path)/.cache")
    let answer = try run(Self.kdeTrader, "--mimetype", type)
    let path = answer.split(separator: "\n").first { $0.hasPrefix("DesktopEntryPath : ") }
    return path?.split(separator: "'").last?.split(separator: "/").last.map(String.init) ?? answer
  }

  /// What the user has: files with what they hold, links, directories. Not the directory of our state.
  fileprivate func tree() throws -> [String: String] {
    var tree: [String: String] = [:]
    let manager = FileManager.default
    for name in try manager.subpathsOfDirectory(atPath: path)
    where !["share", "bin"].contains(where: name.hasPrefix) {
      let file = "\(path)/\(name)"
      if let target = try? manager.destinationOfSymbolicLink(atPath: file) {
        tree[name] = "→ " + target
      } else if let bytes = try? DurableFile(path: file).read(limit: 1 << 20) {
        tree[name] = String(decoding: bytes, as: UTF8.self)
      } else if !name.hasPrefix(".local") {
        tree[name] = "directory"
      }
    }
    return tree
  }
}
