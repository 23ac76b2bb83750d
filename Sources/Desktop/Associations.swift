package import Files
internal import Glibc

/// Which applications are associated with which types, and which are the defaults.
///
/// Source: Association between MIME types and applications 1.0.1. Missing and broken files count as
/// empty ones.
package struct Associations {
  /// An application id, and the file that names it.
  package struct Source: Hashable, Sendable {
    package let id: String
    package let file: String
  }

  private struct List {
    let path: String
    var defaults: [String: [String]] = [:]
    var added: [String: [String]] = [:]
    var removed: [String: [String]] = [:]
    /// The applications directory that the list belongs to, for its last list only.
    let directory: String?
    /// Whether it is in the user's own configuration.
    let isUsers: Bool
  }

  /// Most important first.
  private let lists: [List]

  package init(_ directories: BaseDirectories) {
    let desktops = (directories.environment["XDG_CURRENT_DESKTOP"] ?? "")
      .split(separator: ":").map { $0.lowercased() }
      .filter { !$0.contains("/") }
    let configuration = [directories.configHome] + directories.configDirectories
    let applications = ApplicationDirectories(directories).paths
    var lists: [List] = []
    for (index, directory) in (configuration + applications).enumerated() {
      for desktop in desktops {
        lists.append(
          Self.read(
            "\(directory)/\(desktop)-mimeapps.list", associates: false, directory: nil,
            isUsers: index == 0))
      }
      lists.append(
        Self.read(
          directory + "/mimeapps.list", associates: true,
          directory: index < configuration.count ? nil : directory, isUsers: index == 0))
    }
    self.lists = lists
  }

  /// Added and removed associations count in files of the plain name only.
  private static func read(
    _ path: String, associates: Bool, directory: String?, isUsers: Bool
  ) -> List {
    var list = List(path: path, directory: directory, isUsers: isUsers)
    guard let bytes = try? DurableFile(path: path).read(limit: sizeLimit),
      let file = try? KeyFile(parsing: bytes)
    else { return list }
    list.defaults = lists(file, "Default Applications")
    if associates {
      list.added = lists(file, "Added Associations")
      list.removed = lists(file, "Removed Associations")
    }
    return list
  }

  private static func lists(_ file: borrowing KeyFile, _ group: String) -> [String: [String]] {
    var lists: [String: [String]] = [:]
    for type in file.keys(in: group) where type.hasPrefix("x-scheme-handler/") {
      lists[type] = (file.stringList(type, in: group) ?? []).filter { !$0.isEmpty }
    }
    return lists
  }

  /// Larger than any list in use, in bytes.
  fileprivate static let sizeLimit = 4 << 20

  /// What the user's own lists name for a type: the defaults, then the added associations.
  package func usersChoices(for type: String) -> [Source] {
    let users = lists.filter(\.isUsers)
    return users.flatMap { list in
      (list.defaults[type] ?? []).map { Source(id: $0, file: list.path) }
    }
      + users.flatMap { list in (list.added[type] ?? []).map { Source(id: $0, file: list.path) } }
  }

  /// The defaults for a type, then all applications associated with it, most preferred first.
  package func applications(for type: String) -> [Source] {
    lists.flatMap { list in (list.defaults[type] ?? []).map { Source(id: $0, file: list.path) } }
      + associated(with: type)
  }

  private func associated(with type: String) -> [Source] {
    var result: [Source] = []
    var removed: Set<String> = []
    for list in lists {
      result += (list.added[type] ?? []).filter { !removed.contains($0) }
        .map { Source(id: $0, file: list.path) }
      removed.formUnion(list.removed[type] ?? [])
      guard let directory = list.directory else { continue }
      let claims = ApplicationCache.claims(of: type, in: directory)
      result += claims.filter { !removed.contains($0.id) }
    }
    return result
  }
}

/// The applications in one directory that claim a type in their own entry.
private enum ApplicationCache {
  /// Those that `mimeinfo.cache` names, in its order, then those that it has not caught up with.
  static func claims(of type: String, in directory: String) -> [Associations.Source] {
    let path = directory + "/mimeinfo.cache"
    var cached: [Associations.Source] = []
    if let bytes = try? DurableFile(path: path).read(limit: Associations.sizeLimit),
      let cache = try? KeyFile(parsing: bytes)
    {
      cached = (cache.stringList(type, in: "MIME Cache") ?? []).filter { !$0.isEmpty }
        .map { Associations.Source(id: $0, file: path) }
      if isNewer(path, than: directory) { return cached }
    }
    let known = Set(cached.map(\.id))
    return cached
      + identifiers(below: directory, prefix: "", depth: 0).sorted()
      .filter { id in
        guard !known.contains(id.name) else { return false }
        return DesktopEntry(id: id.name, path: id.path, locales: [])?.mimeTypes.contains(type)
          ?? false
      }
      .map { Associations.Source(id: $0.name, file: $0.path) }
  }

  private struct Identifier: Comparable {
    let name: String
    let path: String

    static func < (left: Identifier, right: Identifier) -> Bool { left.name < right.name }
  }

  private static func identifiers(
    below directory: String, prefix: String, depth: Int
  ) -> [Identifier] {
    guard depth < 4, let entries = opendir(directory) else { return [] }
    defer { closedir(entries) }
    var result: [Identifier] = []
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      guard !name.hasPrefix(".") else { continue }
      let path = "\(directory)/\(name)"
      if name.hasSuffix(DesktopEntry.suffix) {
        result.append(Identifier(name: prefix + name, path: path))
      } else if entry.pointee.d_type == UInt8(DT_DIR) {
        result += identifiers(below: path, prefix: "\(prefix)\(name)-", depth: depth + 1)
      }
    }
    return result
  }

  private static func isNewer(_ path: String, than directory: String) -> Bool {
    var file = stat()
    var parent = stat()
    guard stat(path, &file) == 0, stat(directory, &parent) == 0 else { return false }
    return (file.st_mtim.tv_sec, file.st_mtim.tv_nsec)
      >= (parent.st_mtim.tv_sec, parent.st_mtim.tv_nsec)
  }
}
