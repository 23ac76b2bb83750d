internal import Glibc

/// What went wrong with a file.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Cause: Hashable, Sendable {
    case absent
    /// A directory, a FIFO, a socket or a device.
    case notRegular
    /// It is longer than the number of bytes that may be read.
    case tooLarge(limit: Int)
    case system(errno: Int32)
  }

  /// The C function that failed, such as `fsync`.
  package let operation: String
  package let path: String
  package let cause: Cause
  /// Whether the file has its new content in spite of the error, which then only says that the
  /// content may not survive a power cut.
  package let isReplaced: Bool

  init(_ operation: String, _ path: String, _ cause: Cause, isReplaced: Bool = false) {
    self.operation = operation
    self.path = path
    self.cause = cause
    self.isReplaced = isReplaced
  }

  /// The error that `errno` stands for.
  init(errno code: Int32, _ operation: String, _ path: String) {
    let cause: Cause =
      switch code {
      case ENOENT: .absent
      // What open(2) says of a socket.
      case ENXIO: .notRegular
      default: .system(errno: code)
      }
    self.init(operation, path, cause)
  }

  /// The same error, for where the former content is put back.
  package var undone: FileError { FileError(operation, path, cause) }

  /// Whether it may work the next time though nothing happens to the file: there are too few descriptors,
  /// say.
  package var mayPass: Bool {
    guard case .system(let code) = cause else { return false }
    return [EMFILE, ENFILE, ENOMEM, EIO].contains(code)
  }

  package var description: String {
    let what =
      switch cause {
      case .absent: "\(path) does not exist"
      case .notRegular: "\(path) is not a regular file; move it away"
      case .tooLarge(let limit): "\(path) is longer than \(limit) bytes; shorten or remove it"
      case .system(let code): "\(operation) of \(path) failed: \(String(cString: strerror(code)))"
      }
    return isReplaced ? "\(what); the change is made but may not survive a power cut" : what
  }
}
