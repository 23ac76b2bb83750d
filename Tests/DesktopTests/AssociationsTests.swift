import Files
import Glibc
import Testing

@testable import Desktop

private struct Lookup: Sendable, CustomTestStringConvertible {
  enum Difference { case none, gio, xdgMime, xdgMime11, both }

  let what: String
  let files: [(String, String)]
  let expected: [String]
  var desktops = ""
  /// Which real programs answer otherwise; the reason is in the name of the row.
  var difference = Difference.none
  var testDescription: String { what }
}

private let https = "x-scheme-handler/https"
private func defaults(_ ids: String) -> String { "[Default Applications]\n\(https)=\(ids)\n" }
private func added(_ ids: String) -> String { "[Added Associations]\n\(https)=\(ids)\n" }
private func removed(_ ids: String) -> String { "[Removed Associations]\n\(https)=\(ids)\n" }

/// The lookup of https among the entries a, b and c, which claim it, and x, which does not; the
/// first answer is compared with what the desktop's own programs say.
@Suite struct AssociationsTests {
  @Test(arguments: [
    Lookup(what: "nothing set", files: [], expected: ["a", "b", "c"]),
    Lookup(
      what: "the user's default", files: [("config/mimeapps.list", defaults("b.desktop;"))],
      expected: ["b", "a", "c"]),
    Lookup(
      what: "a default without semicolon", files: [("config/mimeapps.list", defaults("c.desktop"))],
      expected: ["c", "a", "b"]),
    Lookup(
      what: "a list with a byte order mark",
      files: [("config/mimeapps.list", "\u{FEFF}" + defaults("b.desktop"))],
      expected: ["a", "b", "c"]),
    Lookup(
      what: "a missing default is skipped",
      files: [("config/mimeapps.list", defaults("gone.desktop;b.desktop;"))],
      expected: ["b", "a", "c"],
      // xdg-mime tries the first only, before version 1.2.
      difference: .xdgMime11),
    Lookup(
      what: "the user's beats the administrator's",
      files: [
        ("config/mimeapps.list", defaults("b.desktop")),
        ("xdg/mimeapps.list", defaults("c.desktop")),
      ],
      expected: ["b", "c", "a"]),
    Lookup(
      what: "the administrator's default", files: [("xdg/mimeapps.list", defaults("c.desktop"))],
      expected: ["c", "a", "b"]),
    Lookup(
      what: "the list beside the entries",
      files: [("share/applications/mimeapps.list", defaults("c.desktop"))],
      expected: ["c", "a", "b"]),
    Lookup(
      what: "the old list of the user",
      files: [
        ("data/applications/mimeapps.list", defaults("c.desktop")),
        ("share/applications/mimeapps.list", defaults("b.desktop")),
      ],
      expected: ["c", "b", "a"]),
    Lookup(
      what: "the desktop's own list first",
      files: [
        ("config/mimeapps.list", defaults("b.desktop")),
        ("config/gnome-mimeapps.list", defaults("c.desktop")),
      ],
      expected: ["c", "b", "a"], desktops: "ubuntu:GNOME"),
    Lookup(
      what: "another desktop's list does not count",
      files: [("config/kde-mimeapps.list", defaults("c.desktop"))],
      expected: ["a", "b", "c"], desktops: "GNOME"),
    Lookup(
      what: "the user's plain list beats the administrator's special one",
      files: [
        ("config/mimeapps.list", defaults("b.desktop")),
        ("xdg/gnome-mimeapps.list", defaults("c.desktop")),
      ],
      expected: ["b", "c", "a"], desktops: "GNOME"),
    Lookup(
      what: "an added association is preferred",
      files: [("config/mimeapps.list", added("c.desktop;x.desktop;"))],
      expected: ["c", "x", "a", "b"],
      // xdg-mime does not read added associations of scheme handlers.
      difference: .xdgMime),
    Lookup(
      what: "a default before an added association",
      files: [("config/mimeapps.list", added("c.desktop;") + defaults("x.desktop"))],
      // xdg-mime and GLib take a default that nothing associates with the type.
      expected: ["c", "a", "b"], difference: .both),
    Lookup(
      what: "what is added may be the default",
      files: [("config/mimeapps.list", added("x.desktop;") + defaults("x.desktop"))],
      expected: ["x", "a", "b", "c"]),
    Lookup(
      what: "a removed association",
      files: [("config/mimeapps.list", removed("a.desktop;"))],
      expected: ["b", "c"], difference: .xdgMime),
    Lookup(
      what: "a list that removes and adds keeps",
      files: [("config/mimeapps.list", removed("b.desktop;") + added("b.desktop;"))],
      expected: ["b", "a", "c"], difference: .xdgMime),
    Lookup(
      what: "removing does not reach up",
      files: [
        ("config/mimeapps.list", added("b.desktop;")), ("xdg/mimeapps.list", removed("b.desktop;")),
      ],
      expected: ["b", "a", "c"], difference: .xdgMime),
    Lookup(
      what: "a desktop's own list adds nothing",
      files: [("config/gnome-mimeapps.list", added("x.desktop;") + removed("a.desktop;"))],
      expected: ["a", "b", "c"], desktops: "GNOME"),
    Lookup(
      what: "a broken list counts as empty",
      files: [("config/mimeapps.list", "garbage\n" + defaults("c.desktop"))],
      expected: ["a", "b", "c"],
      // xdg-mime greps.
      difference: .xdgMime),
    Lookup(
      what: "CR LF and spaces",
      files: [
        (
          "config/mimeapps.list",
          "# c\r\n[Default Applications]\r\n\(https) = c.desktop;\r\n"
        )
      ],
      expected: ["c", "a", "b"], difference: .xdgMime),
    Lookup(
      what: "an override hides the claim below it",
      files: [
        ("data/applications/a.desktop", "[Desktop Entry]\nType=Application\nName=a\nExec=a %u\n")
      ],
      expected: ["b", "c"], difference: .xdgMime),
    Lookup(
      what: "a hidden override deletes",
      files: [("data/applications/a.desktop", "[Desktop Entry]\nType=Application\nHidden=true\n")],
      expected: ["b", "c"], difference: .xdgMime),
    Lookup(
      what: "an override hides what a list below it adds",
      files: [
        ("data/applications/a.desktop", "[Desktop Entry]\nType=Application\nName=a\nExec=a %u\n"),
        ("share/applications/mimeapps.list", added("a.desktop;")),
      ],
      expected: ["b", "c"], difference: .xdgMime),
    Lookup(
      what: "an override does not hide what a list above it adds",
      files: [
        ("data/applications/a.desktop", "[Desktop Entry]\nType=Application\nName=a\nExec=a %u\n"),
        ("data/applications/mimeapps.list", added("a.desktop;")),
      ],
      expected: ["a", "b", "c"]),
    Lookup(
      what: "a default that is deleted",
      files: [
        ("config/mimeapps.list", defaults("a.desktop;")),
        ("data/applications/a.desktop", "[Desktop Entry]\nType=Application\nHidden=true\n"),
      ],
      // Neither reads Hidden of a default.
      expected: ["b", "c"], difference: .both),
    Lookup(
      what: "a removed association beside the claim",
      files: [("share/applications/mimeapps.list", removed("a.desktop;"))],
      // GIO takes no notice where the same list adds nothing (`expand_strv`, gdesktopappinfo.c).
      expected: ["b", "c"], difference: .both),
    Lookup(
      what: "a list that is in no specification",
      files: [("share/applications/defaults.list", defaults("c.desktop;"))],
      expected: ["a", "b", "c"], difference: .both),
  ])
  fileprivate func looksUp(_ row: Lookup) throws {
    let home = try Home()
    home.desktops = row.desktops
    for id in ["a", "b", "c"] { try home.application("\(id).desktop") }
    try home.application("x.desktop", types: [])
    for (name, text) in row.files { try home.write(name, text) }
    for directory in ["data", "share"] {
      _ = try home.run("/usr/bin/update-desktop-database", "\(home.path)/\(directory)/applications")
    }

    let associations = Associations(BaseDirectories(environment: home.environment))
    let installed = ApplicationDirectories(BaseDirectories(environment: home.environment))
    var seen: Set<String> = []
    let found = associations.applications(for: https).map(\.id)
      .filter { seen.insert($0).inserted && (try? installed.entry($0)) != nil }
    #expect(found == row.expected.map { $0 + ".desktop" })

    let first = row.expected[0] + ".desktop"
    let gio = try home.run("/usr/bin/gio", "mime", https)
    #expect(
      gio.hasPrefix("Default application for “\(https)”: \(first)")
        != (row.difference == .gio || row.difference == .both), "\(gio)")
    let xdgMime = try home.run("/usr/bin/xdg-mime", "query", "default", https)
    let differs =
      switch row.difference {
      case .none, .gio: false
      case .xdgMime, .both: true
      case .xdgMime11:
        try home.run("/usr/bin/xdg-mime", "--version").hasPrefix("xdg-mime 1.1.")
      }
    #expect((xdgMime == first) != differs, "\(xdgMime)")
  }

  /// Our own entry does not claim web links, so that installing it changes nothing.
  @Test func aDefaultThatClaimsNothingIsTheDesktopsHandler() throws {
    let home = try Home()
    try home.application("a.desktop")
    try home.application(DesktopEntry.ours, types: ["x-scheme-handler/sovereign"])
    _ = try home.run("/usr/bin/update-desktop-database", "\(home.path)/share/applications")
    #expect(home.choices().desktopHandler(ofScheme: "https")?.id == "a.desktop")
    _ = try home.run("/usr/bin/xdg-mime", "default", DesktopEntry.ours, https)
    #expect(
      try home.run("/usr/bin/gio", "mime", https).hasPrefix(
        "Default application for “\(https)”: \(DesktopEntry.ours)"))
    #expect(home.choices().desktopHandler(ofScheme: "https")?.id == DesktopEntry.ours)
    #expect(home.choices().browser?.id == "a.desktop")
  }

  @Test func passesOverADefaultWhoseProgramIsGone() throws {
    let home = try Home()
    for id in ["a.desktop", "b.desktop", "c.desktop"] { try home.application(id) }
    try home.application("gone.desktop", exec: "gone %u")
    try home.application("tried.desktop", exec: "a %u", more: "TryExec=gone\n")
    _ = try home.run("/usr/bin/update-desktop-database", "\(home.path)/share/applications")
    try home.write("config/mimeapps.list", defaults("gone.desktop;tried.desktop;b.desktop;"))
    #expect(home.choices().desktopHandler(ofScheme: "https")?.id == "b.desktop")
    #expect(
      try home.run("/usr/bin/gio", "mime", https).hasPrefix(
        "Default application for “\(https)”: b.desktop"))
  }

  @Test func findsWhatNoCacheNames() throws {
    let home = try Home()
    try home.application("a.desktop")
    #expect(home.choices().browser?.id == "a.desktop")
    _ = try home.run("/usr/bin/update-desktop-database", "\(home.path)/share/applications")
    #expect(home.choices().browser?.id == "a.desktop")
    #expect(home.choices().browserCandidates[0].source.hasSuffix("mimeinfo.cache"))
  }

  @Test func dashMayStandForASlash() throws {
    let home = try Home()
    try home.program("x")
    try home.write(
      "share/applications/kde/sub-dir/x.desktop",
      "[Desktop Entry]\nType=Application\nName=x\nExec=x %u\nMimeType=\(https);\n")
    #expect(home.choices().browser?.id == "kde-sub-dir-x.desktop")
  }

  @Test func linksToDirectoriesCountAsInGIO() throws {
    let home = try Home()
    let share = home.path + "/share/applications"
    for id in ["top.desktop", "sub/a.desktop", "sub/deep/b-c.desktop"] {
      try home.application(id, exec: "x %u")
    }
    try home.application("d.desktop", exec: "x %u", in: "elsewhere")
    try home.program("x")
    for (name, target) in [
      ("twin", "sub"), ("sub-deep", "sub/deep"), ("away", "../../elsewhere/applications"),
    ] {
      #expect(symlink(target, "\(share)/\(name)") == 0)
    }
    let gio = try home.run(
      "/usr/bin/python3", "-c",
      "from gi.repository import Gio; print(*(a.get_id() for a in Gio.AppInfo.get_all()))"
    ).split(separator: " ").map(String.init)
    #expect(gio.contains("away-d.desktop"))
    #expect(Set(home.choices().browserCandidates.map(\.id)) == Set(gio))
    #expect(home.choices().browserCandidates.allSatisfy { $0.unsuitability == nil })
  }

  @Test func linksThatLeadRoundInCirclesAreNoDirectories() throws {
    let home = try Home()
    let share = home.path + "/share/applications"
    try home.application("x.desktop")
    try home.application("sub/y.desktop", exec: "x %u")
    for name in ["a", "b", "sub/up"] {
      #expect(symlink(name == "sub/up" ? ".." : ".", "\(share)/\(name)") == 0)
    }
    #expect(ApplicationDirectories.ids(in: share) == ["sub-y.desktop", "x.desktop"])
    #expect(ApplicationDirectories.file("sub-y.desktop", in: share) != nil)
    for id in ["a-x.desktop", "a-b-a-x.desktop", "sub-up-x.desktop", "sub-..-x.desktop"] {
      #expect(ApplicationDirectories.file(id, in: share) == nil, "\(id)")
    }
  }

  @Test func oneLookupEndsInALargeTree() throws {
    let home = try Home()
    let share = home.path + "/share/applications"
    try home.application("x.desktop")
    for number in 1...300 {
      try home.write("share/applications/d\(number)/x.desktop", "")
    }
    // One directory is that of all.
    #expect(ApplicationDirectories.ids(in: share).count == 256)
    #expect(ApplicationDirectories.ids(in: share).contains("x.desktop"))
    #expect(ApplicationDirectories.file("d300-x.desktop", in: share) != nil)
  }

  /// What a list takes off counts, wherever it stands.
  @Test(arguments: [
    ("config/mimeapps.list", defaults("")), ("config/mimeapps.list", added("")),
    ("share/applications/mimeinfo.cache", "[MIME Cache]\n\(https)=\n"),
  ])
  func aHundredOfOneListCount(_ name: String, _ text: String) throws {
    for (before, isNamed) in [(99, true), (100, false)] {
      let home = try Home()
      try home.application("last.desktop", types: [])
      let others = (0..<before).map { "gone-\($0).desktop;" }.joined()
      try home.write(name, text.dropLast() + "\(others)last.desktop;\n")
      if !name.hasPrefix("config") {
        for number in 0..<before {
          try home.write("share/applications/gone-\(number).desktop", "")
        }
      }
      #expect(home.choices().browserCandidates.map(\.id).contains("last.desktop") == isNamed)
      #expect((home.choices().browser?.id == "last.desktop") == isNamed)
    }
    let home = try Home()
    try home.application("last.desktop", types: [https])
    try home.write(
      "config/mimeapps.list", removed((0..<100).map { "\($0).desktop;" }.joined() + "last.desktop;")
    )
    #expect(home.choices().browserCandidates.isEmpty)
  }

  @Test(arguments: [255, 256])
  func anIDIsNoLongerThanTheNameOfAFile(_ length: Int) throws {
    let home = try Home()
    let name = String(repeating: "n", count: length - "sub-.desktop".utf8.count)
    try home.application("sub/\(name).desktop", exec: "x %u")
    let file = ApplicationDirectories.file(
      "sub-\(name).desktop", in: home.path + "/share/applications")
    #expect((file != nil) == (length == 255))
  }

  @Test(arguments: [
    "", ".desktop", "../x.desktop", "x", "/etc/passwd", "sub/x.desktop", "x\0.desktop", "-.desktop",
    "fs.sovereign.Navigation",
  ])
  func refusesWhatIsNoID(id: String) throws {
    let home = try Home()
    try home.application("x.desktop")
    try home.application("sub/x.desktop", exec: "x %u")
    #expect(home.choices().objection(toBrowser: id) == .unavailable(.notInstalled))
  }
}
