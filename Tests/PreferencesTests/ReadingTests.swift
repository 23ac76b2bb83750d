import Navigation
import Testing
import WebOrigin

@testable import Files
@testable import Preferences

@Suite struct ReadingTests {
  struct Good: Sendable {
    let text: String
    var layer = Layer()
    var problems: [Problem] = []
  }

  @Test(arguments: [
    Good(text: "[Navigation]\n"),
    Good(text: "[Navigation]"),
    Good(
      text: "[Navigation]\nActiveOrigin=https://a.example\n",
      layer: Layer { $0.active = .origin(.named("a")) }),
    Good(text: "[Navigation]\nActiveOrigin=\n", layer: Layer { $0.active = .cleared }),
    Good(text: "[Navigation]\nActiveOrigin=  \t\n", layer: Layer { $0.active = .cleared }),
    // A BOM, CR LF and space around everything, as other editors and people write.
    Good(
      text: "\u{FEFF}# mine\r\n[Navigation]\r\n  ActiveOrigin = https://a.example:8443 \r\n",
      layer: Layer { $0.active = .origin(.named("a", port: 8443)) }),
    Good(
      text: """
        [Navigation]
        Browser=org.mozilla.firefox.desktop
        Shell=fs.sovereign.desktop.desktop
        KnownInstances=switch
        Schemes=magnet; NEWS ;;
        Follow=no
        Notify=true
        """,
      layer: Layer {
        $0.browser = "org.mozilla.firefox.desktop"
        $0.shell = "fs.sovereign.desktop.desktop"
        $0.knownInstances = .switch
        $0.schemes = ["magnet", "news"]
        $0.follow = false
        $0.notify = true
      }),
    Good(text: "[Navigation]\nBrowser=\nFollow=\nSchemes=\nKnownInstances=\n"),
    // Instances in the order of the file, whatever their numbers; also before the settings.
    Good(
      text: """
        [Instance 7]
        Origin=https://b.example
        Label=B\\sis\\tthis
        AddedAt=1764460800000
        [Navigation]
        [Instance 2]
        Origin=https://a.example
        [Instance 007]
        Origin=http://[::1]:8080
        Label=
        """,
      layer: Layer {
        $0.append(.named("b"), label: "B is\tthis", addedAt: 1_764_460_800_000)
        $0.append(.named("a"))
        $0.append(Origin(scheme: "http", host: "[::1]", port: 8080))
      }),
    // As GKeyFile reads it: groups of one name are one, and the last of equal keys counts.
    Good(
      text: """
        [Navigation]
        ActiveOrigin=https://a.example
        Follow=false
        [Instance 1]
        Label=One
        [Navigation]
        ActiveOrigin=https://b.example
        [Instance 1]
        Origin=https://b.example
        """,
      layer: Layer {
        $0.active = .origin(.named("b"))
        $0.follow = false
        $0.append(.named("b"), label: "One")
      },
      problems: [.repeatedGroup("Navigation"), .repeatedGroup("Instance 1")]),
    // A key that is unknown, each once.
    Good(
      text: "[Navigation]\nActiveOrgin=x\nActiveOrgin=y\nColour=red\n[Instance 1]\n"
        + "Origin=https://a.example\nlabel=x\n",
      layer: Layer { $0.append(.named("a")) },
      problems: [
        .unknownKey("ActiveOrgin", group: "Navigation", suggestion: "ActiveOrigin"),
        .unknownKey("Colour", group: "Navigation", suggestion: nil),
        .unknownKey("label", group: "Instance 1", suggestion: "Label"),
      ]),
    Good(
      text: "[Navigation]\nLocked=Browser\n[Instance]\n[Instanze 1]\n[Instance 1a]\n[Other]\na=b\n",
      problems: [
        .unknownKey("Locked", group: "Navigation", suggestion: nil),
        .unknownGroup("Instance", suggestion: "Instance 1"),
        .unknownGroup("Instanze 1", suggestion: "Instance 1"),
        .unknownGroup("Instance 1a", suggestion: "Instance 1"),
        .unknownGroup("Other", suggestion: nil),
      ]),
    // One group of a name, one key of a name, as GLib has it.
    Good(
      text: """
        [Navigation]
        Follow=no
        Notify=no
        Colour=red
        Follow=yes
        Colour=blue
        [Instance 1]
        Origin=https://a.example
        Label=A
        [Instance 2]
        Origin=https://b.example
        Origin=https://c.example
        [Other]
        a=1
        a=2
        [Other]
        [Instance 1]
        Origin=https://d.example
        """,
      layer: Layer {
        $0.follow = true
        $0.notify = false
        $0.append(.named("d"), label: "A")
        $0.append(.named("c"))
      },
      problems: [
        .unknownKey("Colour", group: "Navigation", suggestion: nil),
        .unknownGroup("Other", suggestion: nil),
        .repeatedKey("Follow", group: "Navigation"), .repeatedGroup("Instance 1"),
        .repeatedKey("Origin", group: "Instance 2"),
      ]),
    // An instance that is none, one that is there twice, and details that are not usable.
    Good(
      text: """
        [Navigation]
        [Instance 1]
        Label=No origin
        [Instance 2]
        Origin=https://a.example
        AddedAt=yesterday
        Label=A
        [Instance 3]
        Origin=https://a.example
        Label=Again
        """,
      layer: Layer { $0.append(.named("a"), label: "A") },
      problems: [
        .invalidInstance(
          group: "Instance 1",
          InvalidValue(key: "Origin", expected: "an origin like https://my.sovereign.example")),
        .invalidDetail(
          group: "Instance 2",
          InvalidValue(key: "AddedAt", expected: "milliseconds since 1970, in digits")),
        .repeatedInstance(group: "Instance 3", .named("a")),
      ]),
  ])
  func reads(_ good: Good) throws {
    let reading = try Reading(Array(good.text.utf8), fallback: Layer())
    #expect(reading.layer == good.layer)
    #expect(reading.problems == good.problems)
    #expect(!reading.isPatched)
  }

  @Test func namesOnlySoManyRepetitions() throws {
    let groups = (1...40).map {
      "[Instance \($0)]\nOrigin=https://a\($0).example\nLabel=\nLabel=\n"
    }
    let reading = try Reading(Array("[Navigation]\n\(groups.joined())".utf8), fallback: Layer())
    #expect(reading.problems.count == 33)
    #expect(reading.problems.last == .more(8))
    #expect(
      [Problem.repeatedKey("Label", group: "Instance 1"), .repeatedGroup("Instance 1")]
        .map(\.description) == [
          "`Label` in [Instance 1] is there more than once; the last one counts",
          "`Instance 1`: a group that is there more than once, and counts as one; the last value of "
            + "a key counts",
        ])
  }

  @Test(arguments: [
    ("", Defect.empty),
    ("\n", .noNavigationGroup),
    ("# only a comment\n", .noNavigationGroup),
    ("[Navigaton]\nActiveOrigin=https://a.example\n", .noNavigationGroup),
    ("[Instance 1]\nOrigin=https://a.example\n", .noNavigationGroup),
    ("[navigation]\n", .noNavigationGroup),
    ("[Navigation]\n\0\n", .notKeyFile(KeyFileError(reason: "it contains a NUL byte"))),
    (
      "ActiveOrigin=https://a.example\n",
      .notKeyFile(KeyFileError(reason: "line 1 is in no group"))
    ),
    ("[Navigation]\n#" + String(repeating: "x", count: 1 << 20), .tooLarge),
  ])
  func refuses(_ text: String, _ defect: Defect) {
    #expect(throws: defect) { _ = try Reading(Array(text.utf8), fallback: Layer()) }
  }

  @Test(arguments: ["[Navigation]\ngarbage\n", "{\"active\": 1}", "\u{7F}ELF", "[Navigation\n"])
  func refusesWhatIsNoKeyFile(_ text: String) {
    #expect {
      try Reading(Array(text.utf8), fallback: Layer())
    } throws: { error in
      if case .notKeyFile = error as? Defect { true } else { false }
    }
  }

  /// 1 MiB is the last length that is read.
  @Test func readsUpToTheLimit() throws {
    let text = "[Navigation]\nFollow=no\n#"
    let rest = (1 << 20) - text.utf8.count
    let bytes = Array((text + String(repeating: "x", count: rest)).utf8)
    #expect(try Reading(bytes, fallback: Layer()).layer.follow == false)
  }

  @Test(arguments: [
    "ActiveOrigin=my.sovereign.example", "ActiveOrigin=https://a.example/",
    "ActiveOrigin=HTTPS://a.example", "ActiveOrigin=https://A.example",
    "ActiveOrigin=https://a.example:443", "ActiveOrigin=https://user@a.example",
    "ActiveOrigin=https://a.example https://b.example", "ActiveOrigin=https://",
    "ActiveOrigin=h", "ActiveOrigin=null", "ActiveOrigin=javascript:alert(1)",
    "ActiveOrigin=ftp://a.example", "ActiveOrigin=wss://a.example", "ActiveOrigin=file:///etc",
    "ActiveOrigin=sovereign://a.example", "ActiveOrigin=https://*.example",
    "ActiveOrigin=https://a.example\\n", "ActiveOrigin=https://é.example",
    "ActiveOrigin=https://127.1", "ActiveOrigin=\\\\\\q", "Browser=firefox", "Browser=.desktop",
    "Browser=../x.desktop", "Browser=a b.desktop", "Shell=/usr/bin/x", "KnownInstances=Switch",
    "KnownInstances=yes", "Schemes=magnet;javascript;", "Schemes=https", "Schemes=a b",
    "Schemes=sovereign", "Schemes=magnet,news", "Follow=maybe", "Follow=2", "Notify=truee",
  ])
  func keepsASettingWhoseValueIsNotUsable(_ line: String) throws {
    let fallback = Layer {
      $0.active = .origin(.named("old"))
      $0.browser = "old.desktop"
      $0.shell = "old.desktop"
      $0.knownInstances = .switch
      $0.schemes = ["old"]
      $0.follow = false
      $0.notify = false
    }
    let name = String(line.prefix { $0 != "=" })
    let key = try #require(Key(rawValue: name))
    let reading = try Reading(Array("[Navigation]\n\(line)\n".utf8), fallback: fallback)
    #expect(reading.isPatched)
    // What is not there at all takes its default, not the fallback.
    var expected = Layer()
    expected.take(key, from: fallback)
    #expect(reading.layer == expected)
    guard case .invalidValue(let error) = reading.problems.first, reading.problems.count == 1
    else {
      Issue.record("\(reading.problems)")
      return
    }
    #expect(error.key == name)
    #expect(!"\(error)".contains("@"))
  }

  @Test func namesTheOriginThatWasMeant() throws {
    let text = "[Navigation]\nActiveOrigin=https://User:pw@My.Sovereign.Example/\n"
    #expect(
      try Reading(Array(text.utf8), fallback: Layer()).problems.map(\.description) == [
        "the value of `ActiveOrigin` is not usable; write an origin like "
          + "https://my.sovereign.example; the setting stays as it was"
      ])
    #expect(throws: InvalidValue(key: "k", expected: "https://my.sovereign.example")) {
      try Value(key: "k", text: "My.Sovereign.Example/plugins?x").origin()
    }
  }

  @Test func survivesWhatIsNotUTF8() throws {
    let bytes: [UInt8] =
      Array(
        "# \u{1}\n[Navigation]\nActiveOrigin=https://a.example\nBrowser=".utf8) + [
        0xFF, 0xFE, 0x0A,
      ]
    let reading = try Reading(bytes, fallback: Layer { $0.browser = "old.desktop" })
    #expect(reading.layer.active == .origin(.named("a")))
    #expect(reading.layer.browser == "old.desktop")
    #expect(
      reading.problems == [.invalidValue(InvalidValue(key: "Browser", expected: "it in UTF-8"))])
    #expect(throws: Never.self) {
      try Reading(Array("[Navigation]\n".utf8) + [0x61, 0xFF, 0x3D, 0x31, 0x0A], fallback: Layer())
    }
  }

  @Test(arguments: [256, 257])
  func limitsLabels(_ length: Int) throws {
    let label = String(repeating: "x", count: length)
    let text = "[Navigation]\n[Instance 1]\nOrigin=https://a.example\nLabel=\(label)\nAddedAt=5\n"
    let reading = try Reading(Array(text.utf8), fallback: Layer())
    #expect(reading.layer.entries.map(\.label) == [length == 256 ? label : nil])
    #expect(reading.layer.entries.map(\.addedAt) == [5])
    #expect(reading.problems.count == length - 256)
  }

  @Test(arguments: ["9223372036854775807", "-1", "0"])
  func readsTimes(_ time: String) throws {
    let text = "[Navigation]\n[Instance 1]\nOrigin=https://a.example\nAddedAt=\(time)\n"
    let reading = try Reading(Array(text.utf8), fallback: Layer())
    #expect(reading.layer.entries.map { "\($0.addedAt)" } == [time])
  }

  /// The journal is not flooded, and a full file of nonsense is read in no time.
  @Test func namesOnlySoManyUnknownKeys() throws {
    var text = "[Navigation]\n"
    var count = 0
    while text.utf8.count < (1 << 20) - 16 {
      text += "k\(count)=\n"
      count += 1
    }
    let problems = try Reading(Array(text.utf8), fallback: Layer()).problems
    #expect(problems.count == 33)
    #expect(problems.last == .more(count - 32))
  }

  /// Whatever they are, and however many kinds of them there are.
  @Test(arguments: [
    "[Instance %]\n", "[Instance %]\nOrigin=https://a.example\n", "[Group %]\n",
    "[Instance %]\nOrigin=https://a%.example\nLabel=\nLabel=\nAddedAt=never\nother=\n",
  ])
  func namesOnlySoManyProblems(_ unit: String) throws {
    let units = (1...1000).map { unit.replacing("%", with: "\($0)") }.joined()
    let problems = try Reading(
      Array("[Navigation]\nFollow=perhaps\n\(units)".utf8), fallback: Layer()
    )
    .problems
    #expect(problems.count == 33)
    guard case .more(let count) = problems.last else {
      Issue.record("\(problems)")
      return
    }
    #expect(count >= 1000 - 32)
  }

  /// Somebody may have pasted a link at the wrong place; where a line is, `grep -n` says.
  @Test(arguments: [
    ("https://me:hunter2@a.example/private/path", "line 4 is neither a group"),
    ("https://me:hunter2@a.example/private?token=hunter2", "line 4: neither a key nor a group"),
    ("[https://me:hunter2@a.example/private]", "line 4: neither a key nor a group"),
    ("[https://me:hunter2@a.example/private", "line 4 is neither a group"),
    ("[https://[me:hunter2@a.example]", "line 4 is neither a group"),
    ("ActiveOrigin=https://me:hunter2@a.example/private", "the value of `ActiveOrigin`"),
    ("[Instance 1]\nOrigin=https://me:hunter2@a.example/private", "[Instance 1] is no instance"),
    ("[Instance 1]\nhttps://me:hunter2@a.example/private?token=x", "line 5: neither"),
    ("Locked=https://me:hunter2@a.example/private", "a name in `Locked` is not"),
    ("Encoding=https://me:hunter2@a.example/private", "it says that it is not in UTF-8"),
  ])
  func repeatsNoLink(_ line: String, _ expected: String) {
    let bytes = Array("[Navigation]\n# Comment\n\n\(line)\n".utf8)
    var messages: [String] = []
    do {
      let reading = try Reading(bytes, isAdministrators: true, fallback: Layer())
      messages = reading.problems.map(\.description)
    } catch {
      messages = ["\(error)"]
    }
    #expect(messages.contains { $0.contains(expected) }, "\(messages)")
    #expect(!messages.contains { $0.contains("hunter2") || $0.contains("private") }, "\(messages)")
  }

  @Test func putsLittleOfTheFileIntoMessages() throws {
    let long = String(repeating: "y", count: 5000)
    for problem in try Reading(Array("[Navigation]\n\(long)=\n[\(long)]\n".utf8), fallback: Layer())
      .problems
    {
      #expect("\(problem)".count < 200)
    }
    for text in ["[Navigation]\nEvil\u{1B}[31m\u{7}=1\n", "[Navigation]\n\(long)\u{9B}\n"] {
      do {
        _ = try Reading(Array(text.utf8), fallback: Layer())
        Issue.record("read")
      } catch {
        #expect("\(error)".count < 250)
        let isPlain = "\(error)".unicodeScalars.allSatisfy {
          $0.properties.generalCategory != .control
        }
        #expect(isPlain)
      }
    }
  }
}
