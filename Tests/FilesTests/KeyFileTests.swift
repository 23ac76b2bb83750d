import Testing

@testable import Files

private func keyFile(_ text: String) throws -> KeyFile { try KeyFile(parsing: Array(text.utf8)) }

/// Numbers that are the same in every run; Knuth's constants.
private struct Generator: RandomNumberGenerator {
  private var state: UInt64 = 1

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 32
  }
}

@Suite struct KeyFileTests {
  @Test func readsEveryType() throws {
    let file = try keyFile(
      "# top\r\n[A b]\r\nname = x  \r\nesc=a\\sb\\\\c\\n\r\nlist=a\\;b;c;\r\n"
        + "yes=true\r\nno=0\r\nmaybe=perhaps\r\nn=-12 \r\nbig=99999999999999999999\r\nempty=\r\n")
    #expect(file.groups == ["A b"])
    #expect(
      file.keys(in: "A b") == [
        "name", "esc", "list", "yes", "no", "maybe", "n", "big", "empty",
      ])
    #expect(file.string("name", in: "A b") == "x  ")
    #expect(file.string("esc", in: "A b") == "a b\\c\n")
    #expect(file.rawValue("esc", in: "A b") == "a\\sb\\\\c\\n")
    #expect(file.stringList("list", in: "A b") == ["a;b", "c"])
    #expect(file.stringList("empty", in: "A b") == [])
    #expect(file.boolean("yes", in: "A b") == true)
    #expect(file.boolean("no", in: "A b") == false)
    #expect(file.boolean("maybe", in: "A b") == nil)
    #expect(file.int64("n", in: "A b") == -12)
    #expect(file.int64("big", in: "A b") == nil)
    #expect(file.string("empty", in: "A b") == "")
    #expect(file.string("absent", in: "A b") == nil)
    #expect(file.string("name", in: "absent") == nil)
    #expect(file.stringList("absent", in: "A b") == nil)
    let hasAbsentGroup = file.hasGroup("absent")
    #expect(!hasAbsentGroup)
  }

  @Test func skipsAByteOrderMarkOnlyWhereAsked() throws {
    let bytes = Array("\u{FEFF}[A]\nk=1\n".utf8)
    #expect(throws: KeyFileError.self) { _ = try KeyFile(parsing: bytes) }
    let file = try KeyFile(parsingWithMark: bytes)
    #expect(file.string("k", in: "A") == "1")
  }

  @Test func mergesGroupsAndTakesTheLastKey() throws {
    let file = try keyFile("[A]\nk=1\n[B]\nk=2\n[A]\nl=3\nk=4\n")
    #expect(file.groups == ["A", "B"])
    #expect(file.string("k", in: "A") == "4")
    #expect(file.string("l", in: "A") == "3")
  }

  // The last two as GLib 2.74 has them; newer versions give no value there.
  @Test(arguments: [
    (#"a\sb\tc\nd\re"#, "a b\tc\nd\re"), (#"\\s\\\\"#, #"\s\\"#), (#"\sé\s"#, " é "), ("a ", "a "),
    (#"sh -c "echo \"x\"""#, #"sh -c "echo \"x\"""#), (#"a\"#, "a"),
  ])
  func resolvesEscapes(written: String, expected: String) throws {
    let file = try keyFile("[A]\nk=\(written)\n")
    #expect(file.string("k", in: "A") == expected)
  }

  @Test(arguments: [
    (["de_AT.UTF-8"], "österreich"), (["de_DE"], "deutsch"), (["fr", "de"], "deutsch"),
    (["C"], "plain"), ([], "plain"), (["sr_RS@latin"], "latin"),
  ])
  func localizes(locales: [String], expected: String) throws {
    let file = try keyFile(
      "[A]\nName=plain\nName[de]=deutsch\nName[de_AT]=österreich\nName[sr@latin]=latin\n")
    #expect(file.localizedString("Name", in: "A", locales: locales) == expected)
  }

  @Test func valueThatIsNotUTF8SpoilsOnlyItself() throws {
    let file = try KeyFile(parsing: Array("[A]\nbad=".utf8) + [0xFF] + Array("\ngood=1\n".utf8))
    #expect(file.string("bad", in: "A") == nil)
    #expect(file.string("good", in: "A") == "1")
  }

  @Test(arguments: [
    "k=v\n", "[A\n", "[A]\nno equals sign\n", "[A]\n=v\n", "[A]\nk=\0\n", "\0", "[]\n",
  ])
  func refuses(text: String) {
    #expect(throws: KeyFileError.self) { _ = try keyFile(text) }
  }

  @Test(arguments: ["", "\n", "# only a comment", "[A]", "[A]\nk=v"])
  func accepts(text: String) throws {
    _ = try keyFile(text)
  }

  /// Random bytes give an error or a key file, and the editor then agrees with it about every value.
  @Test func survivesRandomBytes() throws {
    let alphabet = Array("[]=#;\\\n\r\t abA\u{FEFF}é".utf8) + [0, 0xFF, 11]
    var generator = Generator()
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0...24, using: &generator)).compactMap { _ in
        alphabet.randomElement(using: &generator)
      }
      var editor = KeyFileEditor(bytes)
      #expect(editor.bytes == bytes)
      guard let before = try? KeyFile(parsingWithMark: bytes) else { continue }
      editor.set("key", to: " a\\;\nb", in: "Group")
      let after = try KeyFile(parsingWithMark: editor.bytes)
      #expect(after.string("key", in: "Group") == " a\\;\nb", "\(bytes)")
      for group in before.groups {
        for key in before.keys(in: group) {
          #expect(after.rawValue(key, in: group) == before.rawValue(key, in: group), "\(bytes)")
        }
      }
      for group in before.groups { editor.removeGroup(group) }
      let rest = try KeyFile(parsingWithMark: editor.bytes)
      // GLib lets names be no UTF-8; such a group cannot be named here.
      #expect(rest.groups.filter { !$0.contains("\u{FFFD}") } == ["Group"], "\(bytes)")
    }
  }
}
