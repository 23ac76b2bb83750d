import Bus
import TestSupport
import Testing

extension EndToEnd {
  @Suite struct InterfaceTests {
    @Test func introspectionIsWhatTheInstalledFileDocuments() throws {
      let session = try TestSession()
      let live = try session.run([
        "busctl", "--user", "introspect", "--xml-interface", "fs.sovereign.Navigation",
        "/fs/sovereign/Navigation",
      ]).text
      let file = try readFile(
        (Installation.prefix ?? "") + "/share/dbus-1/interfaces/fs.sovereign.Navigation.xml")
      let documented = interfaces(String(decoding: file, as: UTF8.self))
      #expect(documented["fs.sovereign.Navigation"]?.isEmpty == false)
      let running = interfaces(live)
      for (name, members) in documented { #expect(running[name] == members, "\(name)") }
    }

    @Test func wrongSignaturesAreInvalidArguments() throws {
      let session = try TestSession()
      let pid = try session.servicePID()
      let members = [
        "Decide", "DecideMany", "Explain", "Open", "SetActive", "AddInstance", "RemoveInstance",
        "SetOption", "Register", "Unregister",
      ]
      let client = try Client(session)
      for member in members {
        if !member.hasSuffix("egister") {
          #expect(
            errorName { _ = try client.call(member) } == BusError.invalidArguments, "\(member)()")
        }
        let name = errorName {
          _ = try client.call(member) { call throws(BusError) in
            try call.append(true)
            try call.append(7 as UInt32)
          }
        }
        #expect(name == BusError.invalidArguments, "\(member)(bu)")
      }
      #expect(try session.servicePID() == pid)
    }

    @Test func hostileStringsGetAnAnswerOrANamedError() throws {
      let session = try TestSession()
      let pid = try session.servicePID()
      let client = try Client(session)
      let strings = [
        "", " ", "\u{1}\u{7F}\n\t", "\u{FEFF}", String(repeating: "\u{202E}", count: 100),
        String(repeating: "a", count: 3 << 20),
        "https://" + String(repeating: "a", count: 3 << 20),
        "https://" + String(repeating: "é", count: 1 << 20),
      ]
      for string in strings {
        #expect(try client.decide(string) == "blocked")
        #expect(try client.decideMany([string]) == ["blocked"])
        for member in ["SetActive", "RemoveInstance"] where !(member == "SetActive" && string == "")
        {
          let name = errorName {
            _ = try client.call(member) { call throws(BusError) in try call.append(string) }
          }
          #expect(name?.hasPrefix("fs.sovereign.Navigation.Error.") == true, "\(member)")
        }
        for option in ["Browser", "Schemes", string] {
          let name = errorName {
            _ = try client.call("SetOption") { call throws(BusError) in
              try call.append(option)
              try call.append(string + "x")
            }
          }
          #expect(name != nil && name != BusError.noReply, "SetOption(\(option.prefix(20)))")
        }
        let name = errorName { _ = try client.open(string) }
        #expect(name?.hasPrefix("fs.sovereign.Navigation.Error.") == true)
      }
      #expect(try session.servicePID() == pid)
    }

    /// libsystemd reads no string with a noncharacter, though buses carry it.
    @Test(arguments: [0xFFFE, 0xFDD0, 0x1FFFF] as [UInt32])
    func noncharactersGetAnAnswerOrANamedError(_ noncharacter: UInt32) throws {
      let session = try TestSession()
      let pid = try session.servicePID()
      func call(_ member: String, _ arguments: String...) throws -> String {
        let result = try session.run(
          [
            "gdbus", "call", "--session", "--dest", "fs.sovereign.Navigation", "--object-path",
            "/fs/sovereign/Navigation", "--method", "fs.sovereign.Navigation.\(member)", "--",
          ] + arguments)
        return result.text + result.errorText
      }
      let url = "https://a.example/\(String(try #require(Unicode.Scalar(noncharacter))))"
      #expect(try call("Decide", url) == "('blocked',)")
      #expect(try call("SetActive", url).contains("InvalidArgs"))
      #expect(try call("Open", url, "{}").contains("percent-encode it"))
      let offline = try session.run(["sovereign-navigation", "decide", url])
      #expect(offline.text == "browser")
      #expect(try session.servicePID() == pid)
    }

    @Test func thousandsOfLinksKeepNobodyWaiting() throws {
      let session = try TestSession()
      let client = try Client(session)
      _ = try client.decide("")
      for scheme in ["mailto:", "https://a.example/"] {
        let connection = try Connection()
        let call = try connection.makeCall(
          to: "fs.sovereign.Navigation", path: "/fs/sovereign/Navigation",
          interface: "org.freedesktop.Application", member: "Open")
        try call.append((0..<4096).map { "\(scheme)\($0)@a.example" })
        try call.append(options: [])
        try connection.send(call) { _ in }
        connection.flush()
        let clock = ContinuousClock()
        let end = clock.now + .seconds(1)
        var longest = Duration.zero
        repeat {
          longest = max(longest, try clock.measure { _ = try client.decide("") })
        } while clock.now < end
        #expect(longest < .seconds(2), "\(scheme)")
      }
    }

    @Test func limitsHoldAtTheLimitAndOneBeyond() throws {
      let session = try TestSession()
      let client = try Client(session)
      #expect(
        try client.decideMany([String](repeating: "x", count: 4096)).count == 4096)
      let tooMany = errorName {
        _ = try client.decideMany([String](repeating: "x", count: 4097))
      }
      #expect(tooMany == "fs.sovereign.Navigation.Error.LimitExceeded")
      for number in 1...256 { _ = try client.setActive("host\(number).example") }
      let full = errorName { _ = try client.setActive("one-more.example") }
      #expect(full == "fs.sovereign.Navigation.Error.LimitExceeded")
      #expect(try session.property("ActiveOrigin") == #"s "https://host256.example""#)
    }

    @Test func aTakenNameIsExitStatus17() throws {
      let session = try TestSession()
      _ = try session.servicePID()
      let second = try session.run([
        (Installation.prefix ?? "") + "/libexec/sovereign-navigationd"
      ])
      #expect(second.status == 17, "\(second)")
    }
  }
}

/// The name of the error that `body` throws.
private func errorName(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return (error as? BusError)?.name ?? "\(error)"
  }
}

/// The members of each interface in introspection data, one line each for them and their arguments.
private func interfaces(_ xml: String) -> [String: [String]] {
  var interfaces: [String: [String]] = [:]
  var current = ""
  for element in elements(xml) {
    let attributes = element.attributes
    switch element.name {
    case "interface": current = attributes["name"] ?? ""
    case "method", "signal", "property", "arg", "annotation":
      let description = attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      interfaces[current, default: []].append(
        "\(element.name) " + description.joined(separator: " "))
    default: break
    }
  }
  return interfaces.filter { !$0.key.hasPrefix("org.freedesktop.DBus.") }
}

private func elements(_ xml: String) -> [(name: String, attributes: [String: String])] {
  xml.replacing(/<!--(?s).*?-->/, with: "").matches(of: /<(\w+)((?:\s+[\w.]+="[^"]*")*)\s*\/?>/).map
  {
    let attributes = $0.output.2.matches(of: /([\w.]+)="([^"]*)"/)
      .filter { !($0.output.1 == "direction" && $0.output.2 == "out") }
      .map { (String($0.output.1), String($0.output.2)) }
    return (String($0.output.1), Dictionary(attributes) { first, _ in first })
  }
}
