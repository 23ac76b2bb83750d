import Files
import Foundation
import Testing

@testable import Desktop

private let https = "x-scheme-handler/https"
private let link = "https://a.example/?b=c&d=%2F#e"

/// An application as it is installed in the wild, which the user made the default; beside it is
/// `another.desktop`, an ordinary browser.
private struct Wild: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable {
    /// The link goes to it: the words of its command.
    case runs([String])
    /// It is sent the link over the bus.
    case isSent(name: String, fallback: [String])
    /// The link goes to another application.
    case standsFor(id: String, [String])
    case isPassedOver(Unsuitability)
  }

  /// What a program of the desktop says is the default.
  enum Says: Sendable {
    case same
    /// The application that is installed, whatever becomes of a link.
    case itself(because: String)
    case another(because: String)
    case nothing(because: String)
  }

  let what: String
  let id: String
  var directory = "share"
  /// The entry as its package has it, without the translations and what is of no account here.
  let entry: String
  /// Absolute paths are below the test's directory, in the entry too.
  var programs: [String] = []
  var links: [(String, String)] = []
  var files: [(String, String)] = []
  /// Nothing else is installed, and nothing is the default.
  var isAlone = false
  let outcome: Outcome
  var gio = Says.same
  var xdgMime = Says.same

  var testDescription: String { what }
}

private let claims = "MimeType=text/html;x-scheme-handler/http;x-scheme-handler/https;\n"

private func entry(_ lines: String) -> String {
  "[Desktop Entry]\nVersion=1.0\nType=Application\nName=Browser\n\(claims)\(lines)\n"
}

private let firefoxESR = """
  [Desktop Entry]
  Name=Firefox ESR
  Comment=Browse the World Wide Web
  GenericName=Web Browser
  X-GNOME-FullName=Firefox ESR Web Browser
  Exec=/usr/lib/firefox-esr/firefox-esr %u
  Terminal=false
  X-MultipleArgs=false
  Type=Application
  Icon=firefox-esr
  Categories=Network;WebBrowser;
  MimeType=text/html;text/xml;application/xhtml+xml;application/xml;application/vnd.mozilla.xul+xml;\
  application/rss+xml;application/rdf+xml;image/gif;image/jpeg;image/png;x-scheme-handler/http;\
  x-scheme-handler/https;
  StartupWMClass=firefox-esr
  StartupNotify=true

  """

private let chromium = """
  [Desktop Entry]
  Version=1.0
  Name=Chromium Web Browser
  GenericName=Web Browser
  Comment=Access the Internet
  Exec=/usr/bin/chromium %U
  Terminal=false
  X-MultipleArgs=false
  Type=Application
  Icon=chromium
  Categories=Network;WebBrowser;
  MimeType=text/html;text/xml;application/xhtml_xml;application/x-mimearchive;\
  x-scheme-handler/http;x-scheme-handler/https;
  StartupWMClass=chromium
  StartupNotify=true
  Keywords=browser

  """

private let epiphany = """
  [Desktop Entry]
  Name=Web
  GenericName=Web Browser
  Comment=Browse the web
  # Translators: Search terms to find this application. Do NOT translate or localize the semicolons!
  Keywords=web;browser;internet;
  Exec=epiphany %U
  StartupNotify=true
  Terminal=false
  Type=Application
  Icon=org.gnome.Epiphany
  Categories=Network;GNOME;GTK;WebBrowser;
  MimeType=text/html;application/xhtml+xml;x-scheme-handler/http;x-scheme-handler/https;\
  multipart/related;application/x-mimearchive;message/rfc822;application/x-xpinstall;
  Actions=new-window;Incognito;
  X-Purism-FormFactor=Workstation;Mobile;

  """
private let epiphanyActions = """

  [Desktop Action new-window]
  Name=New Window
  Exec=epiphany --new-window %U

  [Desktop Action Incognito]
  Name=New Incognito Window
  Exec=epiphany --incognito-mode %U

  """

/// The entry of Xfce's settings, which claims nothing that others than Xfce know.
private let xfceBrowser = """
  [Desktop Entry]
  Version=1.0
  Type=Application
  Exec=exo-open --launch WebBrowser %u
  Icon=org.xfce.webbrowser
  StartupNotify=true
  Terminal=false
  Categories=Network;X-XFCE;X-Xfce-Toplevel;
  OnlyShowIn=XFCE;
  X-XFCE-MimeType=x-scheme-handler/http;x-scheme-handler/https;
  Name=Web Browser

  """
private let xfceDefaults = "WebBrowser=debian-sensible-browser\nMailReader=thunderbird\n"

/// A helper of xfce4-helpers.
private func xfceHelper(_ name: String, binaries: String) -> (String, String) {
  (
    "share/xfce4/helpers/\(name).desktop",
    """
    [Desktop Entry]
    Version=1.0
    Icon=\(name)
    Type=X-XFCE-Helper
    Name=\(name)
    StartupNotify=false
    X-XFCE-Binaries=\(binaries)
    X-XFCE-Category=WebBrowser
    X-XFCE-Commands=%B;
    X-XFCE-CommandsWithParameter=%B "%s";

    """
  )
}

private let looksNoFurther = "GIO and xdg-mime look for the first program only"
private let readsNoHidden = "neither reads Hidden of a default, which says that it is deleted"
private let asksNobody = "GIO and xdg-mime do not ask whether a program can open a link"

@Suite struct WildEntryTests {
  @Test(arguments: [
    // MARK: Packages
    Wild(
      what: "Debian's firefox-esr", id: "firefox-esr.desktop", entry: firefoxESR,
      programs: ["/usr/lib/firefox-esr/firefox-esr"],
      outcome: .runs(["/usr/lib/firefox-esr/firefox-esr", link])),
    Wild(
      what: "Debian's firefox-esr, removed but not purged", id: "firefox-esr.desktop",
      entry: firefoxESR,
      outcome: .isPassedOver(.programMissing("/usr/lib/firefox-esr/firefox-esr"))),
    Wild(
      what: "Debian's chromium", id: "chromium.desktop", entry: chromium,
      programs: ["/usr/bin/chromium"], outcome: .runs(["/usr/bin/chromium", link])),
    Wild(
      what: "Debian's Epiphany", id: "org.gnome.Epiphany.desktop",
      entry: epiphany + epiphanyActions, programs: ["epiphany"],
      outcome: .runs(["epiphany", link])),
    Wild(
      what: "Epiphany, activated over D-Bus", id: "org.gnome.Epiphany.desktop",
      entry: epiphany + "DBusActivatable=true\n" + epiphanyActions, programs: ["epiphany"],
      outcome: .isSent(name: "org.gnome.Epiphany", fallback: ["epiphany", link])),
    Wild(
      what: "a Flatpak export of Firefox", id: "org.mozilla.firefox.desktop",
      entry: entry(
        """
        Exec=/usr/bin/flatpak run --branch=stable --arch=x86_64 --command=firefox \
        --file-forwarding org.mozilla.firefox @@u %u @@
        StartupNotify=true
        X-Flatpak=org.mozilla.firefox
        """), programs: ["/usr/bin/flatpak"],
      outcome: .runs([
        "/usr/bin/flatpak", "run", "--branch=stable", "--arch=x86_64", "--command=firefox",
        "--file-forwarding", "org.mozilla.firefox", "@@u", link, "@@",
      ])),
    Wild(
      what: "a Flatpak export of Chrome, in a session that does not know of Flatpak",
      id: "com.google.Chrome.desktop", directory: "data/flatpak/exports/share",
      entry: entry(
        """
        Exec=/usr/bin/flatpak run --branch=stable --arch=x86_64 --command=/app/bin/chrome \
        --file-forwarding com.google.Chrome @@u %U @@
        X-Flatpak=com.google.Chrome
        """), programs: ["/usr/bin/flatpak"],
      outcome: .runs([
        "/usr/bin/flatpak", "run", "--branch=stable", "--arch=x86_64",
        "--command=/app/bin/chrome", "--file-forwarding", "com.google.Chrome", "@@u", link, "@@",
      ]),
      gio: .another(because: "XDG_DATA_DIRS lacks the directory"),
      xdgMime: .another(because: "XDG_DATA_DIRS lacks the directory")),
    Wild(
      what: "a Snap", id: "firefox_firefox.desktop",
      entry: entry(
        """
        X-SnapInstanceName=firefox
        X-SnapAppName=firefox
        Exec=env BAMF_DESKTOP_FILE_HINT=/var/lib/snapd/desktop/applications/firefox_firefox.desktop \
        /snap/bin/firefox %u
        """), programs: ["env", "/usr/bin/snap"], links: [("/snap/bin/firefox", "/usr/bin/snap")],
      outcome: .runs([
        "env",
        "BAMF_DESKTOP_FILE_HINT=/var/lib/snapd/desktop/applications/firefox_firefox.desktop",
        "/snap/bin/firefox", link,
      ])),
    Wild(
      what: "a Snap that was removed", id: "firefox_firefox.desktop",
      entry: entry(
        """
        X-SnapInstanceName=firefox
        Exec=env BAMF_DESKTOP_FILE_HINT=/var/lib/x.desktop /snap/bin/firefox %u
        """), programs: ["env"], outcome: .isPassedOver(.programMissing("/snap/bin/firefox")),
      gio: .itself(because: looksNoFurther), xdgMime: .itself(because: looksNoFurther)),
    Wild(
      what: "Chrome beside a web application of it", id: "google-chrome.desktop",
      entry: entry("Exec=/usr/bin/google-chrome-stable %U\nStartupNotify=true"),
      programs: ["/usr/bin/google-chrome-stable", "/opt/google/chrome/google-chrome"],
      files: [
        (
          "data/applications/chrome-cinhimbnkkaeohfgghhklpknlkffjgod-Default.desktop",
          """
          #!/usr/bin/env xdg-open
          [Desktop Entry]
          Version=1.0
          Terminal=false
          Type=Application
          Name=Music
          Exec=/opt/google/chrome/google-chrome --profile-directory=Default \
          --app-id=cinhimbnkkaeohfgghhklpknlkffjgod
          Icon=chrome-cinhimbnkkaeohfgghhklpknlkffjgod-Default
          StartupWMClass=crx_cinhimbnkkaeohfgghhklpknlkffjgod

          """
        )
      ], outcome: .runs(["/usr/bin/google-chrome-stable", link])),
    Wild(
      what: "a web application of Chrome that the user made the default",
      id: "chrome-cinhimbnkkaeohfgghhklpknlkffjgod-Default.desktop",
      entry: """
        #!/usr/bin/env xdg-open
        [Desktop Entry]
        Version=1.0
        Terminal=false
        Type=Application
        Name=Music
        Exec=/opt/google/chrome/google-chrome "--profile-directory=Profile 1" \
        --app-id=cinhimbnkkaeohfgghhklpknlkffjgod %U
        MimeType=x-scheme-handler/web+music
        StartupWMClass=crx_cinhimbnkkaeohfgghhklpknlkffjgod

        """, programs: ["/opt/google/chrome/google-chrome"],
      outcome: .runs([
        "/opt/google/chrome/google-chrome", "--profile-directory=Profile 1",
        "--app-id=cinhimbnkkaeohfgghhklpknlkffjgod", link,
      ])),

    // MARK: Commands
    Wild(
      what: "several words", id: "jailed.desktop",
      entry: entry("Exec=firejail --profile=/etc/firejail/firefox.profile firefox %u"),
      programs: ["firejail", "firefox"],
      outcome: .runs(["firejail", "--profile=/etc/firejail/firefox.profile", "firefox", link])),
    Wild(
      what: "quotes", id: "vendor.desktop",
      entry: entry(#"Exec="/opt/My Browser/browser" "--class=a \\"b\\" \\$c" '--x=y z' %u"#),
      programs: ["/opt/My Browser/browser"],
      outcome: .runs(["/opt/My Browser/browser", #"--class=a "b" $c"#, "--x=y z", link]),
      xdgMime: .another(because: "xdg-mime cuts a command at its spaces")),
    Wild(
      what: "env with a variable", id: "wayland.desktop",
      entry: entry("Exec=env MOZ_ENABLE_WAYLAND=1 firefox %u"), programs: ["env", "firefox"],
      outcome: .runs(["env", "MOZ_ENABLE_WAYLAND=1", "firefox", link])),
    Wild(
      what: "a variable without env", id: "wayland.desktop",
      entry: entry("Exec=MOZ_ENABLE_WAYLAND=1 firefox %u"), programs: ["firefox"],
      outcome: .isPassedOver(.notRunnable(.assignmentAsProgram("MOZ_ENABLE_WAYLAND=1")))),
    Wild(
      what: "TryExec there", id: "tried.desktop", entry: entry("TryExec=firefox\nExec=firefox %u"),
      programs: ["firefox"], outcome: .runs(["firefox", link])),
    Wild(
      what: "TryExec missing", id: "tried.desktop",
      entry: entry("TryExec=/opt/gone/firefox\nExec=firefox %u"), programs: ["firefox"],
      outcome: .isPassedOver(.programMissing("/opt/gone/firefox")),
      xdgMime: .itself(because: "xdg-mime does not read TryExec")),
    Wild(
      what: "no Exec", id: "none.desktop", entry: entry("Icon=x"),
      outcome: .isPassedOver(.hasNoCommand), gio: .itself(because: asksNobody)),
    Wild(
      what: "no field code", id: "bare.desktop", entry: entry("Exec=firefox --new-tab"),
      programs: ["firefox"], outcome: .runs(["firefox", "--new-tab", link])),
    Wild(
      what: "%f only", id: "files.desktop", entry: entry("Exec=firefox %f"), programs: ["firefox"],
      outcome: .isPassedOver(.filesOnly), gio: .itself(because: asksNobody),
      xdgMime: .itself(because: asksNobody)),
    Wild(
      what: "%F only", id: "files.desktop", entry: entry("Exec=firefox %F"), programs: ["firefox"],
      outcome: .isPassedOver(.filesOnly), gio: .itself(because: asksNobody),
      xdgMime: .itself(because: asksNobody)),
    Wild(
      what: "a script with the link in its text", id: "script.desktop",
      entry: entry("Exec=sh -c 'firefox %u'"), programs: ["sh", "firefox"],
      outcome: .isPassedOver(.notRunnable(.misplacedCode("%u"))),
      gio: .itself(because: "the specification leaves open what a code in quotes is"),
      xdgMime: .itself(because: asksNobody)),
    Wild(
      what: "a script with the link as its argument", id: "script.desktop",
      entry: entry(#"Exec=sh -c 'exec firefox "$1"' sh %u"#), programs: ["sh", "firefox"],
      outcome: .runs(["sh", "-c", #"exec firefox "$1""#, "sh", link])),
    Wild(
      what: "Terminal=true", id: "w3m.desktop", entry: entry("Exec=w3m %u\nTerminal=true"),
      programs: ["w3m", "x-terminal-emulator"],
      outcome: .runs(["x-terminal-emulator", "-e", "/bin/w3m", link])),
    Wild(
      what: "Terminal=true without a terminal", id: "w3m.desktop",
      entry: entry("Exec=w3m %u\nTerminal=true"), programs: ["w3m"],
      outcome: .isPassedOver(.noTerminal), gio: .itself(because: asksNobody),
      xdgMime: .itself(because: asksNobody)),

    // MARK: Files
    Wild(
      what: "Hidden", id: "hidden.desktop", entry: entry("Exec=firefox %u\nHidden=true"),
      programs: ["firefox"],
      outcome: .isPassedOver(.unavailable(.hidden(path: "/share/applications/hidden.desktop"))),
      gio: .itself(because: readsNoHidden), xdgMime: .itself(because: readsNoHidden)),
    Wild(
      what: "no application", id: "place.desktop",
      entry: "[Desktop Entry]\nType=Link\nName=Place\nURL=https://a.example/\n",
      outcome: .isPassedOver(
        .unavailable(.notApplication(path: "/share/applications/place.desktop")))),
    Wild(
      what: "symbolic links to the entry and to the program", id: "firefox.desktop",
      entry: entry("Exec=/usr/bin/firefox %u"), programs: ["/opt/firefox/firefox-bin"],
      links: [
        ("/data/applications/firefox.desktop", "/opt/firefox/browser.desktop"),
        ("/opt/firefox/browser.desktop", "/share/applications/firefox.desktop"),
        ("/usr/bin/firefox", "/opt/firefox/firefox-bin"),
      ], outcome: .runs(["/usr/bin/firefox", link])),
    Wild(
      what: "a symbolic link to nothing does not stand for the entry below", id: "firefox.desktop",
      entry: entry("Exec=firefox %u"), programs: ["firefox"],
      links: [("/data/applications/firefox.desktop", "/opt/gone.desktop")],
      outcome: .runs(["firefox", link])),
    Wild(
      what: "an override of the user", id: "firefox.desktop", entry: entry("Exec=firefox %u"),
      programs: ["firefox", "env"],
      files: [
        (
          "data/applications/firefox.desktop",
          entry("Exec=env MOZ_USE_XINPUT2=1 firefox -P work %u")
        )
      ], outcome: .runs(["env", "MOZ_USE_XINPUT2=1", "firefox", "-P", "work", link])),
    Wild(
      what: "an override of the user that opens links with the default", id: "firefox.desktop",
      entry: entry("Exec=firefox %u"), programs: ["firefox", "xdg-open"],
      files: [("data/applications/firefox.desktop", entry("Exec=xdg-open %u"))],
      outcome: .isPassedOver(.genericOpener("xdg-open")), gio: .itself(because: asksNobody),
      xdgMime: .itself(because: asksNobody)),

    // MARK: Alternatives
    Wild(
      what: "an alternative that leads to us", id: "debian-browser.desktop",
      entry: entry("Exec=/usr/bin/x-www-browser %u"), programs: ["/usr/bin/sovereign-navigation"],
      links: [
        ("/usr/bin/x-www-browser", "/etc/alternatives/x-www-browser"),
        ("/etc/alternatives/x-www-browser", "/usr/bin/sovereign-navigation"),
      ], outcome: .isPassedOver(.ourselves), gio: .itself(because: asksNobody),
      xdgMime: .itself(because: asksNobody)),
    Wild(
      what: "an alternative, which may lead to us tomorrow", id: "debian-browser.desktop",
      entry: entry("Exec=x-www-browser %u"), programs: ["/usr/bin/chromium"],
      links: [
        ("/bin/x-www-browser", "/etc/alternatives/x-www-browser"),
        ("/etc/alternatives/x-www-browser", "/usr/bin/chromium"),
      ], outcome: .isPassedOver(.genericOpener("x-www-browser")), gio: .itself(because: asksNobody),
      xdgMime: .itself(because: asksNobody)),
    Wild(
      what: "an alternative of our own name that leads to a browser", id: "browser.desktop",
      entry: entry("Exec=/usr/bin/browser %u"), programs: ["/usr/bin/chromium"],
      links: [
        ("/usr/bin/browser", "/etc/alternatives/browser"),
        ("/etc/alternatives/browser", "/usr/bin/chromium"),
      ], outcome: .runs(["/usr/bin/browser", link])),

    // MARK: Desktops
    Wild(
      what: "Xfce with the helper that Debian sets", id: "xfce4-web-browser.desktop",
      entry: xfceBrowser, programs: ["exo-open", "sensible-browser"],
      files: [
        ("xdg/xfce4/helpers.rc", xfceDefaults),
        xfceHelper("debian-sensible-browser", binaries: "sensible-browser;"),
      ], outcome: .isPassedOver(.genericOpener("exo-open")),
      gio: .itself(because: "the helper is Xfce's own matter"),
      xdgMime: .itself(because: "the helper is Xfce's own matter")),
    Wild(
      what: "Xfce with a helper of its own", id: "xfce4-web-browser.desktop",
      entry: xfceBrowser, programs: ["exo-open", "mozilla-firefox"],
      files: [
        ("xdg/xfce4/helpers.rc", xfceDefaults),
        ("config/xfce4/helpers.rc", "WebBrowser=firefox\n"),
        xfceHelper(
          "firefox",
          binaries: "firefox;firefox-gtk2;firefox-gtk;mozilla-firefox;org.mozilla.firefox;"),
      ], outcome: .standsFor(id: "firefox.desktop", ["mozilla-firefox", link]),
      gio: .itself(because: "the helper is Xfce's own matter"),
      xdgMime: .itself(because: "the helper is Xfce's own matter")),
    Wild(
      what: "Xfce with a custom helper", id: "xfce4-web-browser.desktop",
      entry: xfceBrowser, programs: ["exo-open", "/opt/browser/start"],
      files: [
        ("config/xfce4/helpers.rc", "WebBrowser=custom-WebBrowser\n"),
        (
          "data/xfce4/helpers/custom-WebBrowser.desktop",
          """
          [Desktop Entry]
          NoDisplay=true
          Version=1.0
          Encoding=UTF-8
          Type=X-XFCE-Helper
          X-XFCE-Category=WebBrowser
          X-XFCE-CommandsWithParameter=/opt/browser/start --profile x "%s"
          Icon=start
          Name=start
          X-XFCE-Commands=/opt/browser/start

          """
        ),
      ],
      outcome: .standsFor(
        id: "custom-WebBrowser.desktop", ["/opt/browser/start", "--profile", "x", link]),
      gio: .itself(because: "the helper is Xfce's own matter"),
      xdgMime: .itself(because: "the helper is Xfce's own matter")),
    Wild(
      what: "KDE's setting of an entry that claims nothing", id: "falkon.desktop",
      entry: "[Desktop Entry]\nType=Application\nName=Falkon\nExec=falkon %u\n",
      programs: ["falkon"],
      files: [
        ("config/kdeglobals", "[General]\nBrowserApplication=falkon.desktop\n")
      ], isAlone: true, outcome: .runs(["falkon", link]),
      gio: .nothing(because: "the setting is KDE's own matter"),
      xdgMime: .nothing(because: "the setting is KDE's own matter")),
    Wild(
      what: "KDE's setting of a command", id: "falkon.desktop",
      entry: "[Desktop Entry]\nType=Application\nName=Falkon\nExec=falkon %u\n",
      programs: ["falkon", "start-it"],
      files: [
        ("xdg/kdeglobals", "[General]\nBrowserApplication[$e]=!start-it --new-window\n")
      ], isAlone: true,
      outcome: .standsFor(id: "start-it.desktop", ["start-it", "--new-window", link]),
      gio: .nothing(because: "the setting is KDE's own matter"),
      xdgMime: .nothing(because: "the setting is KDE's own matter")),
    Wild(
      what: "KDE's setting besides a default", id: "firefox.desktop",
      entry: entry("Exec=firefox %u"), programs: ["firefox", "start-it"],
      files: [("config/kdeglobals", "[General]\nBrowserApplication=!start-it\n")],
      outcome: .runs(["firefox", link])),
  ])
  fileprivate func becomesOfIt(_ row: Wild) throws {
    let home = try Home()
    try install(row, home)
    let defaults = row.isAlone ? "" : "\(row.id);another.desktop;"
    if !row.isAlone { try setDefaults(defaults, home) }

    let chosen: String
    switch row.outcome {
    case .runs(let words):
      chosen = row.id
      try expectBrowser(home, id: row.id, words)
    case .isSent(let name, let words):
      chosen = row.id
      try expectBrowser(home, id: row.id, words, busName: name)
    case .standsFor(let id, let words):
      chosen = id
      try expectBrowser(home, id: id, words)
    case .isPassedOver(let reason):
      chosen = "another.desktop"
      try expectBrowser(home, id: chosen, ["another", link])
      let candidate = home.choices().browserCandidates.first { $0.id == row.id }
      #expect(candidate?.unsuitability.map { "\($0)" } == placed("\(reason)", home))
    }
    try expectDefaults(home, row, chosen: chosen)

    // Where this service is the default, the desktop says so and the link still goes there.
    let candidates = home.choices().browserCandidates
    let ours = DesktopEntry.ours
    try home.application(ours, exec: "sovereign-navigation open %u", types: [])
    try home.program("sovereign-navigation")
    try setDefaults("\(ours);\(defaults)", home)
    #expect(try home.gioDefault(https) == ours)
    #expect(try home.xdgMimeDefault(https) == ours)
    #expect(home.choices().browserCandidates.first?.unsuitability == .ourselves)
    #expect(Array(home.choices().browserCandidates.dropFirst()) == candidates)
    #expect(home.choices().browser?.id == chosen)
  }

  /// Programs are looked for where the session has them, not where a service was started.
  @Test func programOnlyInThePathOfTheManager() throws {
    let home = try Home()
    try home.application("another.desktop")
    try home.application("work.desktop", exec: "work-browser %u")
    try home.write("managers/work-browser", "#!/bin/sh\n")
    chmod(home.path + "/managers/work-browser", 0o755)
    _ = try home.run("/usr/bin/update-desktop-database", home.path + "/share/applications")
    try setDefaults("work.desktop;another.desktop;", home)
    let service = home.environment
    let manager = service.merging(["PATH": "\(home.path)/managers:\(home.path)/bin"]) { $1 }
    let answers = try GIOAnswer.all(of: [https], [service, manager])
    let choices = [service, manager].map {
      ApplicationChoices(BaseDirectories(environment: $0), browser: nil, shell: nil)
    }
    #expect(choices.map { $0.browser?.id } == ["another.desktop", "work.desktop"])
    #expect(answers.map { $0[https]?.default?.id } == choices.map { $0.browser?.id })
    let plan = try #require(
      try choices[1].browser?.launchPlans(urls: [link], searchPath: choices[1].searchPath).first)
    #expect(
      plan.method
        == .exec(
          .init(
            program: home.path + "/managers/work-browser", arguments: ["work-browser", link],
            workingDirectory: nil)))
  }

  private func setDefaults(_ ids: String, _ home: Home) throws {
    try home.write("config/mimeapps.list", "[Default Applications]\n\(https)=\(ids)\n")
  }

  private func install(_ row: Wild, _ home: Home) throws {
    func make(_ path: String) throws {
      try FileManager.default.createDirectory(
        atPath: String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]),
        withIntermediateDirectories: true)
    }
    for program in row.programs {
      let path = program.hasPrefix("/") ? program : "/bin/\(program)"
      try make(home.path + path)
      try "#!/bin/sh\n".write(toFile: home.path + path, atomically: false, encoding: .utf8)
      chmod(home.path + path, 0o755)
    }
    if !row.isAlone { try home.application("another.desktop") }
    for (name, text) in [("\(row.directory)/applications/\(row.id)", row.entry)] + row.files {
      try make("\(home.path)/\(name)")
      try home.write(name, placed(text, home))
    }
    for (name, target) in row.links {
      try make(home.path + name)
      symlink(home.path + target, home.path + name)
    }
    for directory in ["data", "share"] {
      _ = try home.run("/usr/bin/update-desktop-database", "\(home.path)/\(directory)/applications")
    }
  }

  /// A text with its absolute paths moved below the directory of the test.
  private func placed(_ text: String, _ home: Home) -> String {
    var text = text
    for root in ["/usr/", "/opt/", "/snap/", "/share/"] {
      text = text.replacing(root, with: home.path + root)
    }
    // An interpreter in a comment.
    return text.replacing("#!\(home.path)", with: "#!")
  }

  private func expectBrowser(
    _ home: Home, id: String, _ words: [String], busName: String? = nil
  ) throws {
    let choices = home.choices()
    let entry = try #require(choices.browser)
    #expect(entry.id == id)
    let plans = try entry.launchPlans(urls: [link], searchPath: choices.searchPath)
    #expect(plans.count == 1)
    let execution: LaunchPlan.Execution?
    switch plans[0].method {
    case .exec(let own):
      #expect(busName == nil)
      execution = own
    case .bus(let name, let objectPath, let uris, let fallback):
      #expect(name == busName)
      #expect(objectPath == "/org/gnome/Epiphany")
      #expect(uris == [link])
      execution = fallback
    }
    #expect(execution?.arguments.map { $0.replacing(home.path, with: "") } == words)
    let program = words[0].hasPrefix("/") ? words[0] : "/bin/" + words[0]
    #expect(execution?.program == home.path + program)
  }

  private func expectDefaults(_ home: Home, _ row: Wild, chosen: String) throws {
    for (says, answer) in [
      (row.gio, try home.gioDefault(https)), (row.xdgMime, try home.xdgMimeDefault(https)),
    ] {
      switch says {
      case .same: #expect(answer == chosen)
      case .itself(let reason): #expect(answer == row.id && answer != chosen, "\(reason)")
      case .another(let reason):
        #expect(answer == "another.desktop" && answer != chosen, "\(reason)")
      case .nothing(let reason): #expect(answer == nil, "\(reason)")
      }
    }
  }
}
