internal import Files

/// Applications that a desktop keeps outside the association files.
struct DelegatedApplications {
  let directories: BaseDirectories
  let installed: ApplicationDirectories
  let searchPath: String

  /// What a setting names.
  struct Delegate {
    let id: String
    /// The file with the setting.
    let file: String
    /// `nil` if the setting leads nowhere.
    let entry: DesktopEntry?
  }

  private var configuration: [String] {
    [directories.configHome] + directories.configDirectories
  }

  /// What an entry that runs `exo-open --launch CATEGORY` stands for: Xfce's setting of that name.
  ///
  /// - Returns: `nil` if the entry is no such one, or if nothing is set.
  func xfce(behind entry: DesktopEntry) -> Delegate? {
    guard let line = entry.exec.flatMap({ try? ExecLine($0) }),
      fileName(line.program) == "exo-open"
    else { return nil }
    // `exo-open URL` takes the category from the scheme.
    let words = line.literalWords
    let category =
      words.firstIndex(of: "--launch").flatMap { words.dropFirst($0 + 1).first } ?? "WebBrowser"
    for directory in configuration {
      let path = directory + "/xfce4/helpers.rc"
      guard let helper = LooseSettings(path)?.value(of: category, in: nil) else { continue }
      let id = helper + DesktopEntry.suffix
      return Delegate(id: id, file: path, entry: (try? installed.entry(id)) ?? xfceHelper(helper))
    }
    return nil
  }

  /// A helper names its programs itself; a custom one its whole command.
  private func xfceHelper(_ name: String) -> DesktopEntry? {
    guard !name.contains("/") else { return nil }
    for directory in [directories.dataHome] + directories.dataDirectories {
      let path = "\(directory)/xfce4/helpers/\(name).desktop"
      guard let file = KeyFile(readingIfPossible: path) else { continue }
      let group = "Desktop Entry"
      let binaries = file.stringList("X-XFCE-Binaries", in: group) ?? []
      let binary =
        binaries.first { Executable.find($0, searchPath: searchPath) != nil } ?? binaries.first
      let command = file.stringList("X-XFCE-CommandsWithParameter", in: group)?.first ?? "%B \"%s\""
      return DesktopEntry(
        id: name + DesktopEntry.suffix, path: path,
        name: file.string("Name", in: group) ?? name,
        exec: Self.exec(from: command, binary: binary ?? ""))
    }
    return nil
  }

  /// A helper's command as an `Exec` value: `%B` is its program and `%s` its parameter.
  private static func exec(from command: String, binary: String) -> String {
    var exec = ""
    var rest = command[...]
    while let character = rest.popFirst() {
      switch (character, rest.first) {
      case ("%", "B"):
        exec += binary
        rest.removeFirst()
      case ("%", "s"):
        exec += "%u"
        rest.removeFirst()
      default: exec.append(character)
      }
    }
    return exec
  }

  /// KDE's `BrowserApplication`: a desktop-file id, or `!` and a command.
  var kdeBrowser: Delegate? {
    for directory in configuration {
      let path = directory + "/kdeglobals"
      guard let value = LooseSettings(path)?.value(of: "BrowserApplication", in: "General")
      else { continue }
      guard value.hasPrefix("!") else {
        let id = value.hasSuffix(DesktopEntry.suffix) ? value : value + DesktopEntry.suffix
        return Delegate(id: id, file: path, entry: try? installed.entry(id))
      }
      let command = String(value.dropFirst())
      guard let program = (try? ExecLine(command))?.program else { return nil }
      let name = fileName(program)
      let id = name + DesktopEntry.suffix
      return Delegate(
        id: id, file: path, entry: DesktopEntry(id: id, path: path, name: name, exec: command))
    }
    return nil
  }
}

/// The part of a path after its last slash.
func fileName(_ path: String) -> String {
  path.split(separator: "/").last.map(String.init) ?? path
}
