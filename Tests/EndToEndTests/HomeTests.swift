import Glibc
import TestSupport
import Testing

// The service that runs in a session of systemd's has read its home already.
extension EndToEnd.WithoutSystemd {
  @Suite struct HomeTests {
    private static let names = [
      "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_DIRS",
    ]

    /// A directory whose name ends in a byte that is not UTF-8.
    private let session: TestSession
    private let place: String

    init() throws {
      session = try TestSession()
      place = session.home + "/place"
      try makeDirectories(place)
    }

    /// Runs a command with a variable that leads to it, on a bus of its own.
    private func run(_ name: String, _ command: String) throws -> CommandResult {
      let result = try session.run([
        "sh", "-c",
        #"export \#(name)="$(printf '\#(place)/h\377')"; mkdir -p "$\#(name)""#
          + "; exec dbus-run-session -- \(command)",
      ])
      // There it is, and in it there is nothing, nor is there anything beside it.
      let found = try session.run([
        "sh", "-c", "cd \(place) && find . | LC_ALL=C od -An -c; rm -rf \(place)/*",
      ])
      #expect(
        found.text.split(separator: " ").joined(separator: " ") == #". \n . / h 377 \n"#,
        "\(name), \(command): \(found)")
      return result
    }

    @Test(arguments: names) func theServiceSaysSoAndReadsNothing(_ name: String) throws {
      let service = (Installation.prefix ?? "") + "/libexec/sovereign-navigationd"
      let result = try run(name, service)
      #expect(result.status == 18, "\(result)")
      #expect(
        result.errorText.contains("\(name) is not UTF-8: \(place)/h\u{FFFD}; nothing is read"),
        "\(result)")
    }

    @Test(arguments: [
      "decide https://a.example", "explain https://a.example", "open https://a.example", "open",
      "active", "active a.example", "instances", "instances add a.example --no-verify", "import",
      "browser", "shell", "register", "register --check", "unregister", "status", "doctor",
      "monitor", "forget --yes",
    ])
    func everyCommandSaysSo(_ command: String) throws {
      for name in Self.names {
        let result = try run(name, "sovereign-navigation \(command)")
        #expect(result.status == 1 && result.text.isEmpty, "\(result)")
        #expect(
          result.errorText.contains(": \(name) is not UTF-8: \(place)/h\u{FFFD}; nothing is read"),
          "\(result)")
      }
    }

    @Test(arguments: [
      ("origin https://a.example/x", "https://a.example"),
      ("decide --offline --active a.example https://a.example/x", "shell"),
    ])
    func whatNeedsNoFileGoesOn(_ command: String, _ answer: String) throws {
      let result = try run("HOME", "sovereign-navigation \(command)")
      #expect(result.status == 0 && result.text == answer, "\(result)")
    }
  }
}
