/// The programs that a command runs, as far as the command itself says so.
struct CommandPrograms {
  /// The program that does the work: the command's own, or what `env` runs; `nil` if only a shell
  /// would know.
  let main: String?
  /// The names of all programs, without their directories and behind all symbolic links too. Where a
  /// wrapper or a shell runs others, every word that could be one.
  let names: Set<String>

  init(_ line: ExecLine, searchPath: String) {
    let words = line.literalWords
    var programs = [line.program]
    if Self.isWrapper(line.program, searchPath) {
      programs += words.dropFirst().filter { !Self.isAssignment($0) }.flatMap { argument in
        argument.split { !($0.isLetter || $0.isNumber || "-_./+".contains($0)) }.map(String.init)
      }
    }
    names = Set(
      programs.flatMap { program in
        let found = Executable.find(program, searchPath: searchPath)
        return [fileName(program)] + (found.map { [fileName(Executable.resolve($0))] } ?? [])
      })
    main = fileName(line.program) == "env" ? Self.program(ofEnv: words) : line.program
  }

  /// Programs that run another one, which their arguments name, besides interpreters.
  private static let wrappers: Set<String> = [
    "busybox", "nice", "ionice", "nohup", "setsid", "setpriv", "stdbuf", "timeout", "systemd-run",
    "systemd-inhibit", "systemd-cat", "dbus-launch", "dbus-run-session", "firejail", "xvfb-run",
    "prime-run", "uwsm", "uwsm-app", "app2unit", "x-terminal-emulator", "xterm", "taskset", "chrt",
    "choom", "xargs", "sudo", "doas", "pkexec", "unshare", "nsenter", "strace", "script", "watch",
    "flatpak-spawn",
  ]

  private static func isWrapper(_ program: String, _ searchPath: String) -> Bool {
    if isWrapper(program) { return true }
    guard let found = Executable.find(program, searchPath: searchPath) else { return false }
    return isWrapper(Executable.resolve(found))
  }

  private static func isWrapper(_ program: String) -> Bool {
    wrappers.contains(fileName(program)) || Interpreter(program) != nil
  }

  private static func isAssignment(_ word: String) -> Bool {
    guard let equals = word.firstIndex(of: "="), equals != word.startIndex else { return false }
    return word[..<equals].allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
  }

  /// env(1).
  private static func program(ofEnv words: [String]) -> String? {
    var rest = words.dropFirst()
    while let word = rest.popFirst() {
      switch word {
      case "-u", "--unset", "-C", "--chdir": rest = rest.dropFirst()
      case "-S", "--split-string": return nil
      case _ where word.hasPrefix("-") || isAssignment(word): break
      default: return word
      }
    }
    return nil
  }
}
