internal import Files
internal import Glibc

/// The program: finds the command, runs it, and turns what it throws into a line and a status.
enum Tool {
  static let name = "sovereign-navigation"
  static let version = "0.1.0"

  static func run(_ arguments: [String]) -> ExitStatus {
    // A reader that goes away, as in `… | head`, ends the program without a word.
    signal(SIGPIPE, SIG_DFL)
    guard let first = arguments.first else {
      Output.error(nil, "no command given; try \(name) --help")
      return .usage
    }
    switch first {
    case "--help", "-h", "help":
      let topics = arguments.dropFirst().filter { $0 != "--help" && $0 != "-h" }
      guard topics.count <= 1 else {
        Output.error(first, "more than one command is given")
        return .usage
      }
      return help(topics.first)
    case "--version":
      guard arguments.count == 1 else {
        Output.error(first, "it takes no arguments")
        return .usage
      }
      Output.line("\(name) \(version)")
      return .success
    default:
      break
    }
    guard let command = Command(rawValue: first) else {
      Output.error(first, "no such command; try \(name) --help")
      return .usage
    }
    do throws(ToolError) {
      let rest = Array(arguments.dropFirst())
      if Arguments.askForHelp(rest) { return help(first) }
      let parsed = try Arguments(rest, for: command)
      if command.usesFiles(parsed), let problem = BaseDirectories.ownProblem {
        throw ToolError(.failure, problem)
      }
      return try command.run(parsed)
    } catch {
      Output.error(error.subject ?? first, error.message)
      return error.status
    }
  }

  private static func help(_ topic: String?) -> ExitStatus {
    guard let topic, topic != "help" else {
      Output.line(Help.overview)
      return .success
    }
    guard let command = Command(rawValue: topic) else {
      Output.error(topic, "no such command; try \(name) --help")
      return .usage
    }
    Output.line(command.help)
    return .success
  }
}

/// Exit statuses; documented in the manual page.
enum ExitStatus: Int32 {
  case success = 0
  /// The operation failed, or a check is negative.
  case failure = 1
  case usage = 2
  case unreachable = 3
  case notAllowed = 4
}

/// What a command could not do.
struct ToolError: Error {
  let status: ExitStatus
  /// What it is about: a URL, a setting; the command itself if `nil`.
  let subject: String?
  let message: String

  init(_ status: ExitStatus, about subject: String? = nil, _ message: String) {
    self.status = status
    self.subject = subject
    self.message = message
  }
}
