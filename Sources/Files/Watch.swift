internal import Glibc

/// A name in a directory: something happens there when a file changes.
package struct Watch: Hashable, Sendable {
  package let directory: String
  package let name: String

  /// Every name that is followed on the way to a file, as far as it exists.
  ///
  /// To be asked for again after each change: a directory above can be moved away, or be a link that is
  /// made anew.
  package static func all(on path: String) -> Set<Watch> {
    var watches: Set<Watch> = []
    var directory = ""
    var rest = components(of: path)
    var links = 0
    while let name = rest.popLast() {
      let at = directory.isEmpty ? "/" : directory
      guard isDirectory(at) else { break }
      // A directory that cannot be read cannot be watched; only at the end is that worth a word.
      if rest.isEmpty || access(at, R_OK) == 0 {
        watches.insert(Watch(directory: at, name: name))
      }
      let path = "\(directory)/\(name)"
      guard let target = linkTarget(path) else {
        directory = path
        continue
      }
      // The kernel's own limit, path_resolution(7).
      links += 1
      guard links <= 40 else { break }
      if target.hasPrefix("/") { directory = "" }
      rest += components(of: target)
    }
    return watches
  }
}

/// The names that lead to a path, the last one first.
private func components(of path: String) -> [String] {
  path.split(separator: "/").reversed().map(String.init)
}

private func isDirectory(_ path: String) -> Bool {
  var status = stat()
  return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}
