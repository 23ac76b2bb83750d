package import Files

extension KeyFile {
  /// Reads a file that counts as an empty one if it is missing or broken.
  package init?(readingIfPossible path: String) {
    // Far longer than any association list or cache in use.
    guard let bytes = try? DurableFile(path: path).read(limit: 4 << 20) else { return nil }
    do {
      try self.init(parsing: bytes)
    } catch {
      return nil
    }
  }
}
