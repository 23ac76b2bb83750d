import Glibc
import TestSupport
import Testing

extension EndToEnd {
  /// With a shell that knows nothing of the service.
  @Suite struct FollowedShellTests {
    private let session: TestSession
    private let shell: StandInShell
    private let browser: RecordingApplication

    init() throws {
      session = try TestSession()
      shell = try session.installStandInShell()
      browser = try session.installApplication(
        "test-browser", keys: ["MimeType=x-scheme-handler/http;x-scheme-handler/https;"])
      try session.makeUsTheDefault()
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
    }

    private func open(_ url: String) throws {
      let result = try session.run(["xdg-open", url])
      #expect(result.status == 0, "\(result)")
    }

    /// Opens a link with the service and without it, and expects that the browser is given `url` for both.
    private func expectInBrowser(_ link: String, as url: String) throws {
      for variables in [[:], ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]] {
        let before = try browser.launches.count
        let result = try session.run(["sovereign-navigation", "open", link], adding: variables)
        #expect(result.status == 0, "\(result)")
        let launches = try #require(try browser.launches(before + 1))
        #expect(launches.last?.arguments == [url])
      }
    }

    /// The lines of the journal about the shell's store.
    private var warnings: [String] {
      get throws { try session.journal(about: shell.store, .shellStoreProblem) }
    }

    private var status: String {
      get throws { try session.run(["sovereign-navigation", "status"]).text }
    }

    @Test func whatTheUserDoesInTheShellIsFollowed() throws {
      try shell.click(.connect("https://a.example", label: "A"))
      session.expectToBecomeActive("https://a.example")
      try shell.click(.connect("https://b.example:8443", label: "B"))
      session.expectToBecomeActive("https://b.example:8443")
      #expect(
        try session.run(["sovereign-navigation", "instances"]).text
          == "https://a.example\tA\nhttps://b.example:8443\tB\tactive")
      try shell.click(.switch("https://a.example"))
      session.expectToBecomeActive("https://a.example")
      #expect(try status.contains("https://a.example, named by \(shell.store)\n"))
      #expect(
        try session.run(["sovereign-navigation", "explain", "https://a.example/"]).text
          .contains("\n  active-source: \(shell.store)\n"))

      try open("https://a.example/a%2Fb?x=1#y")
      #expect(shell.log(1) == ["loaded https://a.example/a%2Fb?x=1#y"])
      try open("https://b.example:8443/")
      #expect(try browser.launches(1)?.last?.arguments == ["https://b.example:8443/"])

      try shell.click(.remove("https://a.example"))
      session.expectToBecomeActive("")
      try open("https://a.example/gone")
      #expect(try browser.launches(2)?.last?.arguments == ["https://a.example/gone"])
      #expect(
        try session.run(["sovereign-navigation", "instances"]).text
          == "https://b.example:8443\tB")

      try shell.click(.connect("https://a.example", label: "A again"))
      session.expectToBecomeActive("https://a.example")
      try open("https://a.example")
      #expect(shell.log(2)?.last == "loaded https://a.example/")
      #expect(try browser.launches.count == 2)
    }

    @Test func twoInstancesOnOneHostAreNotConfused() throws {
      try shell.click(.connect("https://h.example:8443", label: "One"))
      try shell.click(.connect("https://h.example:9443", label: "Two"))
      session.expectToBecomeActive("https://h.example:9443")
      // The shell would open it at the first of them.
      try open("https://h.example:9443/x")
      #expect(try browser.launches(1)?.last?.arguments == ["https://h.example:9443/x"])
      #expect(
        try session.run(["sovereign-navigation", "explain", "https://h.example:9443/x"]).text
          .contains("\n  opens-because: shell-cannot-address"))
      // The same host, but none of its instances.
      try open("https://h.example/y")
      #expect(try browser.launches(2)?.last?.arguments == ["https://h.example/y"])
      #expect(shell.log == [])

      try shell.click(.remove("https://h.example:8443"))
      #expect(
        poll { (try? session.property("Instances"))?.hasPrefix("a(ssxa{sv}) 1 ") == true ? 1 : nil }
          != nil)
      try open("https://h.example:9443/z")
      #expect(shell.log(1) == ["loaded https://h.example:9443/z"])
      #expect(try browser.launches.count == 2)
    }

    /// The shell opens the first instance of the host that its own store has, whatever is stored here.
    @Test(arguments: ["https://h.example:9443", "https://me:pw@h.example:9443"])
    func anInstanceThatOnlyTheShellHasIsNotConfused(_ other: String) throws {
      try shell.click(.connect(other, label: "One"))
      try shell.click(.connect("https://h.example:8443", label: "Two"))
      session.expectToBecomeActive("https://h.example:8443")
      if try session.property("Instances").contains("9443") {
        _ = try session.call("RemoveInstance", "s", other)
      }
      #expect(try session.property("Instances").hasPrefix("a(ssxa{sv}) 1 "))
      for link in ["https://h.example:8443/x", "sovereign://h.example/x"] {
        try expectInBrowser(link, as: "https://h.example:8443/x")
        try session.endService(SIGTERM)
      }
      #expect(
        try session.run(["sovereign-navigation", "explain", "https://h.example:8443/"]).text
          .contains("\n  opens-because: shell-cannot-address"))
      #expect(
        try session.run(["sovereign-navigation", "doctor", "--json"]).text
          .contains(#""name":"instances-share-host""#))
      #expect(shell.log == [])

      try shell.click(.remove(other))
      try open("https://h.example:8443/y")
      #expect(shell.log(1) == ["loaded https://h.example:8443/y"])
    }

    /// The shell would not find it, and show nothing.
    @Test func aLinkToAnInstanceThatTheShellDoesNotHaveIsNotLost() throws {
      try shell.click(.connect("https://a.example", label: "A"))
      session.expectToBecomeActive("https://a.example")
      _ = try session.call("SetActive", "s", "mine.example")
      for link in ["https://mine.example/x", "sovereign://mine.example/x"] {
        try expectInBrowser(link, as: "https://mine.example/x")
      }
      #expect(shell.log == [])
      try shell.click(.connect("https://mine.example", label: "Mine"))
      #expect(poll { (try? status)?.contains("named by \(shell.store)") == true ? 1 : nil } != nil)
      try open("https://mine.example/y")
      #expect(shell.log(1) == ["loaded https://mine.example/y"])
    }

    @Test func whatLeavesTheShellReachesTheBrowserOnce() throws {
      try shell.click(.connect("http://a.example", label: "A"))
      session.expectToBecomeActive("http://a.example")
      try shell.click(.follow("http://a.example/stays"))
      try shell.click(.follow("https://foreign.example/leaves?x=${HOME}"))
      try shell.click(.redirect("http://a.example/s", to: "https://a.example/s"))
      try shell.click(.redirect("http://a.example/s", to: "https://foreign.example/s"))
      #expect(
        shell.log == [
          "loaded http://a.example/stays", "opened https://foreign.example/leaves?x=${HOME}",
          "denied https://a.example/s", "opened https://foreign.example/s",
        ])
      #expect(
        try browser.launches(2)?.map(\.arguments)
          == [["https://foreign.example/leaves?x=${HOME}"], ["https://foreign.example/s"]])
      // The other scheme is another origin here as well.
      try open("https://a.example/s")
      #expect(try browser.launches(3)?.last?.arguments == ["https://a.example/s"])
      #expect(shell.log.count == 4)
    }

    @Test func theUsersOwnChoiceStandsOverARestart() throws {
      try shell.click(.connect("https://a.example", label: "A"))
      session.expectToBecomeActive("https://a.example")
      _ = try session.call("SetActive", "s", "mine.example")
      for signal in [SIGKILL, SIGTERM] {
        try session.endService(signal)
        #expect(try session.property("ActiveOrigin") == #"s "https://mine.example""#)
      }
      #expect(try status.contains("https://mine.example, named by \(session.home)/.config/"))
      // What changes while the service does not run is seen when it starts.
      try session.endService(SIGTERM)
      try shell.click(.connect("https://b.example", label: "B"))
      #expect(try session.property("ActiveOrigin") == #"s "https://b.example""#)
      try shell.click(.remove("https://b.example"))
      session.expectToBecomeActive("")
      #expect(try session.property("Instances").contains("https://mine.example"))
    }

    struct Damage: Sendable, CustomTestStringConvertible {
      let testDescription: String
      let reported: String
      let apply: @Sendable (String) -> String
    }

    static let damages = [
      Damage(
        testDescription: "a renamed key",
        reported: "must have the keys `instances`, `activeUrl`, and has `instances`, `current`"
      ) { $0.replacing("activeUrl", with: "current") },
      Damage(
        testDescription: "a renamed key of an instance",
        reported: "must have the keys `url`, `label`, `addedAt`, and has `address`"
      ) { $0.replacing("\"url\"", with: "\"address\"") },
      Damage(testDescription: "half of it", reported: "it is not JSON, or only a part of it") {
        String($0.prefix($0.count / 2))
      },
      Damage(testDescription: "nothing of it", reported: "it is not JSON, or only a part of it") {
        _ in ""
      },
      Damage(
        testDescription: "an active instance that is none of them",
        reported: "`activeUrl` names https://evil.example"
      ) { $0.replacing("\"activeUrl\": \"https://b", with: "\"activeUrl\": \"https://evil") },
    ]

    @Test(arguments: damages)
    func aStoreThatCannotBeUsedChangesNothingAndIsReported(_ damage: Damage) throws {
      try shell.click(.connect("https://a.example", label: "A"))
      session.expectToBecomeActive("https://a.example")
      try session.endService(SIGTERM)
      let before = try warnings.count
      try shell.click(.connect("https://b.example", label: "B"))
      let whole = String(decoding: try readFile(shell.store), as: UTF8.self)
      let damaged = damage.apply(whole)
      #expect(damaged != whole)
      try writeFile(shell.store, damaged)
      let imported = try session.run(["sovereign-navigation", "import"])
      #expect(imported.status == 1)
      #expect(imported.errorText.contains(damage.reported), "\(imported)")
      #expect(try session.property("ActiveOrigin") == #"s "https://a.example""#)
      let lines = try poll { () -> ArraySlice<String>? in
        let lines = try warnings.dropFirst(before)
        return lines.isEmpty ? nil : lines
      }
      #expect(lines?.count == 1)
      #expect(lines?.last?.contains(damage.reported) == true, "\(lines ?? [])")
      #expect(try session.property("ActiveOrigin") == #"s "https://a.example""#)
      #expect(try session.property("Instances").hasPrefix("a(ssxa{sv}) 1 "))

      try writeFile(shell.store, whole)
      session.expectToBecomeActive("https://b.example")
    }

    @Test func importsOnce() throws {
      _ = try session.call("SetOption", "ss", "Follow", "no")
      try shell.click(.connect("https://a.example", label: "A"))
      try shell.click(.connect("https://b.example", label: "b.example"))
      try shell.click(.switch("https://a.example"))
      _ = try session.call("AddInstance", "ssa{sv}", "b.example", "Mine", "0")
      let result = try session.run(["sovereign-navigation", "import"])
      #expect(result.text == "https://a.example\tA\tactive\nhttps://b.example\tb.example")
      #expect(result.errorText == "")
      #expect(result.status == 0)
      #expect(
        try session.run(["sovereign-navigation", "instances"]).text
          == "https://b.example\tMine\nhttps://a.example\tA\tactive")

      let file = session.home + "/export.json"
      try writeFile(
        file,
        """
        {"activeUrl": "https://c.example/", "instances": [
          {"url": "javascript:alert(1)", "label": "X", "addedAt": 1},
          {"url": "https://c.example/start", "label": "C", "addedAt": 1764460800000}]}
        """)
      let other = try session.run(["sovereign-navigation", "import", file])
      #expect(other.text == "https://c.example\tC\tactive")
      #expect(
        other.errorText == "sovereign-navigation: \(file): instance 1 is left out: "
          + "its `url` is not the address of an instance")
      #expect(other.status == 1)
      #expect(try session.property("Instances").contains(#""https://c.example" "C" 1764460800000"#))
      unlink(file)
    }
  }
}
