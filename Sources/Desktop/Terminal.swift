/// The terminal emulator that applications with `Terminal=true` run in.
enum Terminal {
  /// Programs, and the argument after which they take a command; the standard and the system's
  /// choice come first.
  private static let known: [(program: String, option: String?)] = [
    ("xdg-terminal-exec", nil), ("x-terminal-emulator", "-e"), ("gnome-terminal", "--"),
    ("konsole", "-e"), ("xfce4-terminal", "-x"), ("mate-terminal", "-x"), ("foot", nil),
    ("xterm", "-e"),
  ]

  /// The program that runs a command in a terminal, and what stands before the command.
  static func find(searchPath: String) -> (program: String, arguments: [String])? {
    for (program, option) in known {
      guard let path = Executable.find(program, searchPath: searchPath) else { continue }
      return (path, [program] + (option.map { [$0] } ?? []))
    }
    return nil
  }
}
