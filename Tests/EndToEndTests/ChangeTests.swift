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
