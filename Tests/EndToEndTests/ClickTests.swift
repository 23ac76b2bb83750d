import Bus
import Glibc
import TestSupport
import Testing

extension EndToEnd {
  @Suite struct ClickTests {
    /// What follows the host in a link, and what is to follow it in what the application gets.
    static let fidelity: [(clicked: String, received: String)] = [
      ("/a%2Fb", "/a%2Fb"),
      ("/caf%c3%a9", "/caf%c3%a9"),
      ("/?a=1&b=2&&c", "/?a=1&b=2&&c"),
      ("/?q=a+b%20c", "/?q=a+b%20c"),
      ("/it's", "/it's"),
      ("/\"q\"", "/%22q%22"),
      ("/`id`", "/`id`"),
      ("/{a}|^~", "/{a}|^~"),
      ("/two words", "/two%20words"),
      ("/<b>", "/%3Cb%3E"),
      ("/x#a/b", "/x#a/b"),
      ("/#?x#y", "/#?x#y"),
      ("/é", "/%C3%A9"),
      ("/${HOME}", "/${HOME}"),
      ("/$HOME", "/$HOME"),
      ("/$$", "/$$"),
      ("/$(id)", "/$(id)"),
      ("/;id;&&id|id", "/;id;&&id|id"),
      ("/%u", "/%u"),
      ("/%%%U%f%i", "/%%%U%f%i"),
      ("/a\\b", "/a\\b"),
      ("/*?[a]", "/*?[a]"),
      ("/!x", "/!x"),
      ("/~", "/~"),
      ("/-a?-b=-c#-d", "/-a?-b=-c#-d"),
      ("", ""),
      ("?x", "?x"),
      ("/%", "/%"),
      ("/\u{202E}x", "/%E2%80%AEx"),
      ("/" + String(repeating: "a", count: 102_400), "/" + String(repeating: "a", count: 102_400)),
    ]

    /// Whole links, and what the application gets.
    static let spellings: [(clicked: String, received: String)] = [
      ("https:\\\\HOST\\p", "https://HOST/p"),
      ("https:HOST/p", "https://HOST/p"),
      ("https:////HOST/p", "https://HOST/p"),
      ("https://-u:-p@HOST/p", "https://-u:-p@HOST/p"),
      ("https://HOST:443/p", "https://HOST:443/p"),
    ]

    @Test(arguments: [["xdg-open"], ["gio", "open"]], ["my.sovereign.example", "other.example"])
    func aClickedLinkArrivesOnceAndUnchanged(_ opener: [String], _ host: String) throws {
      let (session, shell, browser) = try TestSession.withApplications()
      let (application, other) = host == "other.example" ? (browser, shell) : (shell, browser)
      let links =
        Self.fidelity.map { ("https://\(host)" + $0.clicked, "https://\(host)" + $0.received) }
        + Self.spellings.map {
          ($0.clicked.replacing("HOST", with: host), $0.received.replacing("HOST", with: host))
        }
      for (count, (clicked, received)) in links.enumerated() {
        let result = try session.run(opener + [clicked])
        #expect(result.status == 0, "\(clicked.prefix(200)): \(result)")
        let launches = try #require(
          try application.launches(count + 1), "\(clicked.prefix(200)) never arrived")
        #expect(launches.last?.arguments == [received], "\(clicked.prefix(200))")
      }
      // Long enough for a second application, had one been started.
      _ = try application.launches(links.count + 1, limit: .milliseconds(500))
      #expect(try application.launches.count == links.count)
      #expect(try other.launches.isEmpty)
    }

    @Test func ourselvesAsTheOnlyBrowserIsNoBrowser() throws {
      let session = try TestSession()
      try session.makeUsTheDefault()
      if TestSession.hasSystemd {
        // The machine may have browsers; then the link reaches one of them, which no test can see.
        #expect(try !session.property("Browser").contains("fs.sovereign.Navigation"))
      } else {
        let result = try session.run(["sovereign-navigation", "open", EndToEnd.foreign])
        #expect(result.status == 1)
        #expect(result.errorText.hasPrefix("sovereign-navigation: "))
        #expect(!result.errorText.contains("\n"))
      }
    }

    @Test func aShellThatKnowsNothingOfUsGetsADeepLink() throws {
      let (session, shell, browser) = try TestSession.withApplications(shellKeys: [])
      _ = try session.run(["xdg-open", EndToEnd.instance + "/a%2Fb?x=1#y"])
      #expect(
        try shell.launches(1)?.map(\.arguments) == [
          ["sovereign://my.sovereign.example/a%2Fb?x=1#y"]
        ])
      _ = try session.run(["xdg-open", EndToEnd.instance])
      #expect(try shell.launches(2)?.last?.arguments == ["sovereign://my.sovereign.example/"])
      #expect(try browser.launches.isEmpty)
    }

    @Test func theWebBrowserKeyStartsTheBrowser() throws {
      let (session, _, browser) = try TestSession.withApplications()
      let entry =
        (Installation.prefix ?? "") + "/share/applications/fs.sovereign.Navigation.desktop"
      _ = try session.run(["gio", "launch", entry])
      #expect(try browser.launches(1)?.map(\.arguments) == [[]])
    }

    @Test func theActivationTokenIsPassedOnOnceAndNothingOfOursIs() throws {
      let (session, _, browser) = try TestSession.withApplications()
      let client = try Client(session)
      #expect(
        try client.open(
          EndToEnd.foreign + "/1", options: [("activation-token", .string("token-1"))]) == "browser"
      )
      try #require(try browser.launches(1) != nil)
      #expect(try client.open(EndToEnd.foreign + "/2") == "browser")
      let launches = try #require(try browser.launches(2))
      #expect(launches[0].environment.contains("XDG_ACTIVATION_TOKEN=token-1"))
      for launch in launches {
        let ours = launch.environment.filter {
          $0.hasPrefix("DBUS_STARTER_") || $0.hasPrefix("LISTEN_") || $0.hasPrefix("NOTIFY_SOCKET")
        }
        #expect(ours == [])
      }
      #expect(launches[1].environment.filter { $0.hasPrefix("XDG_ACTIVATION_TOKEN") } == [])
    }

    @Test func theCommandLineOpensWhereTheServiceHangs() throws {
      let (session, _, browser) = try TestSession.withApplications()
      let pid = try session.servicePID()
      kill(pid, SIGSTOP)
      defer { kill(pid, SIGCONT) }
      let result = try session.run(["sovereign-navigation", "open", EndToEnd.foreign + "/hangs"])
      #expect(result.status == 0, "\(result)")
      kill(pid, SIGCONT)
      _ = try session.call("Decide", "s", "")
      #expect(try browser.launches(1)?.map(\.arguments) == [[EndToEnd.foreign + "/hangs"]])
    }

    @Test func linksThatAreTooLongTogetherAllArrive() throws {
      let session = try TestSession()
      let browser = try session.installApplication("test-many", fieldCode: "%U")
      _ = try session.call("SetOption", "ss", "Browser", browser.id)
      let connection = try Connection()
      let path = String(repeating: "a", count: 100_000)
      let links = (0..<40).map { "https://h\($0).example/\(path)" }
      let call = try connection.makeCall(
        to: "fs.sovereign.Navigation", path: "/fs/sovereign/Navigation",
        interface: "org.freedesktop.Application", member: "Open")
      try call.append(links)
      try call.append(options: [])
      _ = try connection.call(call)
      let arrived = poll { () -> [String]? in
        let arguments = (try? browser.launches)?.flatMap(\.arguments) ?? []
        return arguments.count < links.count ? nil : arguments
      }
      #expect(arrived?.sorted() == links.sorted())
    }

    @Test func theCommandLineOpensWithoutABus() throws {
      let (session, shell, browser) = try TestSession.withApplications()
      let nowhere = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]
      for url in [EndToEnd.instance + "/x", EndToEnd.foreign + "/x"] {
        let result = try session.run(["sovereign-navigation", "open", url], adding: nowhere)
        #expect(result.status == 0, "\(result)")
      }
      #expect(try shell.launches(1)?.map(\.arguments) == [[EndToEnd.instance + "/x"]])
      #expect(try browser.launches(1)?.map(\.arguments) == [[EndToEnd.foreign + "/x"]])
    }
  }
}
