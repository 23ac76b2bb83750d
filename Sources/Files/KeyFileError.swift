/// Bytes that are not a key file.
package struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with them. It repeats nothing of a line, which may be a link that somebody pasted.
  package let reason: String

  package init(reason: String) {
    self.reason = reason
  }

  package var description: String {
    "the text is no key file: \(reason); correct that line or remove the file"
  }
}
