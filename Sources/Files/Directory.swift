internal import Glibc

/// The names in a directory, in no order; none if it cannot be read.
package func fileNames(in directory: String) -> [String] {
  guard let stream = opendir(directory) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(
        to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)
      ) {
        String(cString: $0)
      }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// Removes a directory, unless it is gone, or somebody has put something there or uses it.
package func removeDirectory(_ path: String) throws(FileError) {
  guard rmdir(path) != 0, ![ENOTEMPTY, EEXIST, ENOENT, ENOTDIR, EBUSY].contains(errno) else {
    return
  }
  throw FileError(errno: errno, "rmdir", path)
}

/// The directory that a path's last component is in.
package func parent(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  let parent = path[..<slash]
  return parent.isEmpty ? "/" : String(parent)
}
