import Navigation
import TestSupport
import Testing

@testable import Preferences
@testable import sovereign_navigation

/// The words that programs compare, wherever they are documented.
struct WordTests {
  /// Those of `Decide`; the others are about opening alone.
  private let reasons = Set(Reason.allCases).subtracting([
    .fromShell, .noShell, .shellCannotAddress, .locked,
  ])
  /// Why something opens elsewhere. That of a link which the shell itself sends nobody can ask for.
  private let detours: [Reason] = [.noShell, .shellCannotAddress, .locked]

  @Test func theInterfaceHasThem() throws {
    let errors = try Documents.interfaceEntries(of: "fs.sovereign.Navigation").map(\.word)
    #expect(errors.sorted() == NavigationError.Code.allCases.map(\.rawValue).sorted())

    let destinations = try Documents.interfaceEntries(of: "Decide").map(\.word)
    #expect(destinations.sorted() == Destination.allCases.map(\.rawValue).sorted())

    let options = try Documents.interfaceEntries(of: "SetOption").map(\.word)
    #expect(options.sorted() == Key.options.map(\.rawValue).sorted())

    let keys = try Documents.interfaceEntries(of: "Explain")
    #expect(keys.map(\.word).sorted() == (ExplainCommand.keys + ["locked"]).sorted())
    func words(_ key: String) -> Set<String> { keys.first { $0.word == key }?.text.words ?? [] }
    #expect(words("reason").subtracting(["or"]) == Set(reasons.map(\.rawValue)))
    #expect(words("hint").isSuperset(of: Hint.allCases.map(\.rawValue)))
    #expect(words("opens-because").isSuperset(of: detours.map(\.rawValue)))
  }

  @Test func theManualHasThem() throws {
    let decide = try explained(by: "decide")
    #expect(
      words(decide, "destination").subtracting(["or"]) == Set(Destination.allCases.map(\.rawValue)))

    let explain = try explained(by: "explain")
    #expect(explain.map(\.key).sorted() == (ExplainCommand.keys + ["input", "locked"]).sorted())
    #expect(words(explain, "reason").subtracting(["or"]) == Set(reasons.map(\.rawValue)))
    #expect(words(explain, "hint").isSuperset(of: Hint.allCases.map(\.rawValue)))
    #expect(words(explain, "opens-because").isSuperset(of: detours.map(\.rawValue)))

    let page = try Documents.manual("sovereign-navigation.1")
    for finding in Finding.Kind.allCases {
      #expect(page.contains(".B \(finding.rawValue)"), "\(finding.rawValue)")
    }
    let service = try Documents.manual("sovereign-navigationd.8")
    for key in Key.allCases.map(\.rawValue) + InstanceKey.allCases.map(\.rawValue) + [lockedKey] {
      #expect(service.contains(".B \(key)"), "\(key)")
    }
  }

  @Test(arguments: Command.allCases.filter { $0.options.contains(.json) })
  func theHelpHasTheKeysOfTheManual(_ command: Command) throws {
    let keys = try explained(by: command.rawValue).map(\.key)
    #expect(!keys.isEmpty)
    let help = command.help.drop { $0 != "J" }.words
    for key in keys { #expect(help.contains(key), "\(key)") }
  }

  /// What the manual says of the answer of a command in JSON.
  private func explained(by command: String) throws -> [(key: String, text: String)] {
    // `.BR browser ", " shell " (an object)"`
    func isHead(_ line: Substring) -> Bool { line.hasPrefix(".BR ") && line.contains("\" (an ") }
    let lines = try Documents.manual("sovereign-navigation.1")
      .drop { !isHead($0) || !$0.words.contains(command) }.dropFirst()
      .prefix { !isHead($0) && !$0.hasPrefix(".SH") }
    var entries: [(key: String, text: String)] = []
    var begins = false
    for line in lines {
      if begins {
        let names = line.words.subtracting(["B", "BR", "or"])
        entries += (names.contains(command) ? [command] : names).map { ($0, "") }
      } else if !entries.isEmpty, line != ".TP" {
        entries[entries.count - 1].text += " \(line)"
      }
      begins = line == ".TP" || line == ".TP 18"
    }
    return entries
  }

  private func words(_ entries: [(key: String, text: String)], _ key: String) -> Set<String> {
    (entries.first { $0.key == key }?.text.words ?? []).subtracting(["B", "BR", "RE"])
  }
}
