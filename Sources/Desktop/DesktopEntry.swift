package import Files
internal import Glibc

/// An application as its desktop entry describes it.
///
/// Source: Desktop Entry Specification 1.5.
package struct DesktopEntry: Hashable, Sendable {
  /// The desktop-file id: `org.mozilla.firefox.desktop`.
  package let id: String
  /// Where the file is.
  package let path: String
  /// `Name`, in the user's language.
  package var name: String
  /// `Exec`, with the string escapes resolved and the quotes still in it.
  package var exec: String?
  package var tryExec: String?
  /// `Path`, the directory that the program starts in.
  package var workingDirectory: String?
  package var icon: String?
  package var mimeTypes: [String] = []
  package var isHidden = false
  package var isDBusActivatable = false
  package var needsTerminal = false
  /// `X-Sovereign-Shell`: a shell that takes https URLs.
  package var isSovereignShell = false
  /// Whether it is exported from a Flatpak or Snap sandbox.
  package var isSandboxed = false

  /// An entry that starts one command.
  package init(id: String, path: String, name: String, exec: String?) {
    self.id = id
    self.path = path
    self.name = name
    self.exec = exec
  }

  /// The id without its suffix, which is also the bus name of an activatable application.
  package var stem: String { String(id.dropLast(Self.suffix.count)) }

  static let suffix = ".desktop"
}

extension DesktopEntry {
  private static let group = "Desktop Entry"
  /// Larger than any entry with all its translations.
  private static let limit = 1 << 20

  /// Reads an entry; `nil` if the file is no readable desktop entry of an application.
  init?(id: String, path: String, locales: [String]) {
    guard let bytes = try? DurableFile(path: path).read(limit: Self.limit),
      let file = try? KeyFile(parsing: bytes),
      file.string("Type", in: Self.group) ?? "Application" == "Application"
    else { return nil }
    let group = Self.group

    self.init(
      id: id, path: path,
      name: file.localizedString("Name", in: group, locales: locales) ?? id,
      exec: file.string("Exec", in: group))
    tryExec = file.string("TryExec", in: group)
    workingDirectory = file.string("Path", in: group).flatMap { $0.isEmpty ? nil : $0 }
    icon = file.localizedString("Icon", in: group, locales: locales)
    mimeTypes = file.stringList("MimeType", in: group) ?? []
    isHidden = file.boolean("Hidden", in: group) ?? false
    isDBusActivatable = file.boolean("DBusActivatable", in: group) ?? false
    needsTerminal = file.boolean("Terminal", in: group) ?? false
    isSovereignShell = file.boolean("X-Sovereign-Shell", in: group) ?? false
    isSandboxed =
      file.string("X-Flatpak", in: group) != nil
      || file.string("X-SnapInstanceName", in: group) != nil
  }
}

/// The directories that applications are installed into.
package struct ApplicationDirectories: Hashable, Sendable {
  /// Most important first.
  package let paths: [String]
  private let locales: [String]

  /// `applications` in the data directories, and the directories that Flatpak and Snap export to: a
  /// service that was started early does not have them in its environment.
  package init(_ directories: BaseDirectories) {
    var data = [directories.dataHome] + directories.dataDirectories
    for exports in [
      directories.dataHome + "/flatpak/exports/share", "/var/lib/flatpak/exports/share",
      "/var/lib/snapd/desktop",
    ] where !data.contains(exports) { data.append(exports) }
    var paths: [String] = []
    for path in data {
      let trimmed = path.hasSuffix("/") ? String(path.dropLast()) : path
      let directory = trimmed + "/applications"
      if !paths.contains(directory) { paths.append(directory) }
    }
    self.paths = paths
    locales = Self.locales(directories.environment)
  }

  /// The user's languages, most wanted first; locale(7).
  private static func locales(_ environment: [String: String]) -> [String] {
    let locale =
      ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let locale, locale != "C", locale != "POSIX" else { return [] }
    let languages = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init)
    return languages.isEmpty ? [locale] : languages
  }

  /// The entry with a desktop-file id: the first one, even if it is hidden.
  package func entry(_ id: String) -> DesktopEntry? {
    guard id.hasSuffix(DesktopEntry.suffix), !id.hasPrefix("."), !id.contains("/") else {
      return nil
    }
    for directory in paths {
      guard let path = Self.find(id[...], in: directory) else { continue }
      return DesktopEntry(id: id, path: path, locales: locales)
    }
    return nil
  }

  /// A `-` in an id may stand for a subdirectory.
  private static func find(_ id: Substring, in directory: String) -> String? {
    let path = "\(directory)/\(id)"
    if access(path, F_OK) == 0 { return path }
    for dash in id.indices where id[dash] == "-" {
      let subdirectory = "\(directory)/\(id[..<dash])"
      guard dash != id.startIndex, access(subdirectory, X_OK) == 0,
        let path = find(id[id.index(after: dash)...], in: subdirectory)
      else { continue }
      return path
    }
    return nil
  }
}
