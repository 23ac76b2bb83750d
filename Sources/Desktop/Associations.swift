package import Files
internal import Glibc

/// Which applications are associated with which schemes, and which are the defaults.
///
/// Source: Association between MIME types and applications 1.0.1. Missing and broken files count as
/// empty ones.
package struct Associations {
  /// An application id, and the file that names it.
  package struct Source: Hashable, Sendable {
    package let id: String
    package let file: String

    /// Whether it is named by a list that counts on one desktop alone.
    package var isOfOneDesktop: Bool {
      file.hasSuffix(AssociationList.name(forDesktop: ""))
    }
  }

  /// The lists of one directory, most important first, and the directory itself if it holds
  /// applications.
  private struct Level {
    let lists: [AssociationList]
    let applications: String?
  }

  private let levels: [Level]
  private let installed: ApplicationDirectories
  private let searchPath: String

  /// Begins the types that stand for schemes.
  static let schemePrefix = "x-scheme-handler/"

  package init(_ directories: BaseDirectories) {
    let desktops = Self.desktops(directories)
    func level(_ directory: String, applications: String?) -> Level {
      // Associations are added and removed in files of the plain name only.
      let specific = desktops.map { desktop in
        AssociationList(
          path: "\(directory)/\(AssociationList.name(forDesktop: desktop))", groups: [.defaults])
      }
      let plain = AssociationList(
        path: "\(directory)/\(AssociationList.plainName)", groups: AssociationList.Group.allCases)
      return Level(lists: specific + [plain], applications: applications)
    }
    installed = ApplicationDirectories(directories)
    searchPath = directories.searchPath
    levels =
      ([directories.configHome] + directories.configDirectories).map {
        level($0, applications: nil)
      } + installed.paths.map { level($0, applications: $0) }
  }

  /// The desktop in use and those it is like, as they are spelled in the names of lists.
  static func desktops(_ directories: BaseDirectories) -> [String] {
    // They become parts of file names.
    (directories.environment["XDG_CURRENT_DESKTOP"] ?? "")
      .split(separator: ":").map { $0.lowercased() }.filter { !$0.contains("/") }
  }

  /// What the user's own lists name for a type: the defaults, then the added associations.
  package func usersChoices(for type: String) -> [Source] {
    let lists = levels.first?.lists ?? []
    return lists.flatMap { $0.ids(.defaults, for: type) }
      + lists.flatMap { $0.ids(.added, for: type) }
  }

  /// What the lists make the default for a type, associated or not, most preferred first.
  package func defaults(for type: String) -> [Source] {
    levels.flatMap(\.lists).flatMap { $0.ids(.defaults, for: type) }
  }

  /// The defaults for a type, then all applications associated with it, most preferred first.
  ///
  /// A default counts only if it is associated with the type, too.
  package func applications(for type: String) -> [Source] {
    let associated = associated(with: type)
    let ids = Set(associated.map(\.id))
    return defaults(for: type).filter { ids.contains($0.id) } + associated
  }

  /// What the desktop opens a type with: the first default that is there, associated or not, as GIO and
  /// xdg-mime take it, else the first associated application.
  func handler(of type: String, besides excluded: String? = nil) -> Source? {
    (defaults(for: type) + associated(with: type))
      .first { $0.id != excluded && isRunnable($0.id) }
  }

  /// The first default that the user's own lists name and that is there.
  func usersDefault(for type: String, besides excluded: String) -> Source? {
    let lists = levels.first?.lists ?? []
    return lists.flatMap { $0.ids(.defaults, for: type) }
      .first { $0.id != excluded && isRunnable($0.id) }
  }

  /// An application whose program is gone is passed over, by GIO and by xdg-mime.
  private func isRunnable(_ id: String) -> Bool {
    (try? installed.entry(id))?.isRunnable(searchPath: searchPath) == true
  }

  /// What the desktop opens links of a scheme with.
  package func handler(ofScheme scheme: String) -> Source? {
    handler(of: Self.schemePrefix + scheme)
  }

  private func associated(with type: String) -> [Source] {
    var result: [Source] = []
    var removed: Set<String> = []
    var above: [String] = []
    /// An entry of the same id in a more important directory stands in its place, whatever names it.
    func counts(_ source: Source) -> Bool {
      !removed.contains(source.id)
        && !above.contains { ApplicationDirectories.file(source.id, in: $0) != nil }
    }
    for level in levels {
      for list in level.lists {
        result += list.ids(.added, for: type).filter(counts)
        // From here on down; what the same list adds stays.
        removed.formUnion(list.ids(.removed, for: type).map(\.id))
      }
      guard let directory = level.applications else { continue }
      result += claims(of: type, in: directory).filter(counts)
      above.append(directory)
    }
    return result
  }

  /// The applications in one directory that claim a type in their own entry.
  ///
  /// Those that its cache names, in the cache's order; where there is none or it is out of date, the
  /// other entries that claim it.
  private func claims(of type: String, in directory: String) -> [Source] {
    let path = directory + "/mimeinfo.cache"
    var cached: [Source] = []
    if let cache = KeyFile(readingIfPossible: path) {
      cached = (cache.stringList(type, in: "MIME Cache") ?? []).prefix(
        AssociationList.mostOfOneType
      )
      .filter { ApplicationDirectories.file($0, in: directory) != nil }
      .map { Source(id: $0, file: path) }
      if Self.isCurrent(path, for: directory) { return cached }
    }
    let known = Set(cached.map(\.id))
    return cached
      + ApplicationDirectories.ids(in: directory).compactMap { id in
        guard !known.contains(id), let path = ApplicationDirectories.file(id, in: directory),
          let entry = try? DesktopEntry(id: id, path: path, locales: []),
          entry.mimeTypes.contains(type)
        else { return nil }
        return Source(id: id, file: path)
      }
  }

  /// Whether nothing was added to a directory since its cache was written.
  private static func isCurrent(_ cache: String, for directory: String) -> Bool {
    var file = stat()
    var parent = stat()
    guard stat(cache, &file) == 0, stat(directory, &parent) == 0 else { return false }
    // Renaming the new cache into place touches the directory a moment later.
    return file.st_mtim.tv_sec + 2 >= parent.st_mtim.tv_sec
  }
}
