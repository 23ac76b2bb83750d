import TestSupport
import Testing

@testable import sovereign_navigation

struct HelpTests {
  @Test(arguments: Command.allCases) func documentsEveryCommandAndOption(_ command: Command) throws
  {
    #expect(Help.overview.contains("\n  \(command.rawValue) "))
    #expect(command.help.hasPrefix("Usage: sovereign-navigation \(command.rawValue)"))
    let lines = command.help.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(options(in: lines.prefix { !$0.isEmpty }) == options(of: command))
    let explained = lines.filter { $0.hasPrefix("  -") }.map { $0.split(separator: " ")[0] }
    #expect(explained.map(String.init).sorted() == options(of: command).sorted())
  }

  @Test(arguments: [
    ["help"], ["help", "help"], ["help", "--help"], ["help", "-h"], ["--help", "-h"],
    ["help", "help", "--help"],
  ]) func helpIsATopic(_ arguments: [String]) throws {
    let result = try Tool.result(of: arguments)
    #expect(result.text == Help.overview && result.status == 0, "\(result)")
  }

  @Test(arguments: Command.allCases.map(\.help) + [Help.overview])
  func fitsATerminal(_ text: String) {
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test(arguments: Command.allCases) func theManualHasItsOptions(_ command: Command) throws {
    let synopsis = try manual.drop { $0 != ".SH SYNOPSIS" }.prefix { $0 != ".YS" }
      .split { $0.hasPrefix(".SY") }
    let forms = synopsis.filter { $0.first?.words.contains(command.rawValue) == true }
    #expect(options(in: forms.joined()) == options(of: command))

    let section = try #require(try sections.first { $0.names.contains(command.rawValue) })
    let explained = zip(section.lines, section.lines.dropFirst())
      .filter { $0.0 == ".TP" && $0.1.contains(/^.BI? -/) }
      .map { $0.1.split(separator: " ")[1] }
    #expect(explained.map(String.init).sorted() == options(of: command).sorted())
    #expect(options(in: section.lines).isSubset(of: options(of: command)))
  }

  @Test func theManualHasNoOtherCommands() throws {
    #expect(
      try sections.flatMap(\.names).sorted()
        == (Command.allCases.map(\.rawValue) + ["help"]).sorted())
  }

  private var manual: [Substring] {
    get throws { try Documents.manual("sovereign-navigation.1") }
  }

  /// Those of the manual's commands.
  private var sections: [(names: Set<String>, lines: [Substring])] {
    get throws {
      let lines = try manual.drop { $0 != ".SH COMMANDS" }.dropFirst()
      var sections: [(names: Set<String>, lines: [Substring])] = []
      for line in lines.prefix(while: { !$0.hasPrefix(".SH") }) {
        if line.hasPrefix(".SS ") {
          sections.append((line.dropFirst(4).words, []))
        } else {
          sections[sections.count - 1].lines.append(line)
        }
      }
      return sections
    }
  }

  private func options(of command: Command) -> Set<String> {
    Set(command.options.map(\.rawValue))
  }

  /// Everything in some lines that looks like an option.
  private func options(in lines: some Sequence<Substring>) -> Set<String> {
    Set(
      lines.flatMap { $0.matches(of: /(?:^|[^\w-])(--?[a-z0-9][a-z-]*)/).map { String($0.1) } })
  }

  @Test(arguments: Command.allCases) func bashCompletes(_ command: Command) throws {
    let options = try complete(["sovereign-navigation", command.rawValue, "-"])
    #expect(Set(options) == Set(command.options.map(\.rawValue) + ["--help"]))
  }

  @Test func bashCompletesCommands() throws {
    let words = try complete(["sovereign-navigation", ""])
    #expect(
      Set(words) == Set(Command.allCases.map(\.rawValue) + ["help", "--help", "--version"]))
    #expect(try complete(["sovereign-navigation", "help", "stat"]) == ["status"])
    #expect(try complete(["sovereign-navigation", "instances", "r"]) == ["remove"])
    #expect(
      try complete(["sovereign-navigation", "instances", "add", "--"])
        == ["--label", "--no-verify", "--help"])
  }

  @Test func bashQuotesWhatTheServiceSays() throws {
    #expect(
      try complete(["sovereign-navigation", "active", ""], instances: "https://$(reboot)")
        == [#"https://\$\(reboot\)"#])
  }
}

/// What bash offers for the last of some words.
private func complete(_ words: [String], instances: String = "") throws -> [String] {
  let script = """
    source /usr/share/bash-completion/bash_completion
    source "$1"
    instances=$2
    _sovereign_navigation_instances() { [ -z "$instances" ] || printf '%s\\n' "$instances"; }
    _sovereign_navigation_applications() { :; }
    shift 2
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=$* COMP_TYPE=9 COMP_KEY=9
    COMP_POINT=${#COMP_LINE}
    _sovereign_navigation
    printf '%s\\n' "${COMPREPLY[@]}"
    """
  let result = try Child(
    [
      "bash", "-c", script, "bash", Documents.path("completions/sovereign-navigation.bash"),
      instances,
    ]
      + words, environment: ["PATH": "/usr/bin:/bin"]
  ).wait()
  return result.text.split(separator: "\n").map(String.init)
}
