import Glibc
import TestSupport
import Testing

extension EndToEnd {
  @Suite struct ChangeTests {
    @Test func announcesAChangeOnceBeforeItAnswers() throws {
      let session = try TestSession()
      _ = try session.servicePID()
      let monitor = try session.start(["busctl", "--user", "--json=short", "monitor"])
      // It reports nothing about itself: what it has seen of a change proves that it listens.
      var round = 0
      try #require(
        poll {
          round += 1
          let instance = round.isMultiple(of: 2) ? "zeroth.example" : "first.example"
          _ = try? session.call("SetActive", "s", instance)
          return events(monitor).contains("ActiveChanged") ? true : nil
        } != nil)

      _ = try session.call("SetActive", "s", "second.example")
      _ = try session.call("SetActive", "s", "second.example")
      _ = try session.call("SetActive", "s", "")
      _ = try session.call("RemoveInstance", "s", "https://first.example")
      let expected = [
        "SetActive", "PropertiesChanged", "ActiveChanged", "reply",
        "SetActive", "reply",
        "SetActive", "PropertiesChanged", "ActiveChanged", "reply",
        "RemoveInstance", "PropertiesChanged", "reply",
      ]
      let isSeen = poll {
        events(monitor).suffix(expected.count).elementsEqual(expected) ? true : nil
      }
      #expect(isSeen != nil, "\(events(monitor).suffix(expected.count + 4))")
    }

    @Test func tenThousandDecisionsFollowTheirChange() throws {
      let session = try TestSession()
      _ = try session.servicePID()
      let (writer, reader) = (try Client(session), try Client(session))
      var stale = 0
      for round in 0..<10_000 {
        let host = round.isMultiple(of: 2) ? "even.example" : "odd.example"
        _ = try writer.setActive(host)
        if try reader.decide("https://\(host)/") != "shell" { stale += 1 }
      }
      #expect(stale == 0)
    }

    @Test func takesOverAnEditMadeByHand() throws {
      let session = try TestSession()
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      let file = session.home + "/.config/sovereign/navigation.conf"
      let edited = String(decoding: try readFile(file), as: UTF8.self)
        .replacing("my.sovereign.example", with: "edited.example")
      try writeFile(file, "# mine\n" + edited)
      session.expectToBecomeActive("https://edited.example")
      _ = try session.call("SetActive", "s", "third.example")
      #expect(String(decoding: try readFile(file), as: UTF8.self).hasPrefix("# mine\n"))
    }

    struct Choice: CustomTestStringConvertible {
      let testDescription: String
      /// Of the preferences.
      var edit: @Sendable (String) -> String = { $0 }
      /// What the shell's own store has then.
      var shell = [EndToEnd.instance, EndToEnd.foreign]
      var active = EndToEnd.instance
      var isStored = true
    }

    static let choices = [
      Choice(
        testDescription: "the instance is removed",
        edit: {
          $0.replacing(/\[Instance \d+\]\nOrigin=https:\/\/other\.example\n[^\[]*/, with: "")
        }, isStored: false),
      Choice(
        testDescription: "links open in the browser",
        edit: { $0.replacing("KnownInstances=switch", with: "KnownInstances=browser") }),
      Choice(
        testDescription: "none is active",
        edit: {
          $0.replacing("ActiveOrigin=\(EndToEnd.instance)\n", with: "ActiveOrigin=\n")
        }, active: ""),
      Choice(
        testDescription: "the instance is removed in the shell", shell: [EndToEnd.instance],
        isStored: false),
    ]

    /// What the user has just chosen is not read yet when the link comes.
    @Test(arguments: choices, ["Open", "Application.Open"])
    func aLinkDoesNotUndoWhatWasJustChosen(_ choice: Choice, _ way: String) throws {
      let (session, shell, browser) = try TestSession.withApplications()
      let store = session.home + "/.local/share/fs.sovereign.desktop/instances.json"
      try makeDirectories(session.home + "/.local/share/fs.sovereign.desktop")
      try write([EndToEnd.instance, EndToEnd.foreign], to: store)
      try #require(
        poll {
          (try? session.property("Instances"))?.contains(EndToEnd.foreign) == true ? true : nil
        } != nil)
      _ = try session.call("SetOption", "ss", "KnownInstances", "switch")
      let client = try Client(session)
      let file = session.home + "/.config/sovereign/navigation.conf"
      let before = String(decoding: try readFile(file), as: UTF8.self)
      let after = choice.edit(before)
      #expect((after == before) == (choice.shell.count == 1))

      let link = EndToEnd.foreign + "/page"
      if after == before {
        try write(choice.shell, to: store)
      } else {
        try writeFile(file + ".new", after)
        #expect(rename(file + ".new", file) == 0)
      }
      if way == "Open" {
        #expect(try client.open(link) == "browser")
      } else {
        try client.openAll([link])
      }
      #expect(try browser.launches(1)?.last?.arguments == [link])
      #expect(try shell.launches.isEmpty)
      // The next change follows all that was written before.
      _ = try session.call("SetOption", "ss", "Notify", "false")
      #expect(try session.property("ActiveOrigin") == "s \"\(choice.active)\"")
      let instances = try session.property("Instances")
      #expect(instances.contains(EndToEnd.foreign) == choice.isStored, "\(instances)")
      let text = String(decoding: try readFile(file), as: UTF8.self)
      #expect(text.contains(EndToEnd.foreign) == choice.isStored, "\(text)")
    }

    /// As a shell writes its store that does not know the service; the first is its active one.
    private func write(_ instances: [String], to store: String) throws {
      let list = instances.map { #"{"url":"\#($0)","label":"","addedAt":1}"# }
        .joined(separator: ",")
      try writeFile(
        store + ".new", #"{"instances":[\#(list)],"activeUrl":"\#(EndToEnd.instance)"}"#)
      #expect(rename(store + ".new", store) == 0)
    }

    /// As tools for dotfiles do it: the directory is a link, made anew for each generation.
    @Test func takesOverAnotherDirectory() throws {
      let session = try TestSession()
      _ = try session.servicePID()
      let directory = session.home + "/.config/sovereign"
      for generation in ["one", "two"] {
        let target = "\(session.home)/\(generation)"
        try makeDirectories(target)
        try writeFile(
          target + "/navigation.conf",
          "[Navigation]\nActiveOrigin=https://\(generation).example\n")
        #expect(symlink(target, directory + ".new") == 0)
        #expect(rename(directory + ".new", directory) == 0)
        session.expectToBecomeActive("https://\(generation).example")
      }
      // What the service makes itself is watched, too.
      unlink(directory)
      removeTree(session.home + "/.config")
      session.expectToBecomeActive("")
      _ = try session.call("SetActive", "s", "made.example")
      try writeFile(
        directory + "/navigation.conf", "[Navigation]\nActiveOrigin=https://edited.example\n")
      session.expectToBecomeActive("https://edited.example")
    }

    @Test func announcesALabelThatLibsystemdDoesNotSend() throws {
      let session = try TestSession()
      _ = try session.servicePID()
      try makeDirectories(session.home + "/.config/sovereign")
      try writeFile(
        session.home + "/.config/sovereign/navigation.conf",
        "[Navigation]\nActiveOrigin=https://a.example\n"
          + "[Instance 1]\nOrigin=https://a.example\nLabel=a\u{FFFE}b\nAddedAt=1\n")
      session.expect(
        "Instances",
        toBecome: #"a(ssxa{sv}) 1 "https://a.example" "a\357\277\275b" 1 1 "preset" b false"#)
    }
  }
}

/// What a monitor of the whole bus saw of the service: its members called, its signals, its replies.
private func events(_ monitor: Child) -> [String] {
  var calls: Set<String> = []
  return String(decoding: monitor.output, as: UTF8.self).split(separator: "\n").compactMap { line in
    func value(_ key: String) -> String? {
      line.firstRange(of: "\"\(key)\":").map { line[$0.upperBound...] }.map {
        String($0.prefix { $0 != "," && $0 != "}" }.filter { $0 != "\"" })
      }
    }
    let isOurs = value("path") == "/fs/sovereign/Navigation"
    switch value("type") {
    case "method_call" where isOurs:
      calls.insert("\(value("sender") ?? "") \(value("cookie") ?? "")")
      return value("member")
    case "signal" where isOurs: return value("member")
    case "method_return", "method_error":
      let call = "\(value("destination") ?? "") \(value("reply_cookie") ?? "")"
      return calls.remove(call) == nil ? nil : "reply"
    default: return nil
    }
  }
}
