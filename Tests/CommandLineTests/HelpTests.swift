import TestSupport
import Testing

@testable import sovereign_navigation

struct HelpTests {
  @Test(arguments: Command.allCases) func documentsEveryCommandAndOption(_ command: Command) throws
  {
    #expect(Help.overview.contains("\n  \(command.rawValue) "))
    #expect(command.help.hasPrefix("Usage: sovereign-navigation \(command.rawValue)"))
    for option in command.options {
      #expect(command.help.contains("\n  \(option.rawValue) "), "\(option.rawValue)")
      #expect(command.help.prefix { $0 != "\n" }.isEmpty == false)
    }
  }

  @Test func helpIsATopic() {
    #expect(Tool.run(["help", "help"]) == .success)
  }

  @Test(arguments: Command.allCases.map(\.help) + [Help.overview])
  func fitsATerminal(_ text: String) {
    for line in text.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test func theManualKnowsEveryCommandAndOption() throws {
    let manual = try repositoryFile("docs/man/sovereign-navigation.1").replacing("\\-", with: "-")
    for command in Command.allCases {
      #expect(manual.contains("\n.B \(command.rawValue)") || manual.contains(".BR browser \" | \""))
      for option in command.options {
        #expect(manual.contains(option.rawValue), "\(option.rawValue)")
      }
    }
    for key in ["application-name", "executable-replaced", "added-at", "opens-because"]
      + Finding.Kind.allCases.map(\.rawValue)
    {
      #expect(manual.contains("\n.B \(key)\n"), "\(key)")
    }
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
      "bash", "-c", script, "bash", repositoryPath("completions/sovereign-navigation.bash"),
      instances,
    ]
      + words, environment: ["PATH": "/usr/bin:/bin"]
  ).wait()
  return result.text.split(separator: "\n").map(String.init)
}

private func repositoryPath(_ path: String) -> String {
  #filePath.replacing("Tests/CommandLineTests/HelpTests.swift", with: path)
}

private func repositoryFile(_ path: String) throws -> String {
  String(decoding: try readFile(repositoryPath(path)), as: UTF8.self)
}
