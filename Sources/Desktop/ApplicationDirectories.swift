package import Files
internal import Glibc

/// The directories that applications are installed into.
package struct ApplicationDirectories: Hashable, Sendable {
  /// Most important first.
  package let paths: [String]
  private let locales: [String]
  private let searchPath: String

  /// `applications` in the data directories, and the directories that Flatpak and Snap export to: a
  /// service that was started early does not have them in its environment.
  package init(_ directories: BaseDirectories) {
    let exports = [
      directories.dataHome + "/flatpak/exports/share", "/var/lib/flatpak/exports/share",
      "/var/lib/snapd/desktop",
    ]
    var seen: Set<String> = []
    paths = ([directories.dataHome] + directories.dataDirectories + exports).compactMap { data in
      let path = (data.hasSuffix("/") ? data : data + "/") + "applications"
      return seen.insert(path).inserted ? path : nil
    }
    locales = Self.locales(directories.environment)
    searchPath = directories.searchPath
  }

  /// The user's languages, most wanted first; gettext(3).
  private static func locales(_ environment: [String: String]) -> [String] {
    let locale =
      ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    guard let locale, locale != "C", locale != "POSIX" else { return [] }
    let languages = (environment["LANGUAGE"] ?? "").split(separator: ":").map(String.init)
    return languages.isEmpty ? [locale] : languages
  }

  /// The application with a desktop-file id: the first whose entry can be read and whose program is
  /// there, as GIO takes it; where there is none, the first one, or why that is none.
  ///
  /// One that says it is deleted takes those behind it with it, which GIO does not do.
  package func entry(_ id: String) throws(DesktopEntryError) -> DesktopEntry {
    var first: Result<DesktopEntry, DesktopEntryError>?
    search: for path in paths.lazy.compactMap({ Self.file(id, in: $0) }) {
      do throws(DesktopEntryError) {
        let entry = try DesktopEntry(id: id, path: path, locales: locales)
        if entry.isRunnable(searchPath: searchPath) { return entry }
        first = first ?? .success(entry)
      } catch {
        first = first ?? .failure(error)
        if case .hidden = error { break search }
      }
    }
    guard let first else { throw .notInstalled }
    return try first.get()
  }

  /// The first with a desktop-file id, whatever it is: not every desktop goes on to the next one.
  package func firstEntry(_ id: String) throws(DesktopEntryError) -> DesktopEntry {
    guard let path = paths.lazy.compactMap({ Self.file(id, in: $0) }).first else {
      throw .notInstalled
    }
    return try DesktopEntry(id: id, path: path, locales: locales)
  }

  /// The file with a desktop-file id in one of the directories.
  static func file(_ id: String, in directory: String) -> String? {
    // Each `-` is a file to look for.
    guard id.utf8.count <= NAME_MAX, id.hasSuffix(DesktopEntry.suffix), !id.hasPrefix("."),
      !id.utf8.contains(UInt8(ascii: "/")), !id.utf8.contains(0),
      let folder = ApplicationFolder(directory)
    else { return nil }
    var left = ApplicationFolder.mostOfOneLookup
    return find(id[...], in: folder, &left)
  }

  /// A `-` in an id may stand for a subdirectory.
  private static func find(
    _ id: Substring, in folder: ApplicationFolder, _ left: inout Int
  ) -> String? {
    guard left > 0 else { return nil }
    left -= 1
    let path = "\(folder.path)/\(id)"
    if access(path, F_OK) == 0 { return path }
    for dash in id.indices where id[dash] == "-" && dash != id.startIndex {
      guard let subfolder = folder.below(id[..<dash]),
        let path = find(id[id.index(after: dash)...], in: subfolder, &left)
      else { continue }
      return path
    }
    return nil
  }

  /// The ids of the entries in one of the directories, sorted; of those in too many subdirectories, the
  /// ones less deep.
  static func ids(in directory: String) -> [String] {
    var waiting = [ApplicationFolder(directory)].compactMap { $0 }
    var found: [String] = []
    var next = 0
    while next < waiting.count {
      let folder = waiting[next]
      next += 1
      let (entries, others) = folder.read()
      found += entries.map { folder.prefix + $0 }
      for name in others where waiting.count < ApplicationFolder.mostOfOneLookup {
        if let subfolder = folder.below(name) { waiting.append(subfolder) }
      }
    }
    return found.sorted()
  }
}
