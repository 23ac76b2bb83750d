/// Why an application is not taken.
package enum Unsuitability: Error, Hashable, Sendable {
  case notInstalled
  case hidden
  case programMissing(String)
  case notRunnable(ExecLineError)
  case hasNoCommand
  case filesOnly
  case needsTerminal
  /// It is this service.
  case ourselves
  /// It asks for the default application, which is this service.
  case genericOpener(String)
  case shell
  case sandboxed
}

extension Unsuitability: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notInstalled: "it is not installed"
    case .hidden: "it is marked as deleted (Hidden)"
    case .programMissing(let program): "its program \(program) is not there"
    case .notRunnable(let error): error.description
    case .hasNoCommand: "it has no Exec"
    case .filesOnly: "it opens local files only"
    case .needsTerminal: "it runs in a terminal"
    case .ourselves: "it is this service itself"
    case .genericOpener(let program):
      "\(program) would only ask for the default application, which may be this service"
    case .shell: "it is a Sovereign shell"
    case .sandboxed: "it is a sandboxed application; name it as the shell to trust it"
    }
  }
}

extension DesktopEntry {
  /// The desktop-file id of this service.
  package static let ours = "fs.sovereign.Navigation.desktop"

  private static let ourName = "fs.sovereign.Navigation"
  private static let ourPrograms: Set<String> = ["sovereign-navigation", "sovereign-navigationd"]

  private static let openers: Set<String> = [
    "xdg-open", "gio", "gvfs-open", "gnome-open", "kde-open", "kde-open5", "kde-open6",
    "kioclient", "kioclient5", "kioclient6", "kfmclient", "exo-open", "mimeopen", "mimeo",
    "handlr", "handlr-regex", "jaro", "linopen", "open", "see", "run-mailcap", "sensible-browser",
    "x-www-browser", "www-browser", "gnome-www-browser", "xdg-settings", "dde-open",
    "enlightenment_open",
    "browse", "x-terminal-emulator",
  ]
  /// Programs that run another one, which their arguments name.
  private static let wrappers: Set<String> = [
    "env", "sh", "bash", "dash", "zsh", "ksh", "busybox", "nice", "ionice", "nohup", "setsid",
    "setpriv", "stdbuf", "timeout", "systemd-run", "systemd-inhibit", "systemd-cat",
    "dbus-launch", "dbus-run-session", "firejail", "gtk-launch", "gapplication", "python3", "perl",
    "xvfb-run", "prime-run", "uwsm", "app2unit",
  ]

  /// Whether links can be given to this application at all; `nil` if they can.
  ///
  /// - Parameter searchPath: Where programs are looked for, as in `PATH`.
  func unsuitability(searchPath: String) -> Unsuitability? {
    if isHidden { return .hidden }
    if id == Self.ours || (exec ?? "").contains(Self.ourName) { return .ourselves }
    if let tryExec, !tryExec.isEmpty,
      Executable.find(tryExec, searchPath: searchPath) == nil
    {
      return .programMissing(tryExec)
    }
    guard let exec else { return busName == nil ? .hasNoCommand : nil }
    let line: ExecLine
    do throws(ExecLineError) {
      line = try ExecLine(exec)
    } catch {
      return busName == nil ? .notRunnable(error) : nil
    }
    if let stranger = Self.indirection(in: line, searchPath: searchPath) { return stranger }
    if busName != nil { return nil }
    guard Executable.find(line.program, searchPath: searchPath) != nil else {
      return .programMissing(line.program)
    }
    if line.targets == .files { return .filesOnly }
    return needsTerminal ? .needsTerminal : nil
  }

  private static func indirection(in line: ExecLine, searchPath: String) -> Unsuitability? {
    var words = [line.program]
    if let program = Executable.find(line.program, searchPath: searchPath) {
      words.append(Executable.resolve(program))
    }
    if words.contains(where: { wrappers.contains(name(of: $0)) }) {
      // A script's words, whatever its syntax.
      words += line.literalWords.dropFirst().flatMap { argument in
        argument.split { !($0.isLetter || $0.isNumber || "-_./".contains($0)) }.map(String.init)
      }
      // What a wrapper runs may be a link, too.
      words += words.compactMap { word in
        Executable.find(word, searchPath: searchPath).map(Executable.resolve)
      }
    }
    for word in words {
      let name = name(of: word)
      if ourPrograms.contains(name) { return .ourselves }
      if openers.contains(name) { return .genericOpener(name) }
    }
    return nil
  }

  private static func name(of path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}
