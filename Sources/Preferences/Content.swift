import Files
import Glibc

/// What is found at the path of a preference file.
enum Content: Equatable {
  case absent
  case bytes([UInt8])
  case tooLarge(Version)
  case notRegular(FileError)
  case dangling
  case unreadable(FileError)

  /// Tells one content from the next without reading it.
  struct Version: Hashable {
    private let numbers: [Int]

    init(of path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else {
        numbers = []
        return
      }
      numbers = [
        Int(bitPattern: status.st_dev), Int(bitPattern: status.st_ino), status.st_size,
        status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
      ]
    }
  }

  /// Whether it may be another one though nothing happens to the file.
  var mayPass: Bool {
    if case .unreadable(let error) = self { error.mayPass } else { false }
  }

  /// The length, in bytes, up to which a file that is too large is still read to copy it.
  static let maximumCopied = 128 << 20

  init(of file: DurableFile) {
    do throws(FileError) {
      self = .bytes(try file.read(limit: Reading.maximumLength))
    } catch {
      switch error.cause {
      case .absent:
        self = file.isBehindDanglingLink ? .dangling : .absent
      case .tooLarge:
        self = .tooLarge(Version(of: file.path))
      case .notRegular:
        self = .notRegular(error)
      case .system:
        self = .unreadable(error)
      }
    }
  }
}
