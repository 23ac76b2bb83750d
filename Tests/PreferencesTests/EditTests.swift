import Navigation
import Testing
import WebOrigin

@testable import Preferences

@Suite struct EditTests {
  /// A look at all lines for each would take minutes, in which nobody gets an answer.
  @Test func aLongFileTakesAsManyInstancesAsThereMayBe() throws {
    let head = "[Navigation]\n" + String(repeating: "\n", count: 200_000)
    var many = Layer()
    for number in 1...256 { many.append(.named("i\(number)")) }
    let text = try applying(many.edits(from: Layer()), to: Array(head.utf8))
    #expect(try Reading(text, fallback: Layer()).layer == many)
    // As often as the file has room for it.
    let groups = (1...5_000).map { "[Instance \($0)]\nOrigin=https://i1.example\n" }
    let rest = try applying(
      Layer().edits(from: many), to: Array("[Navigation]\n\(groups.joined())".utf8))
    #expect(rest == Array("[Navigation]\n".utf8))
  }

  struct Case: Sendable {
    let before: String
    let change: @Sendable (inout Layer) -> Void
    let after: String
  }

  @Test(arguments: [
    // From nothing.
    Case(
      before: "",
      change: {
        $0.active = .origin(.named("a"))
        $0.append(.named("a"), label: "My Workspace", addedAt: 1_764_460_800_000)
        $0.browser = "org.mozilla.firefox.desktop"
      },
      after: """
        [Navigation]
        ActiveOrigin=https://a.example
        Browser=org.mozilla.firefox.desktop

        [Instance 1]
        Origin=https://a.example
        Label=My Workspace
        AddedAt=1764460800000

        """),
    // One line changes; comments, spacing, unknown keys and groups, order and blank lines stay.
    Case(
      before: """
        # mine

        [Other]
        b = 2
        [Navigation]
          # the one at home
          ActiveOrigin  =  https://old.example
        Colour=red   \n
        [Instance 3]
        Origin=https://old.example
        """,
      change: { $0.active = .origin(.named("new")) },
      after: """
        # mine

        [Other]
        b = 2
        [Navigation]
          # the one at home
          ActiveOrigin  =  https://new.example
        Colour=red   \n
        [Instance 3]
        Origin=https://old.example
        """),
    // CR LF, a BOM and no last line end.
    Case(
      before: "\u{FEFF}[Navigation]\r\nFollow=true\r\nX=1",
      change: {
        $0.follow = false
        $0.schemes = ["magnet", "news"]
      },
      after: "\u{FEFF}[Navigation]\r\nFollow=false\r\nX=1\r\nSchemes=magnet;news;\r\n"),
    // None is written, a default is a line less.
    Case(
      before: "[Navigation]\nActiveOrigin=https://a.example\nBrowser=x.desktop\n#\n",
      change: {
        $0.active = .cleared
        $0.browser = nil
      },
      after: "[Navigation]\nActiveOrigin=\n#\n"),
    // A new label only; the number of the group and what else is in it do not matter.
    Case(
      before: "[Navigation]\n[Instance 9]\nLabel=Old\nX=1\nOrigin=https://a.example\n",
      change: { $0.entries[0].label = " leading\\ and\ttab" },
      after: "[Navigation]\n[Instance 9]\nLabel=\\sleading\\\\ and\ttab\nX=1\n"
        + "Origin=https://a.example\n"),
    // The next free number.
    Case(
      before: "[Navigation]\n[Instance 2]\nOrigin=https://a.example\n",
      change: { $0.append(.named("b"), addedAt: 5) },
      after: "[Navigation]\n[Instance 2]\nOrigin=https://a.example\n\n"
        + "[Instance 3]\nOrigin=https://b.example\nAddedAt=5\n"),
    Case(
      before: "[Navigation]\n[Instance 1]\nOrigin=broken\n[Instance 3]\nOrigin=https://a.example\n",
      change: { $0.append(.named("b"), addedAt: 5) },
      after: "[Navigation]\n[Instance 1]\nOrigin=broken\n[Instance 3]\nOrigin=https://a.example\n\n"
        + "[Instance 4]\nOrigin=https://b.example\nAddedAt=5\n"),
    // A label that is the default one all the same, and one that is there no more.
    Case(
      before: "[Navigation]\n[Instance 1]\nOrigin=https://a.example\n"
        + "[Instance 2]\nOrigin=https://b.example\nLabel=B\n",
      change: {
        $0.entries[0].label = "a.example"
        $0.entries[1].label = nil
      },
      after: "[Navigation]\n[Instance 1]\nOrigin=https://a.example\nLabel=a.example\n"
        + "[Instance 2]\nOrigin=https://b.example\n"),
    // Every group of the origin goes, or it would come back.
    Case(
      before: """
        [Navigation]
        [Instance 1]
        Origin=https://a.example
        [Instance 2]
        Origin=https://b.example
        [Instance 3]
        Label=again
        Origin=https://a.example
        [Last]

        """,
      change: { $0.entries.removeAll { $0.origin == .named("a") } },
      after: "[Navigation]\n[Instance 2]\nOrigin=https://b.example\n[Last]\n"),
    // The last of equal keys, in the last of equal groups.
    Case(
      before: "[Navigation]\nFollow=no\nFollow=no\n[X]\n[Navigation]\nNotify=no\nFollow=no\n",
      change: { $0.follow = true },
      after: "[Navigation]\nFollow=no\nFollow=no\n[X]\n[Navigation]\nNotify=no\nFollow=true\n"),
    Case(
      before: "[Navigation]\nFollow=no\n[X]\n[Navigation]\nFollow=no\n",
      change: { $0.follow = nil },
      after: "[Navigation]\n[X]\n[Navigation]\n"),
    // A value that was not usable, and nothing else.
    Case(
      before: "[Navigation]\nActiveOrigin=oops\nKnownInstances=oops\n",
      change: { $0.active = .origin(.named("a")) },
      after: "[Navigation]\nActiveOrigin=https://a.example\nKnownInstances=oops\n"),
  ])
  func changesOnlyTheLinesItMust(_ test: Case) throws {
    let before = Array(test.before.utf8)
    let old = before.isEmpty ? Layer() : try Reading(before, fallback: Layer()).layer
    var new = old
    test.change(&new)
    let edits = new.edits(from: old)
    let after = try applying(edits, to: before)
    #expect(String(decoding: after, as: UTF8.self) == test.after)

    let reading = try Reading(after, fallback: new)
    #expect(reading.layer == new)
    for edit in edits { #expect(reading.layer.shows(edit)) }
    // Once more is no change.
    #expect(new.edits(from: reading.layer).isEmpty)
    #expect(try applying([], to: after) == after)
  }

  /// An edit that the text has not got to is not taken for made.
  @Test func seesWhatIsMissing() {
    let new = Layer {
      $0.append(.named("a"), label: "A", addedAt: 1)
      $0.follow = false
    }
    let old = Layer { $0.append(.named("b")) }
    #expect(new.edits(from: old).count == 3)
    #expect(new.edits(from: old).allSatisfy { !old.shows($0) })
    #expect(new.edits(from: old).allSatisfy(new.shows))
  }

  @Test func writesAsManyInstancesAsThereMayBe() throws {
    let layer = Layer {
      for index in 0..<256 {
        $0.append(
          .named("i\(index)"), label: String(repeating: "é", count: 128), addedAt: .max)
      }
      $0.active = .origin(.named("i255"))
    }
    let text = try applying(layer.edits(from: Layer()), to: [])
    #expect(text.count < Reading.maximumLength)
    #expect(try Reading(text, fallback: Layer()).layer == layer)
  }
}
