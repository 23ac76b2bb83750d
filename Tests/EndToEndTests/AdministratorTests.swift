import Glibc
import TestSupport
import Testing

extension EndToEnd {
  /// Under an administrator's file.
  @Suite struct AdministratorTests {
    private let session: TestSession
    private let file: String

    init() throws {
      session = try TestSession()
      file = session.administratorFile
    }

    private func write(_ text: String) throws {
      try makeDirectories(parent(of: file))
      try writeFile(file + ".new", "[Navigation]\n" + text)
      #expect(rename(file + ".new", file) == 0)
    }

    private func command(
      _ arguments: String..., adding variables: [String: String] = [:]
    ) throws -> CommandResult {
      try session.run(["sovereign-navigation"] + arguments, adding: variables)
    }

    private let company =
      "ActiveOrigin=https://company.example\nKnownInstances=switch\n"
      + "Browser=test-browser.desktop\nLocked=Browser;ActiveOrigin\n"
      + "[Instance 1]\nOrigin=https://company.example\nLabel=Company\n"

    @Test func whatIsLockedIsShownAndRefused() throws {
      let browser = try session.installApplication(
        "test-browser", keys: ["MimeType=x-scheme-handler/http;x-scheme-handler/https;"])
      let other = try session.installApplication(
        "other-browser", keys: ["MimeType=x-scheme-handler/http;x-scheme-handler/https;"])
      try write(company)

      let status = try command("status").text
      #expect(status.contains("\nactive     https://company.example, named by \(file)\n"))
      #expect(status.contains("\nlocked     ActiveOrigin, by \(file)\n"))
      #expect(status.contains("\nlocked     Browser, by \(file)"))
      let locked = #"{"ActiveOrigin":"\#(file)","Browser":"\#(file)"}"#
      #expect(
        try command("status", "--json").text
          .contains(#""locked":["ActiveOrigin","Browser"],"locked-by":\#(locked)"#))
      let explanation = try command("explain", "https://company.example/").text
      #expect(explanation.contains("\n  active-source: \(file)\n"))
      #expect(explanation.contains("\n  locked: ActiveOrigin, by \(file)\n"))
      #expect(explanation.contains("\n  locked: Browser, by \(file)"))
      #expect(
        try command("explain", "--json", "mailto:a@b.example").text
          .contains(#""locked":\#(locked)}"#))
      #expect(
        try command("instances").text == "https://company.example\tCompany\tactive\tpreset")
      #expect(try command("browser").text.hasPrefix("* \(browser.id): is used"))

      func expectRefusal(_ arguments: String..., about subject: String, _ setting: String) throws {
        let result = try session.run(["sovereign-navigation"] + arguments)
        #expect(result.status == 4, "\(arguments)")
        #expect(
          result.errorText == "sovereign-navigation: \(subject): \(setting) is locked by \(file); "
            + "only an administrator can change it, in that file")
      }
      try expectRefusal("active", "other.example", about: "other.example", "ActiveOrigin")
      try expectRefusal("active", "--clear", about: "active", "ActiveOrigin")
      try expectRefusal(
        "instances", "add", "--no-verify", "other.example", about: "other.example", "ActiveOrigin")
      try expectRefusal("browser", other.id, about: "browser", "Browser")
      try expectRefusal("browser", "--reset", about: "browser", "Browser")
      #expect(try command("instances", "remove", "https://company.example").status == 4)
      let refusal = try session.busctl("SetActive", "s", [""])
      #expect(refusal.status != 0 && refusal.errorText.contains("is locked by \(file)"))

      // What an import may store, it does.
      let export = session.home + "/export.json"
      defer { unlink(export) }
      try writeFile(
        export,
        """
        {"activeUrl": "https://mine.example", "instances": [
          {"url": "https://mine.example", "label": "Mine", "addedAt": 1}]}
        """)
      let imported = try command("import", export)
      #expect(imported.status == 4)
      #expect(imported.text == "https://mine.example\tMine")
      #expect(imported.errorText.contains("ActiveOrigin is locked by"))

      // With the service and without it, where the switch would need it.
      let nowhere = ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]
      for (count, variables) in [[:], nowhere].enumerated() {
        let opened = try command("open", "https://mine.example/x", adding: variables)
        #expect(opened.status == 0, "\(opened)")
        #expect(
          try browser.launches(count + 1)?.map(\.arguments)
            == Array(repeating: ["https://mine.example/x"], count: count + 1))
      }
      #expect(try other.launches.isEmpty)
      #expect(try session.property("ActiveOrigin") == #"s "https://company.example""#)
    }

    @Test func aPresetIsRenamedOrThatIsRefused() throws {
      let instance = "[Instance 1]\nOrigin=https://company.example\nLabel=Company\n"
      try write(instance)
      _ = try session.call("AddInstance", "ssa{sv}", "company.example", "Mine", "0")
      #expect(
        try command("instances").text == "https://company.example\tMine\tactive\tpreset")
      try write("Locked=Instances\n" + instance)
      session.expect("Locked", toBecome: #"as 1 "Instances""#)
      let refusal = try session.busctl(
        "AddInstance", "ssa{sv}", ["company.example", "Another", "0"])
      #expect(refusal.status == 1)
      #expect(refusal.errorText.contains("Instances is locked by \(file)"), "\(refusal)")
      for label in ["", "Company"] {
        _ = try session.call("AddInstance", "ssa{sv}", "company.example", label, "0")
      }
      #expect(
        try command("instances").text == "https://company.example\tCompany\tactive\tpreset")
    }

    @Test func itComesAndGoesWhileTheServiceRuns() throws {
      _ = try session.call("SetActive", "s", "mine.example")
      _ = try session.servicePID()
      let monitor = try session.start(["sovereign-navigation", "monitor"])
      // It has no word of its own: what it has seen of a change proves that it listens.
      var round = 0
      try #require(
        poll {
          round += 1
          _ = try? session.call("SetActive", "s", round.isMultiple(of: 2) ? "mine.example" : "")
          return monitor.output.isEmpty ? nil : true
        } != nil)
      _ = try session.call("SetActive", "s", "begin.example")
      _ = try session.call("SetActive", "s", "mine.example")

      try write(company)
      session.expect("ActiveOrigin", toBecome: #"s "https://company.example""#)
      session.expect("Locked", toBecome: #"as 2 "ActiveOrigin" "Browser""#)
      try write(company.replacing("Locked=Browser;ActiveOrigin", with: "Locked=Instances"))
      session.expect("Locked", toBecome: #"as 1 "Instances""#)
      // The user's is no longer stored; the default is in force.
      #expect(try session.property("ActiveOrigin") == #"s "https://company.example""#)
      #expect(try session.property("Instances").hasPrefix("a(ssxa{sv}) 1 "))
      unlink(file)
      session.expect("Locked", toBecome: "as 0")
      #expect(try session.property("ActiveOrigin") == #"s "https://mine.example""#)
      _ = try session.call("SetActive", "s", "end.example")

      let expected = """
        https://begin.example
        https://mine.example
        https://company.example
        https://mine.example
        https://end.example

        """
      #expect(
        poll { String(decoding: monitor.output, as: UTF8.self).hasSuffix(expected) ? true : nil }
          != nil, "\(String(decoding: monitor.output, as: UTF8.self))")
      monitor.signal(SIGTERM)
    }

    @Test func aBrokenOneKeepsTheServiceFromChangingWhatItMayLock() throws {
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      try session.endService(SIGTERM)
      try write("")
      try writeFile(file, "Locked=ActiveOrigin\n")
      // Links open as before.
      #expect(try session.call("Decide", "s", EndToEnd.instance) == #"s "shell""#)
      #expect(try session.property("Locked").hasPrefix(#"as 6 "ActiveOrigin" "Instances" "#))
      #expect(
        try session.call("SetActive", "s", EndToEnd.instance) == "s \"\(EndToEnd.instance)\"")
      for arguments in [
        ["active", "mine.example"], ["active", "--clear"],
        ["instances", "add", "--no-verify", "mine.example"],
        ["instances", "remove", EndToEnd.instance], ["browser", "--reset"],
      ] {
        let refusal = try session.run(["sovereign-navigation"] + arguments)
        #expect(refusal.status == 4, "\(refusal)")
        #expect(refusal.errorText.contains("for \(file) may lock it: "), "\(refusal)")
        #expect(refusal.errorText.contains("it is no key file"), "\(refusal)")
      }
      #expect(try command("doctor").text.contains(file))
      #expect(try command("status").text.contains("\nlocked     ActiveOrigin, by \(file)\n"))
      _ = try session.call("SetOption", "ss", "Notify", "no")
      #expect(try session.property("ActiveOrigin") == "s \"\(EndToEnd.instance)\"")
      let warning = try poll { try session.journal(about: file, .preferenceProblem).last }
      #expect(warning?.contains("what it may lock stays as it is") == true)
      // Put right, it is in force at once.
      try write("Locked=ActiveOrigin\nLocked=Browser\n")
      session.expect("Locked", toBecome: #"as 2 "ActiveOrigin" "Browser""#)
      unlink(file)
      session.expect("Locked", toBecome: "as 0")
      #expect(try session.call("SetActive", "s", "mine.example") == #"s "https://mine.example""#)
    }

    /// What the user chose in a shell that does not know the service is not lost meanwhile.
    @Test func aShellIsFollowedWhenABrokenOneIsPutRight() throws {
      try write("")
      try writeFile(file, "")
      _ = try session.servicePID()
      let store = session.home + "/.local/share/fs.sovereign.desktop/instances.json"
      try makeDirectories(parent(of: store))
      try writeFile(
        store,
        """
        {"activeUrl": "https://mine.example", "instances": [
          {"url": "https://mine.example", "label": "Mine", "addedAt": 1}]}
        """)
      try session.endService(SIGTERM)
      #expect(try session.property("ActiveOrigin") == #"s """#)
      try write("Browser=none.desktop\n")
      session.expect("ActiveOrigin", toBecome: #"s "https://mine.example""#)
    }
  }
}
