import Files
import Glibc
import Navigation
import TestSupport
import Testing
import WebOrigin

@testable import Preferences

@Suite struct BrokenFileTests {
  struct Broken: Sendable, CustomTestStringConvertible {
    let name: String
    let bytes: [UInt8]
    var testDescription: String { name }

    init(_ name: String, _ text: String) { self.init(name, Array(text.utf8)) }

    init(_ name: String, _ bytes: [UInt8]) {
      self.name = name
      self.bytes = bytes
    }

    static let all = [
      Broken("empty", ""),
      Broken("blank", "\n\n"),
      Broken("comments", "# ActiveOrigin=https://x.example\n"),
      Broken("garbage", "ActiveOrigin"),
      Broken("JSON", "{ \"activeUrl\": \"https://x.example\" }\n"),
      Broken("a line that is none", "[Navigation]\nActiveOrigin https://x.example\n"),
      Broken("another group", "[Navigaton]\nActiveOrigin=https://x.example\n"),
      Broken("binary", (0...255).map { $0 }),
      Broken("NUL", "[Navigation]\nActiveOrigin=https://x.example\0\n"),
      Broken("UTF-16", [0xFF, 0xFE] + Array("[Navigation]\n".utf16.flatMap { [UInt8($0), 0] })),
      Broken("1 MiB and a byte", [UInt8](repeating: UInt8(ascii: "#"), count: (1 << 20) + 1)),
      Broken("cut off", String(example.prefix { $0 != "v" })),
    ]
  }

  /// In a running service.
  @Test(arguments: Broken.all)
  func changesNothing(_ broken: Broken) throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    let before = store.settings

    try home.write(broken.bytes)
    let outcome = store.reload()
    #expect(outcome.current == before)
    #expect(outcome.news.count == 1)
    #expect("\(outcome.news)".contains("the last good settings are in force"))
    let copies = try home.copies()
    #expect(copies == ["navigation.conf.broken-20251130T000000.123Z"])
    #expect(try readFile("\(home.configuration)/\(copies[0])") == broken.bytes)
    #expect(try mode(of: "\(home.configuration)/\(copies[0])") == 0o600)
    #expect("\(outcome.news)".contains(copies[0]))
    #expect(try readFile(home.paths.file) == broken.bytes)

    #expect(store.reload().news.isEmpty)
    // The next start finds the same, says it again, and makes no second copy.
    let next = home.store()
    #expect(next.settings == before)
    #expect(next.reload().news == outcome.news)
    #expect(try home.copies() == copies)

    // A save starts from the last good text; the copy stays.
    try next.set(.browser, to: "chromium.desktop")
    #expect(
      try home.text()
        == example.replacing("org.mozilla.firefox.desktop", with: "chromium.desktop"))
    #expect(next.diagnostics.isEmpty)
    #expect(try home.copies() == copies)
  }

  struct Source: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// What the file held when it was last read; `nil` if there was none.
    var before: String?
    let now: [UInt8]
    /// Where the good state is kept there is a directory.
    var cannotBeKept = false
    /// The last component of the path.
    let expected: String?

    static let good = "navigation.conf.good"
    static let file = "navigation.conf"

    static let rows =
      [
        Source("says nothing of it", example, "[Navigation]\nNotify=no\n", nil),
        Source("none", example, "[Navigation]\nActiveOrigin=\n", file),
        Source("one", nil, example, file),
        Source("no origin", nil, "[Navigation]\nActiveOrigin=ftp://a.example\n", nil),
        Source("no origin any more", example, "[Navigation]\nActiveOrigin=ftp://a.example\n", good),
        Source("another value that is none", example, example + "\nFollow=maybe\n", file),
        Source(
          "another value that is none, and one", nil,
          "[Navigation]\nActiveOrigin=https://a.example\nFollow=maybe\n", file),
      ]
      + Broken.all.map {
        Source(testDescription: $0.name, before: example, now: $0.bytes, expected: good)
      }
      + Broken.all.filter { $0.name != "cut off" }.map {
        Source(testDescription: "\($0.name), at once", now: $0.bytes, expected: nil)
      }
      + Broken.all.map {
        Source(
          testDescription: "\($0.name), not kept", before: example, now: $0.bytes,
          cannotBeKept: true, expected: nil)
      }

    private init(_ description: String, _ before: String?, _ now: String, _ expected: String?) {
      self.init(
        testDescription: description, before: before, now: Array(now.utf8), expected: expected)
    }

    private init(
      testDescription: String, before: String? = nil, now: [UInt8], cannotBeKept: Bool = false,
      expected: String?
    ) {
      self.testDescription = testDescription
      self.before = before
      self.now = now
      self.cannotBeKept = cannotBeKept
      self.expected = expected
    }
  }

  @Test(arguments: Source.rows)
  func namesTheSourceOfTheActiveInstance(_ row: Source) throws {
    let home = try Home()
    if row.cannotBeKept { try makeDirectories(home.paths.good) }
    if let before = row.before { try home.write(before) }
    let store = home.running()
    #expect(store.activeSource == (row.before == nil ? nil : home.paths.file))
    try home.write(row.now)
    _ = store.reload()
    func name(_ path: String?) -> String? {
      path.map { String($0.split(separator: "/").last ?? "") }
    }
    #expect(name(store.activeSource) == row.expected)
    // So does one that only reads, as far as there is anything to be read.
    #expect(name(home.store().activeSource) == row.expected)
  }

  /// At a start without a good state.
  @Test(arguments: Broken.all)
  func leavesTheDefaults(_ broken: Broken) throws {
    // Without a good state nothing tells that this one is cut off.
    if broken.name == "cut off" { return }
    let home = try Home()
    try home.write(broken.bytes)
    let reader = home.store()
    #expect(reader.settings == Settings(user: Layer()))
    #expect("\(reader.diagnostics)".contains("the defaults are in force"))
    #expect(try entries(of: home.configuration) == ["navigation.conf"])

    let store = home.running()
    #expect(try home.copies().count == 1)
    try store.activate(.named("a"))
    #expect(home.store().settings.policy.active == .named("a"))
    #expect(try home.copies().count == 1)
  }

  /// A broken file that a save finds, before it was looked at.
  @Test func isSetAsideBeforeItIsReplaced() throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    try home.write("garbage")
    try store.activate(.named("a"))
    #expect(try home.copies().count == 1)
    #expect(home.store().settings.policy.active == .named("a"))
    #expect(home.store().settings.browser == "org.mozilla.firefox.desktop")
  }

  /// Without knowing what was there, nothing is written over either file.
  @Test func togetherWithAnUnreadableGoodState() throws {
    let home = try Home()
    try home.write("garbage")
    try makeDirectories(home.paths.good)
    let store = home.running()
    #expect(store.diagnostics.map(\.path) == [home.paths.file, home.paths.good])
    #expect(throws: StoreError.self) { try store.activate(.named("a")) }
    #expect(try home.text() == "garbage")

    try home.write(example)
    removeTree(home.paths.good)
    #expect(store.reload().current.policy.active == exampleOrigin)
    #expect(store.diagnostics.isEmpty)
    #expect(try home.good() == example)
  }

  @Test func keepsTheNewestFiveCopies() throws {
    let home = try Home()
    try makeDirectories(home.configuration)
    let others = ["navigation.conf.broken-mine", "navigation.conf~"]
    for name in others { try writeFile("\(home.configuration)/\(name)", "") }
    let store = home.running()
    for index in 0..<8 {
      try home.write("garbage \(index)")
      #expect(store.reload().news.count == 1)
    }
    #expect(
      try home.copies() == (3..<8).map { "navigation.conf.broken-20251130T000000.\(123 + $0)Z" }
        + [others[0]])
    try home.write("garbage 5")
    #expect(store.reload().news.count == 1)
    #expect(try home.copies().count == 6)
    #expect(
      try readFile("\(home.configuration)/navigation.conf.broken-20251130T000000.130Z")
        == Array("garbage 7".utf8))
  }

  /// Up to the end of a line it may be what somebody wanted; within a line it is broken.
  @Test func cutAtEveryByte() throws {
    let home = try Home()
    try home.write(example)
    let before = home.running().settings
    let bytes = Array(example.utf8)
    for length in 0..<bytes.count {
      try writeFile(home.paths.good, bytes)
      let cut = Array(bytes[..<length])
      try home.write(cut)
      let store = home.running()
      let isWhole = length > 0 && (cut.last == 0x0A || bytes[length] == 0x0A)
      if !isWhole || length < "# Mine.\n[Navigation]".utf8.count {
        #expect(store.settings == before, "\(length)")
        #expect(store.diagnostics.count == 1, "\(length)")
      } else {
        let active = store.settings.policy.active
        #expect(active == nil || active == exampleOrigin, "\(length)")
      }
      #expect(try readFile(home.paths.file) == cut)

      try store.activate(.named("new"))
      let next = home.store()
      #expect(next.settings.policy.active == .named("new"), "\(length)")
      #expect(next.diagnostics.isEmpty || isWhole, "\(length)")
    }
    #expect(try home.copies().count == 5)
  }

  /// What the service itself writes is never taken for cut off.
  @Test func shortensALastLineWithoutAnEnd() throws {
    let home = try Home()
    let text = "[Navigation]\n[Instance 1]\nOrigin=https://a.example\nLabel=abcdef"
    try home.write(text)
    let store = home.running()
    var layer = store.user
    layer.entries[0].label = "abc"
    _ = try store.save(layer)
    #expect(store.user.entries[0].label == "abc")
    // As after a crash between the two files.
    try writeFile(home.paths.good, text)
    #expect(home.store().user.entries[0].label == "abc")
    #expect(home.store().diagnostics.isEmpty)
  }

  @Test func flippedBits() throws {
    let home = try Home()
    let bytes = Array(example.utf8)
    for index in bytes.indices {
      for bit in 0..<8 {
        var flipped = bytes
        flipped[index] ^= 1 << bit
        try home.write(flipped)
        let store = home.store()
        for problem in store.diagnostics { #expect("\(problem)".utf8.count < 500) }
      }
    }
  }

  @Test func hundredMegabytes() throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    #expect(truncate(home.paths.file, 100_000_000) == 0)
    #expect(store.reload().news.count == 1)
    let copies = try home.copies()
    #expect(copies.count == 1)
    #expect(store.reload().news.isEmpty)
    #expect(store.settings.policy.active == exampleOrigin)
    try store.activate(.named("a"))
    #expect(home.store().settings.policy.active == .named("a"))
    #expect(try home.copies() == copies)
  }

  /// Too much to copy is never written over.
  @Test func aTerabyte() throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    #expect(truncate(home.paths.file, 1 << 40) == 0)
    let news = store.reload().news
    #expect(news.count == 2)
    #expect("\(news)".contains("no copy of the broken file can be made"))
    #expect(store.settings.policy.active == exampleOrigin)
    #expect {
      try store.activate(.named("a"))
    } throws: { error in
      if case .brokenFileNotKept = error as? StoreError { true } else { false }
    }
    #expect(store.settings.policy.active == exampleOrigin)
    #expect(try home.copies().isEmpty)
  }
}
