import Files

/// What is found at the path of a preference file.
enum Content: Equatable {
  case absent
  case bytes([UInt8])
  /// The hash tells one content from the next.
  case tooLarge(hash: Int)
  case notRegular(FileError)
  case dangling
  case unreadable(FileError)

  /// The length, in bytes, up to which a file that is too large is still read to copy it.
  static let maximumCopied = 128 << 20

  init(of file: DurableFile) {
    do throws(FileError) {
      self = .bytes(try file.read(limit: Reading.maximumLength))
    } catch {
      switch error.cause {
      case .absent:
        // A chain that cannot be followed is no absence either.
        self = (try? file.chain().count) == 1 ? .absent : .dangling
      case .tooLarge:
        self = .tooLarge(hash: (try? file.read(limit: Self.maximumCopied)).hashValue)
      case .notRegular:
        self = .notRegular(error)
      case .system:
        self = .unreadable(error)
      }
    }
  }
}
