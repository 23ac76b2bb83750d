/// Bytes that are not a key file.
package struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with them, in the words of GLib where it found out.
  package let reason: String

  package init(reason: String) {
    self.reason = reason
  }

  package var description: String {
    "the text is no key file: \(reason); correct that line or remove the file"
  }
}
