package import Glibc

/// A directory that goes away with the last reference to it.
package final class TemporaryDirectory {
  package let path: String

  package init() throws {
    var template = Array("/tmp/sovereign-navigation-test.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError("mkdtemp") }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  deinit {
    // A browser's processes end after the browser, and write until then.
    _ = poll(limit: .seconds(5)) {
      removeTree(path)
      return access(path, F_OK) == 0 ? nil : true
    }
  }
}

/// A call of the C library that failed.
package struct SystemError: Error, CustomStringConvertible {
  package let description: String

  package init(_ call: String, errno code: Int32 = errno) {
    description = "\(call): \(String(cString: strerror(code)))"
  }
}

/// Removes what is at `path`, with everything in it; nothing there is fine.
package func removeTree(_ path: String) {
  removeTree(Array(path.utf8CString))
}

/// Names need not be UTF-8.
private func removeTree(_ path: [CChar]) {
  // Of a symbolic link, the link: remove(3) fails first only on directories that are not empty.
  guard remove(path) != 0, errno == ENOTEMPTY || errno == EEXIST else { return }
  for name in names(in: path) ?? [] {
    removeTree(path.dropLast() + [CChar(UInt8(ascii: "/"))] + name)
  }
  remove(path)
}

package func makeDirectories(_ path: String, mode: mode_t = 0o755) throws {
  guard mkdir(path, mode) != 0, errno != EEXIST else { return }
  guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
    throw SystemError("mkdir \(path)")
  }
  try makeDirectories(String(path[..<slash]))
  try makeDirectories(path, mode: mode)
}

package func writeFile(_ path: String, _ text: String, mode: mode_t = 0o644) throws {
  try writeFile(path, Array(text.utf8), mode: mode)
}

package func writeFile(_ path: String, _ bytes: [UInt8], mode: mode_t = 0o644) throws {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
  guard descriptor >= 0 else { throw SystemError("open \(path)") }
  defer { close(descriptor) }
  var written = 0
  while written < bytes.count {
    let count = bytes[written...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw SystemError("write \(path)") }
    written += count
  }
}

package func readFile(_ path: String) throws -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw SystemError("open \(path)") }
  defer { close(descriptor) }
  return try readAll(descriptor, from: path)
}

func readAll(_ descriptor: Int32, from name: String) throws -> [UInt8] {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = pread(descriptor, &chunk, chunk.count, off_t(bytes.count))
    guard count >= 0 else { throw SystemError("read \(name)") }
    if count == 0 { return bytes }
    bytes += chunk[..<count]
  }
}

/// The names in a directory, sorted.
package func entries(of path: String) throws -> [String] {
  guard let names = names(in: Array(path.utf8CString)) else {
    throw SystemError("opendir \(path)")
  }
  return names.map { String(decoding: $0.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self) }
    .sorted()
}

/// The names in a directory, as they are; `nil` where it cannot be opened.
private func names(in path: [CChar]) -> [[CChar]]? {
  guard let directory = opendir(path) else { return nil }
  defer { closedir(directory) }
  var names: [[CChar]] = []
  while let entry = readdir(directory) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      let start = UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self)
      return Array(UnsafeBufferPointer(start: start, count: strlen(start) + 1))
    }
    if name != Array(".".utf8CString) && name != Array("..".utf8CString) { names.append(name) }
  }
  return names
}
