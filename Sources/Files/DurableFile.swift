internal import Glibc

/// A file that is read whole, and replaced so that a reader or a power cut finds either the old or
/// the new content.
package struct DurableFile: Hashable, Sendable {
  package let path: String

  package init(path: String) {
    self.path = path
  }

  /// The content of the regular file, at most `limit` bytes.
  ///
  /// A FIFO does not block.
  package func read(limit: Int) throws(FileError) -> [UInt8] {
    let file = try Descriptor(opening: path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw FileError(errno: errno, "fstat", path) }
    guard status.isRegular else { throw FileError("open", path, .notRegular) }
    guard status.st_size <= limit else { throw FileError("read", path, .tooLarge(limit: limit)) }

    // One byte more than its size tells whether it grew in the meantime.
    var bytes: [UInt8] = []
    var capacity = Int(status.st_size) + 1
    while bytes.count < capacity {
      let wanted = capacity - bytes.count
      var failure: Int32 = 0
      let chunk = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
        let result = retrying { Glibc.read(file.number, buffer.baseAddress, wanted) }
        if result < 0 { failure = errno }
        count = max(0, result)
      }
      guard failure == 0 else { throw FileError(errno: failure, "read", path) }
      if chunk.isEmpty { break }
      bytes += chunk
      if bytes.count > limit { throw FileError("read", path, .tooLarge(limit: limit)) }
      if bytes.count == capacity { capacity += 4096 }
    }
    return bytes
  }

  /// Replaces the content, or makes the file, so that it survives a power cut.
  ///
  /// A symbolic link is written through, even one whose target is missing. A new file has mode
  /// 0600, a replaced one keeps its mode; missing directories are made with mode 0700. An error with
  /// `isReplaced` false means that nothing changed.
  ///
  /// - Parameter isCurrent: Asked at the last moment whether to replace it at all: until the bytes are on
  ///   disk, much can happen.
  /// - Returns: Whether it was replaced.
  @discardableResult
  package func replace(
    with bytes: [UInt8], if isCurrent: () -> Bool = { true }
  ) throws(FileError) -> Bool {
    let target = try chain().last ?? path
    var mode: mode_t = 0o600
    var status = stat()
    if lstat(target, &status) == 0 {
      guard status.isRegular else { throw FileError("rename", target, .notRegular) }
      mode = status.st_mode & 0o7777
    } else if errno != ENOENT {
      throw FileError(errno: errno, "lstat", target)
    }
    let directory = parent(of: target)
    let made = try makeDirectories(directory)
    removeStaleTemporaryFiles(in: directory)

    let temporary =
      "\(directory)/\(temporaryPrefix)\(String(UInt64.random(in: .min ... .max), radix: 36))"
    do throws(FileError) {
      guard try write(bytes, to: temporary, mode: mode, renamingTo: target, if: isCurrent) else {
        removeDirectories(made)
        return false
      }
    } catch {
      removeDirectories(made)
      throw error
    }
    for directory in [directory] + made.map(parent(of:)) { try syncDirectory(directory) }
    return true
  }

  /// Removes the file, or the symbolic link, so that it stays removed after a power cut.
  ///
  /// One that does not exist is no error.
  package func remove() throws(FileError) {
    if unlink(path) != 0 {
      if errno == ENOENT { return }
      throw FileError(errno: errno, "unlink", path)
    }
    try syncDirectory(parent(of: path))
  }

  /// Removes what a crash left behind while the file was replaced. Replacing it does so, too.
  package func removeLeftovers() {
    guard let chain = try? chain() else { return }
    removeStaleTemporaryFiles(in: parent(of: chain.last ?? path))
  }

  /// Whether it is absent only because it, or a directory above it, is a symbolic link to nothing.
  package var isBehindDanglingLink: Bool {
    var path = path
    while path != "/", access(path, F_OK) != 0 {
      if linkTarget(path) != nil { return true }
      path = parent(of: path)
    }
    return false
  }

  /// The symbolic links on the way to the file, then the file itself, which need not exist.
  package func chain() throws(FileError) -> [String] {
    var chain = [path]
    var current = path
    // The kernel's own limit, path_resolution(7).
    for _ in 0..<40 {
      guard let link = linkTarget(current) else {
        // No symbolic link, or nothing there yet.
        if errno == EINVAL || errno == ENOENT { return chain }
        throw FileError(errno: errno, "readlink", current)
      }
      current = link.hasPrefix("/") ? link : "\(parent(of: current))/\(link)"
      chain.append(current)
    }
    throw FileError(errno: ELOOP, "readlink", path)
  }
}

/// What a symbolic link says; `nil` with errno set if the path is none, or if what it says is not UTF-8:
/// another path must not be taken for it.
package func linkTarget(_ path: String) -> String? {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let length = readlink(path, &buffer, buffer.count)
  guard length >= 0 else { return nil }
  let target = String(
    validating: buffer.prefix(length).lazy.map(UInt8.init(bitPattern:)), as: UTF8.self)
  if target == nil { errno = EILSEQ }
  return target
}

/// Begins the names of temporary files; nobody else's may.
private let temporaryPrefix = ".sovereign-navigation.tmp-"

private func write(
  _ bytes: [UInt8], to temporary: String, mode: mode_t, renamingTo target: String,
  if isCurrent: () -> Bool
) throws(FileError) -> Bool {
  let file = try Descriptor(opening: temporary, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
  do throws(FileError) {
    // Held for as long as the file is in use: tells it from one that a crash left behind. Where a file
    // system has no locks, nobody gets one, and what is left behind stays.
    guard flock(file.number, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
      throw FileError(errno: errno, "flock", temporary)
    }
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { buffer in
        retrying { Glibc.write(file.number, buffer.baseAddress, buffer.count) }
      }
      guard written >= 0 else { throw FileError(errno: errno, "write", temporary) }
      // A file system that is broken in this way would be asked for ever.
      guard written > 0 else { throw FileError(errno: EIO, "write", temporary) }
      rest = rest.dropFirst(written)
    }
    guard fchmod(file.number, mode) == 0 else { throw FileError(errno: errno, "fchmod", temporary) }
    guard retrying({ fsync(file.number) }) == 0 else {
      throw FileError(errno: errno, "fsync", temporary)
    }
    guard isCurrent() else {
      unlink(temporary)
      return false
    }
    guard rename(temporary, target) == 0 else { throw FileError(errno: errno, "rename", target) }
  } catch {
    unlink(temporary)
    throw error
  }
  return true
}

private func syncDirectory(_ path: String) throws(FileError) {
  do throws(FileError) {
    let directory = try Descriptor(opening: path, O_RDONLY | O_DIRECTORY)
    guard retrying({ fsync(directory.number) }) == 0 else {
      throw FileError(errno: errno, "fsync", path)
    }
  } catch {
    throw FileError(error.operation, error.path, error.cause, isReplaced: true)
  }
}

/// Makes a directory and its missing parents, all of them or none.
///
/// - Returns: The ones made.
private func makeDirectories(_ path: String) throws(FileError) -> [String] {
  if mkdir(path, 0o700) == 0 { return [path] }
  var made: [String] = []
  if errno == ENOENT, path != parent(of: path) {
    made = try makeDirectories(parent(of: path))
    // Only once: in /proc the parent is there and nothing can be made all the same.
    if mkdir(path, 0o700) == 0 { return made + [path] }
  }
  guard errno == EEXIST else {
    let error = FileError(errno: errno, "mkdir", path)
    removeDirectories(made)
    throw error
  }
  return made
}

/// Removes directories that were just made, unless somebody has put something there.
private func removeDirectories(_ made: [String]) {
  for directory in made.reversed() { rmdir(directory) }
}

/// Removes what a crash between making a temporary file and renaming it left behind.
private func removeStaleTemporaryFiles(in directory: String) {
  for name in fileNames(in: directory) where name.hasPrefix(temporaryPrefix) {
    let path = "\(directory)/\(name)"
    // Somebody who holds the lock is still writing it.
    guard let file = try? Descriptor(opening: path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK),
      flock(file.number, LOCK_EX | LOCK_NB) == 0
    else { continue }
    unlink(path)
  }
}

extension stat {
  fileprivate var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
}
