import TestSupport
import Testing

@testable import sovereign_navigation

struct OutputTests {
  @Test(arguments: [
    ("plain ünïcode 💥", "plain ünïcode 💥"),
    ("a\nb\tc\r\u{0}", "a\u{FFFD}b\u{FFFD}c\u{FFFD}\u{FFFD}"),
    ("\u{1B}[2J\u{7F}\u{9B}2J", "\u{FFFD}[2J\u{FFFD}\u{FFFD}2J"),
    // It would show the rest of the line backwards.
    ("https://a/\u{202E}moc.knab", "https://a/\u{FFFD}moc.knab"),
    ("a\u{2028}b\u{2066}", "a\u{FFFD}b\u{FFFD}"),
    (String(repeating: "é", count: 2048), String(repeating: "é", count: 2048)),
    (String(repeating: "é", count: 2049), String(repeating: "é", count: 2048) + "…"),
  ]) func printable(_ text: String, _ expected: String) {
    #expect(
      Output.printable(text).unicodeScalars.elementsEqual(expected.unicodeScalars),
      "\(text.debugDescription)")
  }

  @Test func wholeIsNotCut() {
    let text = String(repeating: "é", count: 4096)
    #expect(Output.whole("\u{1B}\(text)\n") == "\u{FFFD}\(text)\u{FFFD}")
  }

  /// Python's parser reads what is written, and writes it as it understood it, in ASCII.
  @Test func jsonIsWhatAnotherParserReads() throws {
    let everyScalar = String(
      String.UnicodeScalarView((0...0x2100).compactMap(Unicode.Scalar.init)))
    let value = JSON.object([
      ("all \"\\/", .string(everyScalar)), ("", .string("")), ("astral", .string("💥\u{10FFFF}")),
      ("numbers", .array([.number(.min), .number(-1), .number(0), .number(.max)])),
      ("words", .array([.bool(true), .bool(false), .null])),
      ("empty", .array([.array([]), .object([])])),
      ("marks", .string("e\u{301}\u{FEFF}")),
    ])
    let script = """
      import json, sys
      value = json.loads(sys.stdin.buffer.read().decode("utf-8", "strict"))
      everything = "".join(map(chr, range(0x2101)))
      print(value == {"all \\"\\\\/": everything, "": "", "astral": "\\U0001F4A5\\U0010FFFF",
        "numbers": [-2**63, -1, 0, 2**63 - 1], "words": [True, False, None],
        "empty": [[], {}], "marks": "e\\u0301\\uFEFF"}, list(value))
      """
    let result = try Child(
      ["python3", "-c", script], environment: ["PATH": "/usr/bin:/bin"],
      input: Array(value.text.utf8)
    ).wait()
    #expect(
      result.text
        == #"True ['all "\\/', '', 'astral', 'numbers', 'words', 'empty', 'marks']"#,
      "\(result.errorText)")
    #expect(!value.text.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F) ~= $0.value })
  }
}
