import Testing

@testable import Files

private struct Edit: Sendable, CustomTestStringConvertible {
  let what: String
  let before: String
  let after: String
  let change: @Sendable (inout KeyFileEditor) -> Void
  var testDescription: String { what }

  init(
    _ what: String, _ before: String, _ after: String,
    _ change: @escaping @Sendable (inout KeyFileEditor) -> Void
  ) {
    (self.what, self.before, self.after, self.change) = (what, before, after, change)
  }
}

@Suite struct KeyFileEditorTests {
  @Test(arguments: [
    Edit("keeps spacing", "# c\n[A]\n k  =  1\nl=2\n", "# c\n[A]\n k  =  9\nl=2\n") {
      $0.set("k", to: "9", in: "A")
    },
    Edit("changes the last of equal keys", "[A]\nk=1\nk=2\n", "[A]\nk=1\nk=9\n") {
      $0.set("k", to: "9", in: "A")
    },
    Edit("adds after the last key", "[A]\nk=1\n\n# of B\n[B]\n", "[A]\nk=1\nl=9\n\n# of B\n[B]\n") {
      $0.set("l", to: "9", in: "A")
    },
    Edit("adds to an empty group", "[A]\n[B]\n", "[A]\nl=9\n[B]\n") {
      $0.set("l", to: "9", in: "A")
    },
    Edit("adds a group", "[A]\nk=1\n", "[A]\nk=1\n\n[B]\nl=9\n") { $0.set("l", to: "9", in: "B") },
    Edit("adds to an empty file", "", "[B]\nl=9\n") { $0.set("l", to: "9", in: "B") },
    Edit("keeps CR LF and the mark", "\u{FEFF}[A]\r\nk=1\r\n", "\u{FEFF}[A]\r\nk=9\r\nl=8\r\n") {
      $0.set("k", to: "9", in: "A")
      $0.set("l", to: "8", in: "A")
    },
    Edit("keeps a missing last line end", "[A]\nk=1", "[A]\nk=9") { $0.set("k", to: "9", in: "A") },
    Edit("ends the last line before adding", "[A]\nk=1", "[A]\nk=1\nl=9\n") {
      $0.set("l", to: "9", in: "A")
    },
    Edit("escapes", "[A]\n", "[A]\nk=\\s\\tx y\\\\\\n\\r\n") {
      $0.set("k", to: " \tx y\\\n\r", in: "A")
    },
    Edit("escapes a list", "[A]\n", "[A]\nk=a\\;b;c;\nl=\n") {
      $0.set("k", to: ["a;b", "c"], in: "A")
      $0.set("l", to: [], in: "A")
    },
    Edit(
      "removes every repetition", "[A]\nk=1\n# c\n[B]\nk=2\n[A]\nk=3\n", "[A]\n# c\n[B]\nk=2\n[A]\n"
    ) {
      $0.remove("k", in: "A")
    },
    Edit(
      "maps every repetition", "[A]\n k = 1 \n# c\n[B]\nk=2\n[A]\n k = 3\r\nk=4",
      "[A]\nk=1 x\n# c\n[B]\nk=2\n[A]\n k = 3\r\n"
    ) {
      $0.mapRawValues(of: "k", in: "A") { value in
        switch String(decoding: value, as: UTF8.self) {
        case "1 ": Array("1 x".utf8)
        case "3": value
        default: nil
        }
      }
    },
    Edit("a translation is another key", "[A]\nk[de]=1\n", "[A]\nk[de]=1\nk=9\n") {
      $0.set("k", to: "9", in: "A")
    },
    Edit("a comment is no key", "[A]\n#k=1\n", "[A]\nk=9\n#k=1\n") {
      $0.set("k", to: "9", in: "A")
    },
    Edit("what is absent stays absent", "[A]\nk=1\n", "[A]\nk=1\n") {
      $0.remove("l", in: "A")
      $0.remove("k", in: "B")
      $0.removeGroup("B")
      $0.addGroup("A")
    },
    Edit(
      "removes a group and keeps comments", "# top\n[A]\nk=1\n# mine\nl=2\n\n# of B\n[B]\nm=3\n",
      "# top\n# mine\n# of B\n[B]\nm=3\n"
    ) { $0.removeGroup("A") },
    Edit("adding and removing leaves no trace", "[A]\nk=1\n", "[A]\nk=1\n") {
      $0.set("l", to: "9", in: "B")
      $0.removeGroup("B")
    },
    Edit("removes both halves of a group", "[A]\nk=1\n[B]\nm=3\n[A]\nl=2\n", "[B]\nm=3\n") {
      $0.removeGroup("A")
    },
    Edit(
      "removes all that a group leaves at the end", "[B]\nm=3\n\n[A]\nk=1\n\n\n[A]\nl=2\n\n",
      "[B]\nm=3\n"
    ) {
      $0.removeGroup("A")
    },
    Edit(
      "keeps a comment between two halves at the end", "[B]\n\n[A]\n# c\nk=1\n\n[A]\n",
      "[B]\n\n# c\n"
    ) {
      $0.removeGroup("A")
    },
  ])
  fileprivate func edits(_ edit: Edit) {
    var editor = KeyFileEditor(Array(edit.before.utf8))
    edit.change(&editor)
    #expect(String(decoding: editor.bytes, as: UTF8.self) == edit.after)
  }
}
