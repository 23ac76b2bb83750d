import Foundation
import Glibc
import TestSupport
import Testing

@testable import sovereign_navigation

/// `browser` and `shell` on a desktop with entries of many kinds.
@Suite struct ApplicationCommandTests {
  /// One candidate as it is to be shown.
  private struct Row {
    let id: String
    /// Below the test's directory, unless it is a setting.
    let source: String
    /// Why it is not taken.
    let reason: String?
  }

  private struct Zoo {
    let directory: TemporaryDirectory

    init() throws {
      directory = try TemporaryDirectory()
      for program in ["firefox", "exo-open", "gio", "shell", "env", "sovereign-navigation"] {
        try write("bin/\(program)", "#!/bin/sh\n", mode: 0o755)
      }
    }

    var path: String { directory.path }

    func write(_ name: String, _ text: String, mode: mode_t = 0o644) throws {
      let path = "\(path)/\(name)"
      try makeDirectories(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
      try writeFile(path, text, mode: mode)
    }

    func entry(
      _ id: String, _ keys: String, in directory: String = "share", schemes: [String] = ["https"]
    ) throws {
      let types = schemes.map { "x-scheme-handler/\($0);" }.joined()
      try write(
        "\(directory)/applications/\(id)",
        "[Desktop Entry]\nType=Application\nName=x\nMimeType=\(types)\n\(keys)\n")
    }

    func run(_ arguments: String...) throws -> CommandResult {
      try Tool.result(
        of: arguments,
        environment: [
          "HOME": path, "PATH": path + "/bin", "XDG_CONFIG_HOME": path + "/config",
          "XDG_CONFIG_DIRS": path + "/xdg", "XDG_DATA_HOME": path + "/data",
          "XDG_DATA_DIRS": path + "/share", "XDG_STATE_HOME": path + "/state",
          "XDG_CURRENT_DESKTOP": "GNOME",
        ])
    }

    /// Both forms of the answer say the same of the same candidates.
    func expect(_ role: String, chosen: String?, _ rows: [Row]) throws {
      let lines = rows.map { row in
        let isChosen = row.id == chosen
        let source = row.source.contains("/") ? "\(path)/\(row.source)" : row.source
        let verdict = row.reason ?? (isChosen ? "is used" : "could be used")
        return "\(isChosen ? "* " : "  ")\(row.id): \(verdict) (named by \(source))"
      }
      let text = try run(role)
      #expect(text.text.split(separator: "\n").map(String.init) == lines)
      #expect(text.status == 0 && text.errors.isEmpty)

      let json = try run(role, "--json")
      let object = try #require(
        try JSONSerialization.jsonObject(with: Data(json.output)) as? [String: Any])
      #expect(Set(object.keys) == [role, "candidates"])
      #expect(object[role] as? String == chosen)
      #expect(chosen != nil || object[role] is NSNull)
      let candidates = try #require(object["candidates"] as? [[String: Any]])
      #expect(candidates.map { $0["id"] as? String } == rows.map(\.id))
      for (candidate, row) in zip(candidates, rows) {
        #expect(Set(candidate.keys) == ["id", "source", "usable", "reason"])
        let source = row.source.contains("/") ? "\(path)/\(row.source)" : row.source
        #expect(candidate["source"] as? String == source, "\(row.id)")
        #expect(candidate["usable"] as? Bool == (row.reason == nil), "\(row.id)")
        #expect(candidate["reason"] as? String == row.reason, "\(row.id)")
        #expect(row.reason != nil || candidate["reason"] is NSNull, "\(row.id)")
      }
    }
  }

  @Test func showsEveryBrowserAndWhyItIsNone() throws {
    let zoo = try Zoo()
    try zoo.entry("activated.desktop", "DBusActivatable=true")
    try zoo.entry("code.desktop", "Exec=firefox %x")
    try zoo.entry("deleted.desktop", "Exec=firefox %u\nHidden=true")
    try zoo.entry("files.desktop", "Exec=firefox %f")
    try zoo.entry("fs.sovereign.Navigation.desktop", "Exec=sovereign-navigation open %u")
    try zoo.entry("garbage.desktop", "no key file")
    try zoo.entry("gone.desktop", "Exec=env A=b /opt/gone/firefox %u")
    try zoo.entry("good.desktop", "Exec=firefox %u")
    try zoo.entry("link.desktop", "Type=Link")
    try zoo.entry("none.desktop", "Icon=x")
    try zoo.entry("opener.desktop", "Exec=gio open %u")
    try zoo.entry("org.app.Web.desktop", "Exec=firefox\nDBusActivatable=true")
    try zoo.entry("quote.desktop", "Exec=firefox \"%u")
    try zoo.entry("shell.desktop", "Exec=shell %u", schemes: ["https", "sovereign"])
    try zoo.entry("terminal.desktop", "Exec=firefox %u\nTerminal=true")
    try zoo.entry("tried.desktop", "TryExec=gone\nExec=firefox %u")
    try zoo.entry("us.desktop", "Exec=env sovereign-navigation open %u")
    try zoo.entry("xfce4-web-browser.desktop", "Exec=exo-open --launch WebBrowser %u", schemes: [])
    try zoo.entry("plain.desktop", "Exec=firefox %u", schemes: ["http"])
    try zoo.write(
      "share/applications/mimeinfo.cache",
      "[MIME Cache]\nx-scheme-handler/https=activated.desktop;code.desktop;files.desktop;"
        + "fs.sovereign.Navigation.desktop;garbage.desktop;gone.desktop;good.desktop;none.desktop;"
        + "opener.desktop;org.app.Web.desktop;quote.desktop;shell.desktop;terminal.desktop;"
        + "tried.desktop;us.desktop;\nx-scheme-handler/http=plain.desktop;\n"
        + "x-scheme-handler/sovereign=shell.desktop;\n")
    try zoo.write(
      "config/gnome-mimeapps.list",
      "[Default Applications]\nx-scheme-handler/https=fs.sovereign.Navigation.desktop;\n")
    try zoo.write(
      "config/mimeapps.list",
      "[Default Applications]\nx-scheme-handler/https=uninstalled.desktop;deleted.desktop;"
        + "link.desktop;\n[Added Associations]\nx-scheme-handler/https=xfce4-web-browser.desktop;\n"
    )
    try zoo.write(
      "xdg/mimeapps.list", "[Default Applications]\nx-scheme-handler/https=good.desktop;\n")
    try zoo.write("config/xfce4/helpers.rc", "WebBrowser=helper\n")
    try zoo.write("config/kdeglobals", "[General]\nBrowserApplication=konqueror\n")

    let cache = "share/applications/mimeinfo.cache"
    let rows = [
      Row(
        id: "fs.sovereign.Navigation.desktop", source: "config/gnome-mimeapps.list",
        reason: "it is this service itself"),
      Row(
        id: "uninstalled.desktop", source: "config/mimeapps.list", reason: "it is not installed"),
      Row(
        id: "deleted.desktop", source: "config/mimeapps.list",
        reason: "it is marked as deleted: \(zoo.path)/share/applications/deleted.desktop has "
          + "Hidden=true"),
      Row(
        id: "link.desktop", source: "config/mimeapps.list",
        reason: "it is no application: \(zoo.path)/share/applications/link.desktop lacks "
          + "Type=Application"),
      Row(
        id: "xfce4-web-browser.desktop", source: "config/mimeapps.list",
        reason: "exo-open would only ask for the default application, which may be this service"),
      Row(id: "helper.desktop", source: "config/xfce4/helpers.rc", reason: "it is not installed"),
      Row(id: "good.desktop", source: "xdg/mimeapps.list", reason: nil),
      Row(id: "activated.desktop", source: cache, reason: "it has no Exec"),
      Row(id: "code.desktop", source: cache, reason: "%x in its Exec is no field code"),
      Row(id: "files.desktop", source: cache, reason: "it opens local files only"),
      Row(
        id: "garbage.desktop", source: cache,
        reason: "its file \(zoo.path)/share/applications/garbage.desktop is broken: the text is no "
          + "key file: line 5 is neither a group, a key with a value nor a comment; correct that line "
          + "or remove the file"),
      Row(id: "gone.desktop", source: cache, reason: "its program /opt/gone/firefox is not there"),
      Row(id: "none.desktop", source: cache, reason: "it has no Exec"),
      Row(
        id: "opener.desktop", source: cache,
        reason: "gio would only ask for the default application, which may be this service"),
      Row(id: "org.app.Web.desktop", source: cache, reason: nil),
      Row(id: "quote.desktop", source: cache, reason: "a quote in its Exec is not closed"),
      Row(id: "shell.desktop", source: cache, reason: "it is a Sovereign shell"),
      Row(
        id: "terminal.desktop", source: cache,
        reason: "it runs in a terminal and no terminal emulator is installed"),
      Row(id: "tried.desktop", source: cache, reason: "its program gone is not there"),
      Row(id: "us.desktop", source: cache, reason: "it is this service itself"),
      Row(id: "plain.desktop", source: cache, reason: nil),
      Row(id: "konqueror.desktop", source: "config/kdeglobals", reason: "it is not installed"),
    ]
    try zoo.expect("browser", chosen: "good.desktop", rows)

    // The user's own choice comes first; if it cannot open links, it is passed over; if only its
    // program is not there, it is kept.
    for (named, chosen) in [
      ("org.app.Web.desktop", "org.app.Web.desktop"), ("files.desktop", "good.desktop"),
      ("gone.desktop", "gone.desktop"),
    ] {
      try zoo.write("config/sovereign/navigation.conf", "[Navigation]\nBrowser=\(named)\n")
      let reason = try #require(rows.first { $0.id == named }).reason
      try zoo.expect(
        "browser", chosen: chosen,
        [Row(id: named, source: "Browser", reason: reason)] + rows.filter { $0.id != named })
    }
  }

  @Test func showsEveryShellAndWhyItIsNone() throws {
    let zoo = try Zoo()
    let sovereign = ["sovereign"]
    try zoo.entry("bare.desktop", "Exec=shell", schemes: sovereign)
    try zoo.entry("box.desktop", "Exec=shell %u\nX-Flatpak=box", schemes: sovereign)
    try zoo.entry("files.desktop", "Exec=shell %F", schemes: sovereign)
    try zoo.entry(
      "fs.sovereign.Navigation.desktop", "Exec=sovereign-navigation open %u", schemes: sovereign)
    try zoo.entry("gone.desktop", "Exec=/opt/gone.AppImage %u", schemes: sovereign)
    try zoo.entry("known.desktop", "Exec=shell %u\nX-Sovereign-Shell=true", schemes: sovereign)
    try zoo.entry("opener.desktop", "Exec=gio open %u", schemes: sovereign)
    try zoo.write(
      "config/mimeapps.list",
      "[Default Applications]\nx-scheme-handler/sovereign=fs.sovereign.Navigation.desktop;"
        + "bare.desktop;uninstalled.desktop;\n[Added Associations]\n"
        + "x-scheme-handler/sovereign=uninstalled.desktop;\n")
    let entries = "share/applications"
    try zoo.expect(
      "shell", chosen: "known.desktop",
      [
        Row(
          id: "fs.sovereign.Navigation.desktop", source: "config/mimeapps.list",
          reason: "it is this service itself"),
        Row(
          id: "uninstalled.desktop", source: "config/mimeapps.list", reason: "it is not installed"),
        Row(
          id: "box.desktop", source: "\(entries)/box.desktop",
          reason: "it is a sandboxed application; name it as the shell to trust it"),
        Row(
          id: "files.desktop", source: "\(entries)/files.desktop",
          reason: "it opens local files only"),
        Row(
          id: "gone.desktop", source: "\(entries)/gone.desktop",
          reason: "its program /opt/gone.AppImage is not there"),
        Row(id: "known.desktop", source: "\(entries)/known.desktop", reason: nil),
        Row(
          id: "opener.desktop", source: "\(entries)/opener.desktop",
          reason: "gio would only ask for the default application, which may be this service"),
        // Whatever names it: without a field code it comes last.
        Row(id: "bare.desktop", source: "config/mimeapps.list", reason: nil),
      ])
  }

  @Test func saysThatThereIsNone() throws {
    let zoo = try Zoo()
    for role in ["browser", "shell"] {
      #expect(
        try zoo.run(role).text == "no application was found that could be the \(role)")
      #expect(try zoo.run(role, "--json").text == #"{"\#(role)":null,"candidates":[]}"#)
    }
  }
}
