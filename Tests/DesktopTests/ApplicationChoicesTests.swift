import Foundation
import Testing

@testable import Desktop

private let https = "x-scheme-handler/https"
private let sovereign = "x-scheme-handler/sovereign"

/// An entry of a kind found in the wild, the only one installed, and whether it can be the browser.
private struct Wild: Sendable, CustomTestStringConvertible {
  let what: String
  var id = "wild.desktop"
  let exec: String?
  var more = ""
  var programs: [String] = ["wild"]
  var links: [(String, String)] = []
  /// What it runs for a link, or why it is none.
  let expected: Result<[String], Unsuitability>
  var testDescription: String { what }
}

/// An entry whose program is not there, the only one installed.
private struct Dead: Sendable, CustomTestStringConvertible {
  let what: String
  let exec: String
  var types = [https, sovereign]
  var more = ""
  var asBrowser = Unsuitability.programMissing("gone")
  var asShell = Unsuitability.programMissing("gone")
  /// What it is where the user names it.
  var isNamedBrowser = false
  var isNamedShell = true
  var testDescription: String { what }
}

private let link = "https://a.example/"

@Suite struct ApplicationChoicesTests {
  @Test(arguments: [
    Wild(
      what: "Debian's firefox-esr", exec: "/usr/lib/firefox-esr/firefox-esr %u",
      expected: .failure(.programMissing("/usr/lib/firefox-esr/firefox-esr"))),
    Wild(what: "Debian's chromium", exec: "wild %U", expected: .success(["wild", link])),
    Wild(
      what: "a Flatpak export", id: "org.mozilla.firefox.desktop",
      exec: "flatpak run --branch=stable --file-forwarding org.mozilla.firefox @@u %u @@",
      more: "X-Flatpak=org.mozilla.firefox\n", programs: ["flatpak"],
      expected: .success(
        [
          "flatpak", "run", "--branch=stable", "--file-forwarding", "org.mozilla.firefox", "@@u",
          link, "@@",
        ])),
    Wild(
      what: "a Snap wrapper", id: "firefox_firefox.desktop",
      exec: "env BAMF_DESKTOP_FILE_HINT=/var/lib/x.desktop wild %u",
      more: "X-SnapInstanceName=firefox\n", programs: ["env", "wild"],
      expected: .success(["env", "BAMF_DESKTOP_FILE_HINT=/var/lib/x.desktop", "wild", link])),
    Wild(
      what: "a Chrome web application", exec: "wild --profile-directory=Default --app-id=abc %U",
      expected: .success(["wild", "--profile-directory=Default", "--app-id=abc", link])),
    Wild(
      what: "quotes", exec: "\"wild\" \"--class=a b\" %u",
      expected: .success(["wild", "--class=a b", link])),
    Wild(
      what: "env with a missing program", exec: "env -u X A=b --unset=Y gone %u",
      programs: ["env"], expected: .failure(.programMissing("gone"))),
    Wild(
      what: "env with options", exec: "env -i -u X A=b wild %u", programs: ["env", "wild"],
      expected: .success(["env", "-i", "-u", "X", "A=b", "wild", link])),
    Wild(what: "a missing program", exec: "gone %u", expected: .failure(.programMissing("gone"))),
    Wild(
      what: "a relative path", exec: "bin/wild %u",
      expected: .failure(.programMissing("bin/wild"))),
    Wild(
      what: "TryExec missing", exec: "wild %u", more: "TryExec=gone\n",
      expected: .failure(.programMissing("gone"))),
    Wild(
      what: "TryExec there", exec: "wild %u", more: "TryExec=wild\n",
      expected: .success(["wild", link])),
    Wild(
      what: "NoDisplay still handles", exec: "wild %u", more: "NoDisplay=true\n",
      expected: .success(["wild", link])),
    Wild(what: "no Exec", exec: nil, expected: .failure(.hasNoCommand)),
    Wild(what: "an empty Exec", exec: "", expected: .failure(.hasNoCommand)),
    Wild(what: "no field code", exec: "wild -new", expected: .success(["wild", "-new", link])),
    Wild(what: "files only", exec: "wild %f", expected: .failure(.filesOnly)),
    Wild(
      what: "an unknown field code", exec: "wild %x %u",
      expected: .failure(.notRunnable(.unknownCode("%x")))),
    Wild(
      what: "a terminal and none there", exec: "wild %u", more: "Terminal=true\n",
      expected: .failure(.noTerminal)),
    Wild(
      what: "a terminal", exec: "wild %u", more: "Terminal=true\n", programs: ["wild", "xterm"],
      expected: .success(["xterm", "-e", "/bin/wild", link])),
    Wild(
      what: "a link to the program", exec: "alias %u", links: [("alias", "wild")],
      expected: .success(["alias", link])),
    Wild(
      what: "D-Bus activated without field code", id: "org.gnome.Epiphany.desktop",
      exec: "wild", more: "DBusActivatable=true\n", expected: .success(["wild", link])),
    Wild(
      what: "ourselves by id", id: "fs.sovereign.Navigation.desktop", exec: "wild %u",
      expected: .failure(.ourselves)),
    Wild(
      what: "ourselves by program", exec: "/opt/x/sovereign-navigation open %u",
      expected: .failure(.ourselves)),
    Wild(
      what: "ourselves by link", exec: "alias %u",
      programs: ["sovereign-navigation"], links: [("alias", "sovereign-navigation")],
      expected: .failure(.ourselves)),
    Wild(
      what: "ourselves through env and a link", exec: "env A=b alias %u",
      programs: ["env", "sovereign-navigationd"], links: [("alias", "sovereign-navigationd")],
      expected: .failure(.ourselves)),
    Wild(
      what: "ourselves through a shell", exec: "sh -c 'exec sovereign-navigation open \"$1\"' x %u",
      programs: ["sh"], expected: .failure(.ourselves)),
    Wild(
      what: "ourselves by bus name", exec: "busctl --user call fs.sovereign.Navigation x %u",
      programs: ["busctl"], expected: .failure(.ourselves)),
    Wild(
      what: "xdg-open", exec: "xdg-open %u", programs: ["xdg-open"],
      expected: .failure(.genericOpener("xdg-open"))),
    Wild(
      what: "xdg-open by path", exec: "/usr/bin/xdg-open %u",
      expected: .failure(.genericOpener("xdg-open"))),
    Wild(
      what: "xdg-open behind a link", exec: "wild %u", programs: ["xdg-open"],
      links: [("wild", "xdg-open")], expected: .failure(.genericOpener("xdg-open"))),
    Wild(
      what: "gio open", exec: "gio open %u", programs: ["gio"],
      expected: .failure(.genericOpener("gio"))),
    Wild(
      what: "an opener through env", exec: "env LANG=C kde-open5 %u", programs: ["env"],
      expected: .failure(.genericOpener("kde-open5"))),
    Wild(
      what: "an opener through a shell", exec: "bash -c \"exec xdg-open \\\\\"$1\\\\\"\" x %u",
      programs: ["bash"], expected: .failure(.genericOpener("xdg-open"))),
    Wild(
      what: "an opener through other wrappers", exec: "taskset -c 0 sudo -u me xdg-open %u",
      programs: ["taskset"], expected: .failure(.genericOpener("xdg-open"))),
    Wild(
      what: "an opener through strace", exec: "strace -f xdg-open %u", programs: ["strace"],
      expected: .failure(.genericOpener("xdg-open"))),
    Wild(
      what: "an opener through a version of an interpreter", exec: "python3.11 -m webbrowser %u",
      programs: ["python3.11"], expected: .failure(.genericOpener("webbrowser"))),
    Wild(
      what: "a browser through a wrapper", exec: "taskset -c 0 wild %u",
      programs: ["taskset", "wild"], expected: .success(["taskset", "-c", "0", "wild", link])),
    Wild(
      what: "a link as a script", exec: "sh -c %u", programs: ["sh"],
      expected: .failure(.notRunnable(.misplacedCode("%u")))),
    Wild(
      what: "a shell behind a link", exec: "wild -c 'xdg-open \"$1\"' x %u", programs: ["sh"],
      links: [("wild", "sh")], expected: .failure(.genericOpener("xdg-open"))),
    Wild(
      what: "the alternative of browsers, whatever it leads to", exec: "x-www-browser %u",
      programs: ["wild"], links: [("x-www-browser", "wild")],
      expected: .failure(.genericOpener("x-www-browser"))),
    Wild(
      what: "an opener's name as an assignment only", exec: "env BROWSER=xdg-open wild %u",
      programs: ["env", "wild"], expected: .success(["env", "BROWSER=xdg-open", "wild", link])),
    Wild(
      what: "a word like an opener of a program that is no wrapper", exec: "wild xdg-open %u",
      expected: .success(["wild", "xdg-open", link])),
  ])
  fileprivate func browserOfTheWild(_ row: Wild) throws {
    let home = try Home()
    for program in row.programs where !row.links.contains(where: { $0.0 == program }) {
      try home.program(program)
    }
    for (name, target) in row.links { home.link(name, to: target) }
    let exec = row.exec.map { "Exec=\($0)\n" } ?? ""
    try home.write(
      "share/applications/\(row.id)",
      "[Desktop Entry]\nType=Application\nName=Wild\n\(exec)MimeType=\(https);\n\(row.more)")
    let choices = home.choices()
    let candidate = try #require(choices.browserCandidates.first)
    #expect(choices.browserCandidates.count == 1)
    #expect(candidate.id == row.id)
    switch row.expected {
    case .failure(let reason):
      #expect(candidate.unsuitability == reason)
      #expect(choices.browser == nil)
      #expect(choices.objection(toBrowser: row.id) == reason)
    case .success(let arguments):
      #expect(candidate.unsuitability == nil)
      let entry = try #require(choices.browser)
      let plans = try entry.launchPlans(urls: [link], searchPath: choices.searchPath)
      #expect(plans.count == 1)
      let execution: LaunchPlan.Execution? =
        switch plans[0].method {
        case .exec(let execution): execution
        case .bus(_, _, _, let fallback): fallback
        }
      #expect(execution?.arguments.map { $0.replacing(home.path, with: "") } == arguments)
      #expect(execution?.program == home.path + "/bin/" + arguments[0])
      let file = "\(home.path)/share/applications/\(row.id)"
      #expect(try home.run("/usr/bin/desktop-file-validate", "--no-hints", file) == "")
    }
    // gio lists what it could start; it does not look behind env, nor whether there is an Exec.
    _ = try home.run("/usr/bin/update-desktop-database", "\(home.path)/share/applications")
    let gio = try home.run("/usr/bin/gio", "mime", https).contains(row.id)
    switch row.expected {
    case .success: #expect(gio)
    case .failure(.programMissing) where !row.programs.contains("env"): #expect(!gio)
    case .failure: break
    }
  }

  @Test func orderOfTheBrowsers() throws {
    let home = try Home()
    for id in ["a", "b", "c", "d", "e", "f"] { try home.application("\(id).desktop") }
    try home.application("fs.sovereign.Navigation.desktop")
    try home.application("shell.desktop", types: [https, sovereign])
    try home.write(
      "config/mimeapps.list",
      "[Default Applications]\n\(https)=fs.sovereign.Navigation.desktop;gone.desktop;c.desktop;\n"
        + "[Added Associations]\n\(https)=d.desktop;\n")
    try home.write("xdg/mimeapps.list", "[Default Applications]\n\(https)=e.desktop;\n")
    let choices = home.choices(browser: "a.desktop", previous: "b.desktop")
    #expect(
      choices.browserCandidates.map(\.id)
        == [
          "a", "b", "fs.sovereign.Navigation", "gone", "c", "d", "e", "f", "shell",
        ].map { $0 + ".desktop" })
    #expect(
      choices.browserCandidates.map(\.unsuitability) == [
        nil, nil, .ourselves, .unavailable(.notInstalled), nil, nil, nil, nil, .shell,
      ])
    #expect(choices.browserCandidates[0].source == "Browser")
    #expect(choices.browserCandidates[4].source == home.path + "/config/mimeapps.list")
    #expect(choices.browser?.id == "a.desktop")
    #expect(home.choices(browser: "gone.desktop", previous: "b.desktop").browser?.id == "b.desktop")
    #expect(home.choices().browser?.id == "c.desktop")
    // What a link would be sent round in circles by.
    for id in ["fs.sovereign.Navigation.desktop", "shell.desktop"] {
      #expect(home.choices(browser: id).browser?.id == "c.desktop")
      #expect(home.choices().objection(toBrowser: id) != nil)
    }
  }

  @Test func orderOfTheShells() throws {
    let home = try Home()
    try home.application("a.desktop", exec: "sh", types: [sovereign])
    try home.application("b.desktop", types: [sovereign], more: "X-Flatpak=b\n")
    try home.application("c.desktop", types: [sovereign], more: "X-Sovereign-Shell=true\n")
    try home.application("fs.sovereign.Navigation.desktop", types: [sovereign])
    try home.program("sh")
    try home.write(
      "config/mimeapps.list",
      "[Default Applications]\n\(sovereign)=fs.sovereign.Navigation.desktop;a.desktop;b.desktop\n")
    let choices = home.choices()
    #expect(
      choices.shellCandidates.map(\.id)
        == ["fs.sovereign.Navigation.desktop", "b.desktop", "c.desktop", "a.desktop"])
    #expect(choices.shellCandidates.map(\.unsuitability) == [.ourselves, .sandboxed, nil, nil])
    #expect(choices.shell?.id == "c.desktop")
    #expect(choices.shell?.isSovereignShell == true)
    // Naming it is what a sandboxed shell needs, and nothing else is asked of a named one.
    #expect(home.choices(shell: "b.desktop").shell?.id == "b.desktop")
    #expect(home.choices(shell: "a.desktop").shell?.id == "a.desktop")
    #expect(home.choices(shell: "a.desktop").objection(toBrowser: "a.desktop") == .shell)
    #expect(home.choices().objection(toShell: "a.desktop") == nil)
    #expect(home.choices(shell: "gone.desktop").shell?.id == "c.desktop")
    #expect(home.choices(shell: "fs.sovereign.Navigation.desktop").shell?.id == "c.desktop")
  }

  @Test func handlerOfAScheme() throws {
    let home = try Home()
    let mailto = "x-scheme-handler/mailto"
    #expect(home.choices().handler(ofScheme: "mailto") == nil)
    try home.application("mail.desktop", types: [mailto])
    try home.application("fs.sovereign.Navigation.desktop", types: [mailto])
    try home.write(
      "config/mimeapps.list", "[Default Applications]\n\(mailto)=fs.sovereign.Navigation.desktop\n")
    #expect(home.choices().handler(ofScheme: "mailto")?.entry.id == "mail.desktop")
    #expect(home.choices().handler(ofScheme: "tel") == nil)
    #expect(home.choices().browser == nil)
    try FileManager.default.removeItem(atPath: home.path + "/bin/mail")
    #expect(home.choices().handler(ofScheme: "mailto") == nil)
  }

  @Test func localizesTheName() throws {
    let home = try Home()
    try home.application("a.desktop", more: "Name[de]=Ä\n")
    #expect(home.choices().browser?.name == "Ä")
  }

  @Test func programsAreThoseOfTheSessionsPath() throws {
    let home = try Home()
    try home.application("a.desktop", exec: "only-there %u")
    #expect(home.choices().objection(toBrowser: "a.desktop") == .programMissing("only-there"))
    try home.program("only-there")
    #expect(home.choices().objection(toBrowser: "a.desktop") == nil)
    #expect(home.choices().browser?.id == "a.desktop")
  }

  /// Another browser may be one that the user does not trust with the link.
  @Test func theUsersChoiceStaysTheChoiceWithoutItsProgram() throws {
    let home = try Home()
    try home.application("chosen.desktop", exec: "gone %u")
    try home.application("other.desktop", exec: "there %u")
    try home.program("there")
    #expect(home.choices(browser: "chosen.desktop").browser?.id == "chosen.desktop")
    #expect(home.choices().browser?.id == "other.desktop")
  }

  /// Without any other, too: what is looked up is an application that links can be given to.
  @Test(arguments: [
    Dead(what: "a browser", exec: "gone %u", types: [https], isNamedBrowser: true),
    Dead(what: "a shell", exec: "gone %u", asBrowser: .shell),
    Dead(
      what: "a Flatpak", exec: "gone %u", more: "X-Flatpak=a\n", asBrowser: .shell,
      asShell: .sandboxed),
    Dead(
      what: "an opener", exec: "xdg-open %u", types: [https], more: "TryExec=gone\n",
      asBrowser: .genericOpener("xdg-open"), asShell: .genericOpener("xdg-open"),
      isNamedShell: false),
    Dead(
      what: "an application for files", exec: "gone %f", asBrowser: .filesOnly,
      asShell: .filesOnly, isNamedShell: false),
  ])
  fileprivate func whatHasNoProgramIsNoChoiceUnlessTheUserNamedIt(_ row: Dead) throws {
    let home = try Home()
    try home.application("a.desktop", exec: row.exec, types: row.types, more: row.more)
    try home.program("xdg-open")
    let choices = home.choices()
    #expect(choices.browser == nil)
    #expect(choices.shell == nil)
    #expect(choices.browserCandidates.map(\.unsuitability) == [row.asBrowser])
    let isShell = row.types.contains(sovereign)
    #expect(choices.shellCandidates.map(\.unsuitability) == (isShell ? [row.asShell] : []))
    #expect(home.choices(previous: "a.desktop").browser == nil)
    #expect((home.choices(browser: "a.desktop").browser != nil) == row.isNamedBrowser)
    #expect((home.choices(shell: "a.desktop").shell != nil) == row.isNamedShell)
  }

  @Test func flatpaksOfTheUserNeedNoEnvironment() throws {
    let home = try Home()
    try home.application("org.x.desktop", in: "data/flatpak/exports/share")
    #expect(home.choices().browser?.id == "org.x.desktop")
  }

  // MARK: Settings of desktops

  @Test func xfceSettingOfAnInstalledEntry() throws {
    let home = try Home()
    try home.application("xfce4-web-browser.desktop", exec: "exo-open --launch WebBrowser %u")
    try home.program("exo-open")
    #expect(home.choices().browser == nil)
    try home.application("zz.desktop", types: [])
    try home.write("config/xfce4/helpers.rc", "# c\nMailReader=mail\nWebBrowser=zz\n")
    let candidates = home.choices().browserCandidates
    #expect(candidates.map(\.id) == ["xfce4-web-browser.desktop", "zz.desktop"])
    #expect(candidates.map(\.unsuitability) == [.genericOpener("exo-open"), nil])
    #expect(candidates[1].source == home.path + "/config/xfce4/helpers.rc")
    // Only the setting of its own category stands for an entry.
    try home.application(
      "mailer.desktop", exec: "exo-open --launch MailReader %u", types: ["x-scheme-handler/mailto"])
    #expect(home.choices().handler(ofScheme: "mailto") == nil)
  }

  @Test(arguments: [
    ("X-XFCE-Binaries=gone;real;\nX-XFCE-CommandsWithParameter=%B \"%s\";\n", ["real", link]),
    ("X-XFCE-Binaries=real;\n", ["real", link]),
    ("X-XFCE-CommandsWithParameter=real --new \"%s\"\n", ["real", "--new", link]),
    ("X-XFCE-CommandsWithParameter=real --url=%s\n", ["real", "--url=" + link]),
    ("X-XFCE-CommandsWithParameter=xdg-open \"%s\"\n", nil),
    ("X-XFCE-CommandsWithParameter=sh -c \"real %s\"\n", nil),
  ])
  func xfceHelper(keys: String, expected: [String]?) throws {
    let home = try Home()
    for program in ["exo-open", "real", "sh"] { try home.program(program) }
    try home.application("xfce4-web-browser.desktop", exec: "exo-open --launch WebBrowser %u")
    try home.write("xdg/xfce4/helpers.rc", "WebBrowser=custom-WebBrowser\n")
    try home.write(
      "data/xfce4/helpers/custom-WebBrowser.desktop",
      "[Desktop Entry]\nType=X-XFCE-Helper\nName=Real\n\(keys)")
    let choices = home.choices()
    let plans = try choices.browser?.launchPlans(urls: [link], searchPath: choices.searchPath)
    guard let expected else {
      #expect(plans == nil)
      return
    }
    #expect(
      plans?.map(\.method) == [
        .exec(.init(program: home.path + "/bin/real", arguments: expected, workingDirectory: nil))
      ])
  }

  @Test(arguments: [
    ("BrowserApplication=kde.desktop", "kde.desktop"), ("BrowserApplication=kde", "kde.desktop"),
    ("BrowserApplication[$e]=!kde --new", "kde.desktop"),
    ("BrowserApplication = !env A=b kde %u", "env.desktop"),
    ("BrowserApplication=!xdg-open", nil), ("BrowserApplication=gone.desktop", nil),
    ("BrowserApplication=", nil), ("BrowserApplication=!", nil),
    ("BrowserApplication=!sovereign-navigation open", nil),
    ("[Other]\nBrowserApplication=kde.desktop", nil),
  ])
  func kdeSetting(line: String, expected: String?) throws {
    let home = try Home()
    try home.application("kde.desktop", types: [])
    try home.program("env")
    // GKeyFile takes neither of the two other lines.
    try home.write(
      "config/kdeglobals", "[Colors:Header][Inactive]\nx[$i]=1\n\n[General]\n\(line)\n[KDE]\na=b\n")
    #expect(home.choices().browser?.id == expected)
    // It comes last.
    try home.application("z.desktop")
    #expect(home.choices().browser?.id == "z.desktop")
  }
}
