internal import Glibc

/// An open file, closed when the value goes away.
struct FileDescriptor: ~Copyable {
  let raw: Int32

  init(opening path: String, _ flags: Int32, mode: mode_t = 0) throws(FileError) {
    var result: Int32
    repeat { result = open(path, flags | O_CLOEXEC, mode) } while result < 0 && errno == EINTR
    guard result >= 0 else { throw FileError(errnoOf: "open", path) }
    raw = result
  }

  deinit {
    close(raw)
  }

  func status(_ path: String) throws(FileError) -> stat {
    var status = stat()
    guard fstat(raw, &status) == 0 else { throw FileError(errnoOf: "fstat", path) }
    return status
  }

  func sync(_ path: String) throws(FileError) {
    var result: Int32
    repeat { result = fsync(raw) } while result < 0 && errno == EINTR
    guard result == 0 else { throw FileError(errnoOf: "fsync", path) }
  }

  func writeAll(_ bytes: [UInt8], _ path: String) throws(FileError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(raw, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR { continue }
        throw FileError(errnoOf: "write", path)
      }
      // A regular file that takes nothing has no room; write(2) need not say so by an error.
      guard count > 0 else { throw FileError("write", path, .system(errno: ENOSPC)) }
      rest = rest.dropFirst(count)
    }
  }

  func readAll(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = read(raw, &chunk, chunk.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw FileError(errnoOf: "read", path)
      }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= limit else { throw FileError("read", path, .tooLarge(limit: limit)) }
    }
  }
}
