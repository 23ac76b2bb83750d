import Glibc
import TestSupport
import Testing

extension EndToEnd {
  @Suite struct ForgetTests {
    let session: TestSession
    private let before: [UInt8]

    private var configuration: String { session.home + "/.config/sovereign" }
    private var state: String { session.home + "/.local/state/sovereign" }
    private var list: String { session.home + "/.config/mimeapps.list" }

    /// Everything there is to forget.
    init() throws {
      session = try TestSession()
      let browser = try session.installApplication(
        "test-browser", keys: ["MimeType=x-scheme-handler/http;x-scheme-handler/https;"])
      before = Array("[Default Applications]\nx-scheme-handler/https=\(browser.id)\n".utf8)
      try writeFile(list, before)
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      let text = try readFile(configuration + "/navigation.conf")
      try writeFile(configuration + "/navigation.conf", "nonsense")
      let configuration = session.home + "/.config/sovereign"
      #expect(poll { ((try? entries(of: configuration)) ?? []).count == 2 ? true : nil } != nil)
      try writeFile(configuration + "/navigation.conf", text)
      #expect(try session.run(["sovereign-navigation", "register"]).status == 0)
      try writeFile(state + "/followed.conf", "[Navigation]\nFollow=false\n")
      // What a crash has left behind.
      for directory in [configuration, state] {
        try writeFile(directory + "/.sovereign-navigation.tmp-1", "[Navigation]\n")
      }
    }

    private func isForgotten() throws -> Bool {
      let list = try readFile(list)
      return access(configuration, F_OK) != 0 && access(state, F_OK) != 0 && list == before
    }

    @Test func deletesAllAndTheServiceGoesOn() throws {
      let pid = try session.servicePID()
      let kept =
        try entries(of: configuration).filter { !$0.hasPrefix(".") }
        .map { "\(configuration)/\($0)" }
        + ["navigation.conf.good", "followed.conf", "registration.conf"].map { "\(state)/\($0)" }
      let result = try session.run(["sovereign-navigation", "forget", "--yes"])
      #expect(result.status == 0 && result.errors.isEmpty, "\(result)")
      #expect(result.text.split(separator: "\n").map(String.init) == kept)
      #expect(try isForgotten())

      // It knows as soon as the command has ended.
      try session.expectActive("")
      #expect(try session.property("Instances") == "a(ssxa{sv}) 0")
      #expect(try session.servicePID() == pid)
      #expect(try isForgotten())
      try session.endService(SIGTERM)
      _ = try session.servicePID()
      #expect(try isForgotten())
      #expect(try session.property("ActiveOrigin") == "s \"\"")

      // It still can keep something, and forget it.
      _ = try session.call("SetActive", "s", EndToEnd.foreign)
      #expect(access(configuration + "/navigation.conf", F_OK) == 0)
      for _ in 1...2 {
        #expect(try session.run(["sovereign-navigation", "forget", "--yes"]).status == 0)
        #expect(try isForgotten())
        try session.expectActive("")
      }
    }

    /// What the service could not keep a copy of, and settings that are not the default.
    @Test func theServiceKnowsAtOnce() throws {
      let text = "[Navigation]\nActiveOrigin=\(EndToEnd.instance)\nNotify=no\nFollow=no\n"
      for isKept in [true, false] {
        try makeDirectories(configuration)
        try makeDirectories(state)
        if !isKept { try makeDirectories(state + "/navigation.conf.good/x") }
        try writeFile(configuration + "/navigation.conf", text)
        session.expectToBecomeActive(EndToEnd.instance)
        let result = try session.run(["sovereign-navigation", "forget", "--yes"])
        try session.expectActive("")
        #expect(result.status == (isKept ? 0 : 1), "\(result)")
        #expect(access(configuration, F_OK) != 0)
      }
    }

    @Test func needsNoServiceAndStartsNone() throws {
      try session.endService(SIGTERM)
      let result = try session.run(["sovereign-navigation", "forget", "--yes"])
      #expect(result.status == 0, "\(result)")
      #expect(try isForgotten())
      let owner = try session.run([
        "busctl", "--user", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
        "org.freedesktop.DBus", "NameHasOwner", "s", "fs.sovereign.Navigation",
      ])
      #expect(owner.text == "b false")
    }

    /// Whatever the terminal says: what is forgotten is what the service has.
    @Test(arguments: [true, false]) func forgetsWhatTheServiceHas(_ isRunning: Bool) throws {
      // Without a manager, nothing but the terminal says where it would have it.
      guard isRunning || TestSession.hasSystemd else { return }
      if !isRunning { try session.endService(SIGTERM) }
      let elsewhere = session.home + "/.local/share/test"
      try makeDirectories(elsewhere + "/sovereign")
      try writeFile(
        elsewhere + "/sovereign/navigation.conf", "[Navigation]\nBrowser=none.desktop\n")
      let other = ["XDG_CONFIG_HOME": elsewhere, "XDG_STATE_HOME": elsewhere]
      #expect(
        try session.run(["sovereign-navigation", "browser"], adding: other).text
          .contains("none.desktop") == false)
      let result = try session.run(["sovereign-navigation", "forget", "--yes"], adding: other)
      #expect(result.status == 0, "\(result)")
      #expect(try isForgotten())
      #expect(access(elsewhere + "/sovereign/navigation.conf", F_OK) == 0)
      #expect(try session.property("Instances") == "a(ssxa{sv}) 0")
    }

    @Test func needsNoBus() throws {
      try session.endService(SIGTERM)
      let result = try session.run(
        ["sovereign-navigation", "forget", "--yes"],
        adding: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"])
      #expect(result.status == 0, "\(result)")
      #expect(try isForgotten())
    }

    @Test func deletesNothingUnasked() throws {
      let result = try session.run(["sovereign-navigation", "forget"], input: Array("y\n".utf8))
      #expect(result.status == 2)
      #expect(
        result.errorText == "sovereign-navigation: forget: nothing is deleted: "
          + "there is no terminal to ask in; --yes does without")
      #expect(result.text.contains(configuration + "/navigation.conf"))
      #expect(try entries(of: state).count { !$0.hasPrefix(".") } == 3)
      #expect(try readFile(list) != before)
    }

    @Test(arguments: [("n", 1), ("", 1), ("y", 0), ("Yes", 0)])
    func asksInATerminal(_ answer: String, _ status: Int32) throws {
      let result = try session.run(
        ["script", "-qec", "sovereign-navigation forget", "/dev/null"],
        input: Array("\(answer)\n".utf8))
      #expect(result.text.contains("Unregister and delete these files? [y/N] "), "\(result)")
      #expect(result.status == status, "\(result)")
      #expect(try isForgotten() == (status == 0))
    }

    /// Nothing tells the service then that the file is not only away.
    @Test func aServiceThatCouldNotKeepACopyForgetsToo() throws {
      try session.endService(SIGTERM)
      unlink(state + "/navigation.conf.good")
      try makeDirectories(state + "/navigation.conf.good")
      try writeFile(configuration + "/notes", "mine")
      defer { unlink(configuration + "/notes") }
      #expect(try session.property("Instances") != "a(ssxa{sv}) 0")
      rmdir(state + "/navigation.conf.good")
      let result = try session.run(["sovereign-navigation", "forget", "--yes"])
      #expect(result.status == 0, "\(result)")
      #expect(try entries(of: configuration) == ["notes"])
      #expect(try session.property("Instances") == "a(ssxa{sv}) 0")
      #expect(access(configuration + "/navigation.conf", F_OK) != 0)
    }

    @Test func leavesWhatIsNotOurs() throws {
      let elsewhere = session.home + "/.local/share/test/dotfile"
      try makeDirectories(session.home + "/.local/share/test")
      try session.endService(SIGTERM)
      rename(configuration + "/navigation.conf", elsewhere)
      symlink(elsewhere, configuration + "/navigation.conf")
      try writeFile(configuration + "/notes", "mine")
      defer { unlink(configuration + "/notes") }
      #expect(try session.run(["sovereign-navigation", "forget", "--yes"]).status == 0)
      #expect(try entries(of: configuration) == ["notes"])
      #expect(access(elsewhere, F_OK) == 0)
    }
  }
}
