import Glibc
import TestSupport
import Testing

/// What may be found where a file of the service should be.
struct WrongFile: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Puts it at a path; the directory is there, and nothing else.
  let make: @Sendable (String) throws -> Void

  init(_ testDescription: String, make: @escaping @Sendable (String) throws -> Void) {
    self.testDescription = testDescription
    self.make = make
  }

  init(_ testDescription: String, bytes: [UInt8]) {
    self.init(testDescription) { try writeFile($0, bytes) }
  }

  init(_ testDescription: String, text: String) {
    self.init(testDescription, bytes: Array(text.utf8))
  }

  /// No file at all, or none that may be read by anybody.
  static let odd = [
    WrongFile("a directory") { try check(mkdir($0, 0o700)) },
    WrongFile("a pipe") { try check(mkfifo($0, 0o600)) },
    WrongFile("a device without an end") { try check(symlink("/dev/zero", $0)) },
    WrongFile("a device without content") { try check(symlink("/dev/null", $0)) },
    WrongFile("a terminal") { try check(symlink("/dev/ptmx", $0)) },
    WrongFile("a link to itself") { path in
      try check(symlink(String(path.dropFirst(parent(of: path).count + 1)), path))
    },
    WrongFile("a link below a file") { try check(symlink("/etc/passwd/x", $0)) },
  ]

  /// Files that only an ordinary user cannot read: root can.
  static let forbidden = [
    WrongFile("mode 000") { path in
      try writeFile(path, "[Navigation]\nActiveOrigin=https://file.example\n")
      try check(chmod(path, 0))
    },
    WrongFile("another owner's") { try check(symlink("/etc/shadow", $0)) },
  ]

  static let dangling = WrongFile("a link to nothing") { try check(symlink("nothing", $0)) }

  static let hundredMegabytes = WrongFile("100 MB") { path in
    try writeFile(path, "[Navigation]\nActiveOrigin=https://file.example\n#")
    try check(truncate(path, 100_000_000))
  }

  static let tenTerabytes = WrongFile("10 TB") { path in
    try writeFile(path, "")
    try check(truncate(path, 10 << 40))
  }

  static let nothing = WrongFile("empty", bytes: [])
  static let binary = WrongFile("binary", bytes: Array(0...255))

  private static func check(_ result: Int32) throws {
    if result != 0 { throw SystemError("make a wrong file") }
  }
}

/// What is at a path: its kind, where it leads, and its first bytes.
struct FoundFile: Equatable {
  private let mode: mode_t
  private let size: Int
  private let target: String
  private let head: [UInt8]

  var isLink: Bool { !target.isEmpty }

  init(at path: String) throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw SystemError("lstat \(path)") }
    mode = status.st_mode
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink(path, &buffer, buffer.count - 1)
    target = length < 0 ? "" : String(cString: Array(buffer[..<length]) + [0])
    let isRegular = status.st_mode & S_IFMT == S_IFREG
    size = isRegular ? status.st_size : 0
    head = isRegular && status.st_size <= 2 << 20 ? (try? readFile(path)) ?? [] : []
  }
}

extension TestSession {
  func path(_ name: String) -> String { "\(home)/\(name)" }

  /// Whether the service answers, and what is active for it.
  func expectActive(_ origin: String, _ comment: Comment? = nil) throws {
    #expect(try property("ActiveOrigin") == "s \"\(origin)\"", comment)
    let url = origin.isEmpty ? EndToEnd.foreign : origin
    #expect(
      try call("Decide", "s", url + "/x") == (origin.isEmpty ? #"s "browser""# : #"s "shell""#),
      comment)
  }
}

extension EndToEnd {
  /// Every way in which the preference file can be wrong, before the service starts and under its eyes.
  @Suite struct WrongFileTests {
    /// What the service makes of a file.
    enum Effect: Sendable {
      /// It counts, as far as it can be used.
      case counts
      /// It counts as far as it can be used, and leaves no room for another instance.
      case isFull
      /// It does not count; there is a copy of it, and the next change replaces it.
      case isCopied
      /// It does not count, and is not written over.
      case isLeftAlone
      /// It does not count, and the next change makes what it leads to.
      case isWrittenThrough
    }

    struct Row: Sendable, CustomTestStringConvertible {
      let file: WrongFile
      let effect: Effect
      /// What the only line in the journal says of it; `nil` if there is none.
      let line: String?
      var testDescription: String { file.testDescription }

      init(_ file: WrongFile, _ effect: Effect, _ line: String?) {
        (self.file, self.effect, self.line) = (file, effect, line)
      }

      init(_ description: String, _ text: String, _ effect: Effect, _ line: String?) {
        self.init(WrongFile(description, text: text), effect, line)
      }
    }

    /// What is in the file as far as it can be used.
    private static let said = "[Navigation]\nActiveOrigin=https://file.example\n"
    private static let group = "[Instance 1]\nOrigin=https://file.example\n"

    static let rows =
      [
        Row(.nothing, .isCopied, "it is empty"),
        Row("blank lines", "\n\n", .isCopied, "no group [Navigation]"),
        Row(.binary, .isCopied, "it is no key file"),
        Row("garbage", "ActiveOrigin\n", .isCopied, "it is no key file"),
        Row("NUL", said + "\0", .isCopied, "NUL byte"),
        Row(
          WrongFile(
            "UTF-16", bytes: [0xFF, 0xFE] + said.utf16.flatMap { [UInt8($0 & 0xFF), 0] }),
          .isCopied, "it is no key file"),
        Row("another group", "[Navigaton]\n" + group, .isCopied, "no group [Navigation]"),
        Row("cut off", String(saved.prefix { $0 != "v" }), .isCopied, "ends within a line"),
        Row(
          "over 1 MiB", said + "#" + String(repeating: "x", count: 1 << 20), .isCopied,
          "larger than 1 MiB"),
        Row(.hundredMegabytes, .isCopied, "larger than 1 MiB"),
        Row(.dangling, .isWrittenThrough, "a symbolic link to nothing"),
        Row(
          WrongFile("a link to a file") { path in
            try writeFile(path + ".target", said + group)
            _ = symlink("navigation.conf.target", path)
          }, .counts, nil),
        Row("CR LF", (said + group).replacing("\n", with: "\r\n"), .counts, nil),
        Row("a byte order mark", "\u{FEFF}" + said + group, .counts, nil),
        Row("an active origin that is not in the list", said, .counts, nil),
        Row(
          "a group twice", said + group + group, .counts, "a group that is there more than once"),
        Row("a key twice", said + "Notify=no\nNotify=yes\n", .counts, "the last one counts"),
        Row(
          "an instance twice", said + group + "[Instance 2]\nOrigin=https://file.example\n",
          .counts, "has a group before it"),
        Row("an unknown key", said + "ActiveOrgin=x\n", .counts, "did you mean `ActiveOrigin`?"),
        Row("an unknown group", said + "[Instanze 1]\n", .counts, "did you mean `Instance 1`?"),
        Row("a boolean that is none", said + "Follow=perhaps\n", .counts, "write true or false"),
        Row("a word that is none", said + "KnownInstances=maybe\n", .counts, "browser or switch"),
        Row("a time that is none", said + group + "AddedAt=now\n", .counts, "milliseconds since"),
        Row("an instance without origin", said + "[Instance 1]\n", .counts, "is no instance"),
        Row(
          "an instance at no origin", said + "[Instance 1]\nOrigin=ftp://a.example\n", .counts,
          "is no instance"),
        Row(
          WrongFile(
            "a value that is not UTF-8",
            bytes: Array((said + group + "Label=").utf8) + [0xC3, 0x28, 0x0A]), .counts,
          "in UTF-8"),
        Row(
          "300 instances",
          said + (1...300).map { "[Instance \($0)]\nOrigin=https://i\($0).example\n" }.joined(),
          .isFull, "it holds 300 instances, of which 256 are used"),
      ]
      + WrongFile.odd.map {
        Row(
          $0, .isLeftAlone,
          $0.testDescription.hasPrefix("a link")
            ? "not read and not written over" : "no regular file")
      }

    /// The file as the service itself wrote it.
    fileprivate static let saved = """
      [Navigation]
      ActiveOrigin=https://my.sovereign.example

      [Instance 1]
      Origin=https://my.sovereign.example
      Label=Mine
      AddedAt=1764460800000

      """

    enum Moment: CaseIterable {
      case appears, isThereAtStart, isThereAtTheFirstStart
    }

    @Test(arguments: rows)
    func isDealtWithAsDocumented(_ row: Row) throws {
      let session = try TestSession()
      for moment in Moment.allCases { try examine(row, moment, in: session) }
    }

    fileprivate func examine(_ row: Row, _ moment: Moment, in session: TestSession) throws {
      let comment: Comment = "\(moment)"
      let directory = session.path(".config/sovereign")
      let file = directory + "/navigation.conf"
      let good = session.path(".local/state/sovereign/navigation.conf.good")
      try session.endService(SIGTERM)
      for path in [directory, parent(of: good), session.administratorFile] {
        removeTree(path)
      }
      try makeDirectories(directory)
      try makeDirectories(parent(of: good))
      try writeFile(good, Self.saved)
      // Without a good state nothing tells that it is cut off.
      if moment == .isThereAtTheFirstStart, row.testDescription == "cut off" { return }

      switch moment {
      case .appears:
        try writeFile(file, Self.saved)
        try session.expectActive(EndToEnd.instance)
        // After a cursor, journalctl leaves out the first line that matches.
        try session.settleJournal()
        try session.clearJournal()
        unlink(file)
        try row.file.make(file)
      case .isThereAtStart:
        try session.clearJournal()
        try row.file.make(file)
      case .isThereAtTheFirstStart:
        unlink(good)
        try session.clearJournal()
        try row.file.make(file)
      }
      let found = try FoundFile(at: file)

      let expected: String
      switch (row.effect, moment) {
      case (.counts, _), (.isFull, _): expected = "https://file.example"
      case (_, .isThereAtTheFirstStart): expected = ""
      default: expected = EndToEnd.instance
      }
      // The service has seen it when it says so, in one way or another.
      let seen = try poll {
        _ = try session.call("Decide", "s", "")
        if row.line != nil { return try session.journal(about: file).isEmpty ? nil : true }
        return try session.property("ActiveOrigin").contains("file.example") ? true : nil
      }
      #expect(seen != nil, comment)
      try session.expectActive(expected, comment)
      let source =
        row.effect == .counts || row.effect == .isFull ? file : expected.isEmpty ? "" : good
      let explanation = try session.call("Explain", "s", "")
      #expect(
        explanation.contains("\"active-source\" s \"\(source)\""), "\(moment): \(explanation)")
      if moment == .appears { try reloadAll(session) }
      try expectLines(row, about: file, in: session, comment)
      #expect(try FoundFile(at: file) == found, comment)
      let copies = try entries(of: directory).filter { $0.contains(".broken-") }
      #expect(copies.count == (row.effect == .isCopied ? 1 : 0), comment)
      for copy in copies {
        let bytes = try readFile("\(directory)/\(copy)")
        #expect(try bytes == readFile(file), comment)
      }

      let change = try session.busctl("SetActive", "s", ["after.example"])
      switch row.effect {
      case .counts, .isCopied, .isWrittenThrough:
        #expect(change.status == 0, "\(moment): \(change)")
        try session.expectActive("https://after.example", comment)
        #expect(
          String(decoding: try readFile(file), as: UTF8.self)
            .contains("ActiveOrigin=https://after.example"), comment)
        #expect(try FoundFile(at: file).isLink == found.isLink, comment)
      case .isLeftAlone, .isFull:
        #expect(change.status == 1, comment)
        let reason = row.effect == .isFull ? "remove one" : "the preferences are not changed: "
        #expect(change.errorText.contains(reason), "\(change)")
        try session.expectActive(expected, comment)
        #expect(try FoundFile(at: file) == found, comment)
      }
      // What was broken is still there, and nothing is said twice.
      #expect(
        try entries(of: directory).filter { $0.contains(".broken-") } == copies, comment)
      try expectLines(row, about: file, in: session, comment)
    }

    @Test func statusSaysWhereItComesFrom() throws {
      let session = try TestSession()
      let file = session.path(".config/sovereign/navigation.conf")
      let good = session.path(".local/state/sovereign/navigation.conf.good")
      func status() throws -> String { try session.run(["sovereign-navigation", "status"]).text }
      func expect(_ line: String) throws {
        let isShown = try poll {
          try status().contains("\nactive     \(line)\n") ? true : nil
        }
        let text = try status()
        #expect(isShown != nil, "\(line): \(text)")
      }
      try expect("none")
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      try expect("\(EndToEnd.instance), named by \(file)")
      try writeFile(file, "nonsense")
      try expect("\(EndToEnd.instance), named by \(good), for \(file) does not say")
      try session.endService(SIGTERM)
      unlink(good)
      try expect("none")
      try writeFile(file, "[Navigation]\nActiveOrigin=\n")
      try expect("none, named by \(file)")
      unlink(file)

      let administrators = session.administratorFile
      try makeDirectories(parent(of: administrators))
      try writeFile(administrators, "[Navigation]\nActiveOrigin=\(EndToEnd.instance)\n")
      try expect("\(EndToEnd.instance), named by \(administrators)")
      try writeFile(administrators, "nonsense")
      try expect(
        "\(EndToEnd.instance), named by \(administrators) when that could last be used")
    }

    private func expectLines(
      _ row: Row, about file: String, in session: TestSession, _ comment: Comment
    ) throws {
      try session.settleJournal()
      let lines = try session.journal(about: file)
      #expect(lines.count == (row.line == nil ? 0 : 1), "\(comment): \(lines)")
      if let line = row.line, let first = lines.first {
        #expect(first.contains(line), "\(comment): \(first)")
      }
      #expect(try session.journal(about: file, .preferenceProblem) == lines, comment)
    }

    /// Has the service read all files again, of which only an administrator's is another one.
    private func reloadAll(_ session: TestSession) throws {
      let file = session.administratorFile
      try makeDirectories(parent(of: file))
      try writeFile(file + ".new", "[Navigation]\n[Instance 1]\nOrigin=https://preset.example\n")
      #expect(rename(file + ".new", file) == 0)
      #expect(
        try poll {
          try session.property("Instances").contains("https://preset.example") ? true : nil
        } != nil)
    }
  }
  /// The other files that the service reads, which are no more to be trusted.
  @Suite struct OtherWrongFileTests {
    private static let broken =
      WrongFile.odd + [WrongFile.binary, .hundredMegabytes, .tenTerabytes]

    private func expectOneLine(
      about file: String, _ kind: TestSession.LogKind, in session: TestSession, _ comment: Comment
    ) throws {
      #expect(try poll { try session.journal(about: file).isEmpty ? nil : true } != nil, comment)
      try session.settleJournal()
      let lines = try session.journal(about: file)
      #expect(lines.count == 1, "\(comment): \(lines)")
      #expect(try session.journal(about: file, kind) == lines, comment)
    }

    @Test(arguments: broken + [.nothing, .dangling])
    func anAdministratorsLocksAreNotLost(_ wrong: WrongFile) throws {
      let session = try TestSession()
      let file = session.administratorFile
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      try session.endService(SIGTERM)
      try makeDirectories(parent(of: file))
      try writeFile(
        file, "[Navigation]\nLocked=ActiveOrigin;Shell\nActiveOrigin=https://d.example\n")
      for locked in ["as 2 ", "as 6 "] {
        if locked == "as 2 " {
          try session.expectActive("https://d.example")
          try session.settleJournal()
          try session.clearJournal()
          unlink(file)
          try wrong.make(file)
        } else {
          try session.endService(SIGTERM)
          try session.clearJournal()
        }
        let found = try FoundFile(at: file)
        _ = try session.servicePID()
        try expectOneLine(about: file, .preferenceProblem, in: session, "\(locked)")
        #expect(try session.property("Locked").hasPrefix(locked))
        #expect(try session.busctl("SetActive", "s", ["other.example"]).status == 1)
        try session.expectActive(locked == "as 2 " ? "https://d.example" : EndToEnd.instance)
        #expect(try FoundFile(at: file) == found)
      }
    }

    @Test(arguments: broken + [.nothing])
    func aShellsStoreChangesNothing(_ wrong: WrongFile) throws {
      let session = try TestSession()
      let file = session.path(".local/share/fs.sovereign.desktop/instances.json")
      try makeDirectories(parent(of: file))
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      try session.settleJournal()
      try session.clearJournal()
      try wrong.make(file)
      let found = try FoundFile(at: file)
      try expectOneLine(about: file, .shellStoreProblem, in: session, "appears")
      try session.expectActive(EndToEnd.instance)
      try session.endService(SIGTERM)
      try session.clearJournal()
      try session.expectActive(EndToEnd.instance)
      try expectOneLine(about: file, .shellStoreProblem, in: session, "is there at the start")
      _ = try session.call("SetActive", "s", "after.example")
      try session.expectActive("https://after.example")
      #expect(try FoundFile(at: file) == found)
    }

    /// It matters only where the preference file is no good.
    @Test(arguments: broken + [.nothing, .dangling])
    func aGoodStateThatIsNone(_ wrong: WrongFile) throws {
      let session = try TestSession()
      let file = session.path(".config/sovereign/navigation.conf")
      let good = session.path(".local/state/sovereign/navigation.conf.good")
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      for active in [EndToEnd.instance, ""] {
        try session.endService(SIGTERM)
        removeTree(parent(of: good))
        try makeDirectories(parent(of: good))
        try wrong.make(good)
        if active.isEmpty { try writeFile(file, "garbage\n") }
        try session.clearJournal()
        try session.expectActive(active)
        try session.settleJournal()
        #expect(try session.journal(about: good).count <= 1)
        #expect(try session.journal(about: file).count == (active.isEmpty ? 1 : 0))
      }
      #expect(try readFile(file) == Array("garbage\n".utf8))
    }

    static let lists = [".config/mimeapps.list", ".local/state/sovereign/registration.conf"]

    @Test(arguments: broken, lists)
    func registeringChangesNothing(_ wrong: WrongFile, _ name: String) throws {
      let session = try TestSession()
      let file = session.path(name)
      try makeDirectories(parent(of: file))
      defer { removeTree(file) }
      _ = try session.call("SetActive", "s", EndToEnd.instance)
      for isRunning in [true, false] {
        if !isRunning { try session.endService(SIGTERM) }
        removeTree(file)
        try wrong.make(file)
        let found = try FoundFile(at: file)
        let refusal = try session.busctl("Register", "", [])
        #expect(refusal.status == 1)
        #expect(refusal.errorText.contains("nothing is changed: "), "\(refusal)")
        #expect(refusal.errorText.contains(file), "\(refusal)")
        #expect(try FoundFile(at: file) == found)
        #expect(access(session.path(Self.lists.first { $0 != name } ?? ""), F_OK) != 0)
        try session.expectActive(EndToEnd.instance)
        #expect(try session.run(["sovereign-navigation", "explain", EndToEnd.foreign]).status == 0)
      }
    }
  }
}

extension EndToEnd.WithoutSystemd {
  /// What a writer that was interrupted, or a worn disk, leaves for the next start.
  @Test func aPartOfItAndAFlippedBitDoNotKeepTheServiceFromStarting() throws {
    let session = try TestSession()
    let file = session.path(".config/sovereign/navigation.conf")
    let good = session.path(".local/state/sovereign/navigation.conf.good")
    _ = try session.call("SetActive", "s", EndToEnd.instance)
    let saved = Array(EndToEnd.WrongFileTests.saved.utf8)
    var damaged = saved.indices.map { Array(saved[..<$0]) }
    for index in stride(from: 0, to: saved.count, by: 4) {
      var bytes = saved
      bytes[index] ^= 1 << (index / 4 % 8)
      damaged.append(bytes)
    }
    for (index, bytes) in damaged.enumerated() {
      try session.endService(SIGKILL)
      try writeFile(file, bytes)
      try writeFile(good, saved)
      let active = try session.property("ActiveOrigin")
      // A flipped bit makes another host as well as none. The end of a line may be what was meant.
      if index < saved.count, saved[index] != 0x0A, bytes.last != 0x0A {
        #expect(active == "s \"\(EndToEnd.instance)\"", "\(index)")
      } else if index < saved.count {
        #expect(["s \"\(EndToEnd.instance)\"", #"s """#].contains(active), "\(index)")
      }
      #expect(try session.call("Decide", "s", EndToEnd.foreign) == #"s "browser""#, "\(index)")
      #expect(try readFile(file) == bytes, "\(index)")
    }
    let copies = try entries(of: parent(of: file)).filter { $0.contains(".broken-") }
    #expect(copies.count == 5)
  }
}

// Root, as whom tests run elsewhere, may read and write everything.
extension EndToEnd.WithSystemd {
  @Test(arguments: WrongFile.forbidden)
  func whatMayNotBeReadIsLeftAlone(_ file: WrongFile) throws {
    let session = try TestSession()
    let row = EndToEnd.WrongFileTests.Row(file, .isLeftAlone, "not read and not written over")
    for moment in EndToEnd.WrongFileTests.Moment.allCases {
      try EndToEnd.WrongFileTests().examine(row, moment, in: session)
    }
  }

  @Test func inADirectoryThatMayNotBeWrittenItIsRead() throws {
    let session = try TestSession()
    let directory = session.path(".config/sovereign")
    let file = directory + "/navigation.conf"
    _ = try session.call("SetActive", "s", EndToEnd.instance)
    let saved = try readFile(file)
    try session.settleJournal()
    try session.clearJournal()
    #expect(chmod(directory, 0o555) == 0)
    defer { chmod(directory, 0o755) }
    for _ in 1...2 {
      let change = try session.busctl("SetActive", "s", ["after.example"])
      #expect(change.status == 1)
      #expect(
        change.errorText.contains("the preferences are not changed: open of \(directory)/"),
        "\(change)")
      try session.expectActive(EndToEnd.instance)
      #expect(try readFile(file) == saved)
      try session.settleJournal()
      #expect(try session.journal(about: file).isEmpty)
      try session.endService(SIGTERM)
    }
    #expect(try entries(of: directory) == ["navigation.conf"])
  }
}
