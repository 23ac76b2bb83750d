/// Why an application is not taken.
package enum Unsuitability: Error, Hashable, Sendable {
  case unavailable(DesktopEntryError)
  case programMissing(String)
  case notRunnable(ExecLineError)
  case hasNoCommand
  case filesOnly
  /// It runs in a terminal, and there is none.
  case noTerminal
  /// It is this service.
  case ourselves
  /// It asks for the default application, which may be this service.
  case genericOpener(String)
  case shell
  case sandboxed
}

extension Unsuitability: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unavailable(let error): error.description
    case .programMissing(let program): "its program \(program) is not there"
    case .notRunnable(let error): error.description
    case .hasNoCommand: "it has no Exec"
    case .filesOnly: "it opens local files only"
    case .noTerminal: "it runs in a terminal and no terminal emulator is installed"
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
  package static let ours = ourName + suffix

  private static let ourName = "fs.sovereign.Navigation"
  private static let ourPrograms: Set<String> = ["sovereign-navigation", "sovereign-navigationd"]

  /// Programs that open links with whatever the default application is.
  private static let openers: Set<String> = [
    "xdg-open", "gio", "gvfs-open", "gnome-open", "mate-open", "kde-open", "kde-open5", "kde-open6",
    "kioclient", "kioclient5", "kioclient6", "kfmclient", "exo-open", "mimeopen", "mimeo", "handlr",
    "handlr-regex", "jaro", "linopen", "run-mailcap", "sensible-browser", "x-www-browser",
    "www-browser", "gnome-www-browser", "gtk-launch", "gapplication", "dex", "dde-open",
    "enlightenment_open",
    // A module of Python's.
    "webbrowser", "-mwebbrowser",
  ]
  /// The portal that opens links with the default application, as programs call it on the bus.
  private static let openingPortal = "org.freedesktop.portal.OpenURI"

  /// Why links cannot be given to this application at all; `nil` if they can.
  ///
  /// - Parameter searchPath: Where programs are looked for, as in `PATH`.
  func unsuitability(searchPath: String) -> Unsuitability? {
    let exec = exec ?? ""
    if id == Self.ours || exec.mentions(Self.ourName) { return .ourselves }
    if exec.mentions(Self.openingPortal) { return .genericOpener(Self.openingPortal) }
    guard self.exec != nil else {
      return busName == nil ? .hasNoCommand : missingProgram([], searchPath)
    }
    let line: ExecLine
    do throws(ExecLineError) {
      line = try ExecLine(exec)
    } catch {
      // An activatable application needs none.
      return busName == nil ? .notRunnable(error) : missingProgram([], searchPath)
    }

    let programs = CommandPrograms(line, searchPath: searchPath)
    if !programs.names.isDisjoint(with: Self.ourPrograms) { return .ourselves }
    if let opener = programs.names.intersection(Self.openers).min() {
      return .genericOpener(opener)
    }
    if busName == nil, line.targets == .files { return .filesOnly }
    // After what no installed program would change: where the user named the application, it stays.
    if let missing = missingProgram([line.program, programs.main], searchPath) { return missing }
    return busName == nil && needsTerminal && Terminal.find(searchPath: searchPath) == nil
      ? .noTerminal : nil
  }

  private func missingProgram(_ programs: [String?], _ searchPath: String) -> Unsuitability? {
    ([tryExec] + programs).lazy.compactMap { $0 }
      .first { Executable.find($0, searchPath: searchPath) == nil }
      .map(Unsuitability.programMissing)
  }
}

extension String {
  /// Whether `text` is a part of it. The standard library's own search is a regular expression's,
  /// which doubles the size of the program.
  fileprivate func mentions(_ text: String) -> Bool {
    utf8.indices.contains { utf8[$0...].starts(with: text.utf8) }
  }
}
