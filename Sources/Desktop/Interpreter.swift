/// A program that runs one of its arguments as its language, by the options that matter here.
struct Interpreter {
  enum Script {
    /// What follows the letter, in the same argument or as the next one.
    case value
    /// The next argument, whatever follows the letter.
    case next
    /// The first operand, wherever the letter stands among the options.
    case operand
    /// `value`, and behind the operands, too: getopt(3) sorts them.
    case valueAnywhere
    /// `value`, which is itself a command line that all else is put behind: env(1).
    case commandLine
  }

  let script: Script
  /// The letters of the options that take a script.
  let letters: Set<UInt8>
  /// Those of the options that take something else, the next argument where nothing follows them.
  let valued: Set<UInt8>
  /// Those behind whose value all is the program's that runs.
  let last: Set<UInt8>
  /// The long options that take the next argument; `nil` where any might.
  let valuedLong: Set<String>?

  private init(
    _ script: Script, _ letters: String, valued: String = "", last: String = "",
    long: Set<String>? = nil
  ) {
    self.script = script
    self.letters = Set(letters.utf8)
    self.valued = Set(valued.utf8)
    self.last = Set(last.utf8)
    valuedLong = long
  }

  /// The long options that take a script.
  static let longOptions: Set<String> = [
    "--command", "--eval", "--init-command", "--print", "--process-begin", "--process-code",
    "--process-end", "--run", "--session-command", "--split-string",
  ]

  private static let shell = Interpreter(
    .operand, "c", valued: "oO", long: ["--rcfile", "--init-file"])
  /// It knows single letters, and `-pe`.
  private static let node = Interpreter(.next, "ep", valued: "Cr")
  private static let user = Interpreter(.valueAnywhere, "c", valued: "gGsuw")

  /// By the name of the program without its version.
  private static let known: [String: Interpreter] = [
    "sh": shell, "ash": shell, "bash": shell, "csh": shell, "dash": shell, "ksh": shell,
    "mksh": shell, "rbash": shell, "tcsh": shell, "yash": shell, "zsh": shell,
    "fish": Interpreter(.value, "cC", valued: "dDfop"),
    "su": user, "runuser": user,
    "env": Interpreter(
      .commandLine, "S", valued: "aCu", long: ["--argv0", "--chdir", "--unset"]),
    "python": Interpreter(
      .value, "c", valued: "mWX", last: "cm", long: ["--check-hash-based-pycs"]),
    // Of a module's name it makes a statement.
    "perl": Interpreter(.value, "eEmM", valued: "I", long: []),
    "ruby": Interpreter(.value, "e", valued: "CEIr"),
    "node": node, "nodejs": node,
    "lua": Interpreter(.value, "e", valued: "l", long: []),
    "luajit": Interpreter(.value, "e", valued: "jl", long: []),
    "php": Interpreter(.value, "rBRE", valued: "cdfStz"),
  ]

  init?(_ program: String) {
    guard let known = Self.known[Self.name(program)] else { return nil }
    self = known
  }

  /// The name of a program, without its directory and its version: `python` of `/usr/bin/python3.11`.
  static func name(_ program: String) -> String {
    var name = fileName(program)[...]
    while let last = name.utf8.last, last == UInt8(ascii: ".") || last.isDigit {
      name.removeLast()
    }
    return String(name)
  }
}
