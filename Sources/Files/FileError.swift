internal import Glibc

/// Why a file could not be read or written.
package struct FileError: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// There is no such file.
    case absent
    /// The path names something that is no regular file.
    case notRegular
    /// The file is larger than the caller wants to read, in bytes.
    case tooLarge(limit: Int)
    /// A system call failed; errno(3).
    case system(errno: Int32)
  }

  /// The system call, or what was attempted.
  package let operation: String
  package let path: String
  package let kind: Kind

  package init(_ operation: String, _ path: String, _ kind: Kind) {
    self.operation = operation
    self.path = path
    self.kind = kind
  }

  /// The error of the system call that has just failed.
  init(errnoOf operation: String, _ path: String) {
    let code = errno
    self.init(operation, path, code == ENOENT ? .absent : .system(errno: code))
  }
}

extension FileError: CustomStringConvertible {
  package var description: String {
    switch kind {
    case .absent: "\(path): \(operation): no such file or directory"
    case .notRegular: "\(path): \(operation): it is no regular file"
    case .tooLarge(let limit): "\(path): \(operation): it is larger than \(limit) bytes"
    case .system(let code): "\(path): \(operation): \(String(cString: strerror(code)))"
    }
  }
}
