internal import Glibc

/// Reading and replacing small files that must not be lost.
///
/// After a crash or a power cut at any moment a replaced file has its old or its new content, never
/// a mixture, and the new one once `replace` has returned.
package enum DurableFile {
  /// The whole content of a regular file of at most `limit` bytes; symbolic links are followed.
  package static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    // Without O_NONBLOCK, opening a FIFO waits for a writer.
    let file = try FileDescriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    let status = try file.status(path)
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileError("read", path, .notRegular) }
    guard status.st_size <= limit else {
      throw FileError("read", path, .tooLarge(limit: limit))
    }
    return try file.readAll(path, limit: limit)
  }

  /// How a replacement failed.
  package enum ReplaceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Nothing has changed.
    case notReplaced(FileError)
    /// The new content is in place, but may not survive a power cut.
    case notDurable(FileError)

    package var description: String {
      switch self {
      case .notReplaced(let error): "\(error); the file is as it was"
      case .notDurable(let error):
        "\(error); the change is made but may not survive a power cut"
      }
    }
  }

  /// Replaces a file's content, or makes the file, and any directory that is missing above it.
  ///
  /// A symbolic link is written through. A file that exists keeps its permissions, a new one gets
  /// 0600, a new directory 0700.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(ReplaceError) {
    let target: String
    do throws(FileError) {
      target = try resolve(path)
      let directory = parent(of: target)
      try makeDirectory(directory)
      removeStaleFiles(of: target, in: directory)
      let temporary = "\(target)\(infix)\(getpid()).\(UInt32.random(in: 0 ... .max))"
      do throws(FileError) {
        try write(bytes, to: temporary, modeOf: target)
        guard rename(temporary, target) == 0 else { throw FileError(errnoOf: "rename", target) }
      } catch {
        unlink(temporary)
        throw error
      }
    } catch {
      throw .notReplaced(error)
    }
    do throws(FileError) {
      try syncDirectory(parent(of: target))
    } catch {
      throw .notDurable(error)
    }
  }

  /// The path behind all symbolic links; its last component need not exist.
  package static func resolve(_ path: String) throws(FileError) -> String {
    var current = path
    for _ in 0..<linkLimit {
      var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(current, &buffer, buffer.count)
      guard count >= 0 else {
        if errno == EINVAL || errno == ENOENT { return current }
        throw FileError(errnoOf: "readlink", current)
      }
      let link = String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
      current = link.hasPrefix("/") ? link : parent(of: current) + "/" + link
    }
    throw FileError("readlink", path, .system(errno: ELOOP))
  }

  /// The directory that a path is in.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    let parent = path[..<slash]
    return parent.isEmpty ? "/" : String(parent)
  }

  /// Makes a directory and all above it, durably.
  package static func makeDirectory(_ path: String) throws(FileError) {
    if mkdir(path, 0o700) == 0 { return try syncDirectory(parent(of: path)) }
    switch errno {
    case EEXIST: return
    case ENOENT:
      let above = parent(of: path)
      guard above != path else { throw FileError(errnoOf: "mkdir", path) }
      try makeDirectory(above)
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
        throw FileError(errnoOf: "mkdir", path)
      }
      try syncDirectory(above)
    default: throw FileError(errnoOf: "mkdir", path)
    }
  }

  private static let infix = ".new-"
  /// As many links as the kernel follows.
  private static let linkLimit = 40

  private static func write(
    _ bytes: [UInt8], to path: String, modeOf target: String
  ) throws(FileError) {
    let file = try FileDescriptor(
      opening: path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    var old = stat()
    if stat(target, &old) == 0, old.st_mode & S_IFMT == S_IFREG {
      guard fchmod(file.raw, old.st_mode & 0o777) == 0 else {
        throw FileError(errnoOf: "fchmod", path)
      }
    }
    try file.writeAll(bytes, path)
    try file.sync(path)
  }

  private static func syncDirectory(_ path: String) throws(FileError) {
    try FileDescriptor(opening: path, O_RDONLY | O_DIRECTORY).sync(path)
  }

  /// Removes what a process of ours left that was killed while it wrote.
  private static func removeStaleFiles(of target: String, in directory: String) {
    let prefix = target.split(separator: "/").last.map { $0 + infix } ?? ""
    guard !prefix.isEmpty, let entries = opendir(directory) else { return }
    defer { closedir(entries) }
    while let entry = readdir(entries) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      guard name.hasPrefix(prefix),
        let owner = pid_t(name.dropFirst(prefix.count).prefix { $0 != "." }), owner > 0
      else { continue }
      // A process id may be somebody else's by now; its file then waits for the next time.
      if owner == getpid() || (kill(owner, 0) != 0 && errno == ESRCH) {
        unlink("\(directory)/\(name)")
      }
    }
  }
}
