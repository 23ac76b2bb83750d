import TestSupport
import Testing

@testable import Launcher

private let ids = [
  "org.mozilla.firefox", "google-chrome", "firefox", "a", "x_y:z", ".hidden", "..", "a.b.",
  "with space", "50%", "back\\slash", "\\x2d", "\\x", "at@sign", "a@b@c", "é", "日本語", "~", "$HOME",
  "fs.sovereign.Navigation", "org.kde.app-autostart", "-", "--", "app-x", "tab\there", "new\nline",
  "org.example.service", "a.service", "a.scope", "desktop", "😀", "\u{7F}",
]

@Suite struct UnitNameTests {
  private func systemdEscape(_ arguments: String...) throws -> String {
    let child = try Child(["systemd-escape"] + arguments, environment: ["PATH": "/usr/bin:/bin"])
    return try child.wait().text
  }

  @Test(arguments: ids) func aNameIsEscapedAsSystemdDoes(_ id: String) throws {
    let name = UnitName.make(applicationID: id + ".desktop", random: 0xAB)
    let escaped = try systemdEscape("--", id)
    #expect(name == "app-sovereign-\(escaped)@00000000000000ab.service")
  }

  @Test(arguments: ids) func theIDComesBack(_ id: String) {
    for random in [0, 1, UInt64.max] {
      #expect(
        UnitName.applicationID(ofUnit: UnitName.make(applicationID: id, random: random)) == id)
      #expect(
        UnitName.make(applicationID: id, random: random)
          == UnitName.make(applicationID: id + ".desktop", random: random))
    }
  }

  /// As xdg-desktop-portal reads the names of services.
  @Test(arguments: ids) func thePortalReadsTheSameID(_ id: String) throws {
    let name = UnitName.make(applicationID: id, random: .max)
    let portal = /^app-(?:[[:alnum:]]+\-)?(.+?)(?:@[[:alnum:]]*)?\.service$/
    let escaped = try #require(name.wholeMatch(of: portal)).1
    // The trailing point keeps the line ends that belong to the name.
    let escapedPoint = "\(escaped)."
    #expect(try systemdEscape("--unescape", "--", escapedPoint) == id + ".")
  }

  @Test(arguments: [
    // https://systemd.io/DESKTOP_ENVIRONMENTS/
    ("app-gnome-org.gnome.Evince@12345.service", "org.gnome.Evince"),
    ("app-gnome-org.gnome.Evince-12345.scope", "org.gnome.Evince"),
    ("app-flatpak-org.telegram.desktop@12345.service", "org.telegram.desktop"),
    ("app-KDE-org.kde.okular@12345.service", "org.kde.okular"),
    ("app-org.kde.amarok.service", "org.kde.amarok"),
    ("app-org.gnome.Evince-12345.scope", "org.gnome.Evince"),
    // What desktops make.
    ("app-gnome-google\\x2dchrome-4711.scope", "google-chrome"),
    ("app-firefox@0123456789abcdef0123456789abcdef.service", "firefox"),
    ("app-org.kde.konsole@autostart.service", "org.kde.konsole"),
    ("app-org.example.App@.service", "org.example.App"),
    ("app-fs.sovereign.desktop-1.scope", "fs.sovereign.desktop"),
    ("app-caf\\xc3\\xa9@1.service", "café"),
    ("dbus-:1.2-org.example.A\\x2db_c@0.service", "org.example.A-b_c"),
  ])
  func namesOfOthersAreRead(_ name: String, _ id: String) {
    #expect(UnitName.applicationID(ofUnit: name) == id)
  }

  @Test(arguments: [
    "", "app-", "app", "firefox.service", "session-2.scope", "dbus.service", "dbus-broker.service",
    "app.slice",
    "app-firefox.slice", "app-firefox", "app-firefox.scope", "app-.service.d",
    // Neither of these says which part is the id.
    "app-sovereign-org.mozilla.firefox-12345.service", "app-a-b-c-d.scope",
    // Escapes that are none.
    "app-x\\x2@1.service", "app-x\\x@1.service", "app-x\\xzz@1.service", "app-x\\xff@1.service",
  ])
  func whatNamesNoApplicationIsNone(_ name: String) {
    #expect(UnitName.applicationID(ofUnit: name) == nil)
  }

  @Test func aNameOfExactlyTheLimitIsNotCut() {
    let room = 255 - "app-sovereign-".utf8.count - "@0000000000000000.service".utf8.count
    let fits = String(repeating: "x", count: room)
    let name = UnitName.make(applicationID: fits, random: 0)
    #expect(name.utf8.count == 255)
    #expect(UnitName.applicationID(ofUnit: name) == fits)

    let cut = UnitName.make(applicationID: fits + "x", random: 0)
    #expect(cut.utf8.count == 255)
    #expect(UnitName.applicationID(ofUnit: cut)?.hasPrefix("xxx") == true)
    #expect(cut != UnitName.make(applicationID: fits + "y", random: 0))
  }

  @Test(arguments: 0..<8) func aCutNeverTearsAnEscape(_ shift: Int) throws {
    // Four bytes for each dash, at every offset to the limit.
    let id = String(repeating: "a", count: shift) + String(repeating: "-", count: 200)
    let name = UnitName.make(applicationID: id, random: 0)
    #expect((252...255).contains(name.utf8.count))
    let read = try #require(UnitName.applicationID(ofUnit: name))
    let kept = try #require(read.split(separator: "_").first)
    #expect(id.hasPrefix(kept))
    #expect(name != UnitName.make(applicationID: id + "-", random: 0))
  }
}
