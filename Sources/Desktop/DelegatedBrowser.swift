internal import Files
internal import Glibc

/// Browsers that a desktop keeps outside the association files.
enum DelegatedBrowser {
  /// What Xfce's `exo-open` entry stands for: `WebBrowser` in `xfce4/helpers.rc`.
  static func xfce(
    _ directories: BaseDirectories, _ installed: ApplicationDirectories
  )
    -> DesktopEntry?
  {
    for directory in [directories.configHome] + directories.configDirectories {
      guard let helper = setting("WebBrowser", in: nil, of: directory + "/xfce4/helpers.rc")
      else { continue }
      return installed.entry(helper + DesktopEntry.suffix) ?? xfceHelper(helper, directories)
    }
    return nil
  }

  /// A helper names its programs itself; a custom one its whole command.
  private static func xfceHelper(_ name: String, _ directories: BaseDirectories) -> DesktopEntry? {
    guard !name.contains("/") else { return nil }
    for directory in [directories.dataHome] + directories.dataDirectories {
      let path = "\(directory)/xfce4/helpers/\(name).desktop"
      guard let bytes = try? DurableFile(path: path).read(limit: 1 << 20),
        let file = try? KeyFile(parsing: bytes)
      else { continue }
      let group = "Desktop Entry"
      let binaries = file.stringList("X-XFCE-Binaries", in: group) ?? []
      let command =
        file.stringList("X-XFCE-CommandsWithParameter", in: group)?.first
        ?? binaries.first.map { "\($0) %s" }
      guard var command else { return nil }
      if let binary = binaries.first { command = replace("%B", by: binary, in: command) }
      // Xfce quotes the parameter itself; an entry's field code must stand outside quotes.
      command = replace("\"%s\"", by: "%u", in: command)
      command = replace("%s", by: "%u", in: command)
      return DesktopEntry(
        id: name + DesktopEntry.suffix, path: path,
        name: file.string("Name", in: group) ?? name, exec: command)
    }
    return nil
  }

  /// KDE's `BrowserApplication`: a desktop-file id, or `!` and a command.
  static func kde(
    _ directories: BaseDirectories, _ installed: ApplicationDirectories
  )
    -> (entry: DesktopEntry, file: String)?
  {
    for directory in [directories.configHome] + directories.configDirectories {
      let path = directory + "/kdeglobals"
      guard let value = setting("BrowserApplication", in: "General", of: path) else { continue }
      guard value.hasPrefix("!") else {
        let id = value.hasSuffix(DesktopEntry.suffix) ? value : value + DesktopEntry.suffix
        return installed.entry(id).map { ($0, path) }
      }
      let command = String(value.dropFirst())
      guard let line = try? ExecLine(command) else { return nil }
      let name = line.program.split(separator: "/").last.map(String.init) ?? line.program
      return (
        DesktopEntry(id: name + DesktopEntry.suffix, path: path, name: name, exec: command), path
      )
    }
    return nil
  }

  /// Xfce's file has no group; GKeyFile wants one.
  private static func setting(_ key: String, in group: String?, of path: String) -> String? {
    guard let bytes = try? DurableFile(path: path).read(limit: 1 << 20) else { return nil }
    let text = group == nil ? Array("[\(path)]\n".utf8) + bytes : bytes
    guard let file = try? KeyFile(parsing: text),
      let value = file.string(key, in: group ?? path), !value.isEmpty
    else { return nil }
    return value
  }

  private static func replace(_ part: String, by new: String, in text: String) -> String {
    var result = ""
    var rest = text[...]
    while let index = rest.indices.first(where: { rest[$0...].hasPrefix(part) }) {
      result += rest[..<index] + new
      rest = rest[rest.index(index, offsetBy: part.count)...]
    }
    return result + rest
  }
}
