package import Files

extension KeyFile {
  /// In bytes: far longer than any association list or cache in use.
  static let maximumLength = 1 << 20

  /// Reads a file that counts as an empty one if it is missing or broken.
  package init?(readingIfPossible path: String) {
    guard let bytes = try? DurableFile(path: path).read(limit: Self.maximumLength) else {
      return nil
    }
    do {
      try self.init(parsing: bytes)
    } catch {
      return nil
    }
  }
}
