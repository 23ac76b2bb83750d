package import Files
internal import Glibc

/// Finding the program behind a name.
package enum Executable {
  /// The absolute path of a program: as given, or found in the directories of `searchPath`.
  package static func find(_ name: String, searchPath: String) -> String? {
    if name.hasPrefix("/") { return isExecutable(name) ? name : nil }
    // A relative path would depend on where we were started.
    guard !name.isEmpty, !name.contains("/") else { return nil }
    for directory in searchPath.split(separator: ":") where directory.hasPrefix("/") {
      let path = "\(directory)/\(name)"
      if isExecutable(path) { return path }
    }
    return nil
  }

  /// The path behind all symbolic links, or the path itself if it leads nowhere.
  package static func resolve(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  private static func isExecutable(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && access(path, X_OK) == 0
  }
}

extension BaseDirectories {
  /// The directories of programs: `PATH`, else what a user manager has where nothing else is said;
  /// environ(7).
  package var searchPath: String {
    environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games"
  }
}
