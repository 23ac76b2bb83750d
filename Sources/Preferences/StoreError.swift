package import Files

/// Why a change was not stored; nothing has changed.
package enum StoreError: Error, Hashable, Sendable {
  case file(FileError)
  /// The file is broken, and what it holds cannot be set aside.
  case brokenFileNotKept(FileError)
  /// The file would have so many bytes.
  case tooLong(Int)
  /// The key file format has no way to write one of the new values.
  case notWritable
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .file(let error):
      "the preferences are not changed: \(error)"
    case .brokenFileNotKept(let error):
      "the preferences are not changed, because the file is broken and no copy can be made of it: "
        + "\(error)"
    case .tooLong(let count):
      "the preferences are not changed: the file would have \(count) bytes, of which "
        + "\(Reading.maximumLength) are allowed; remove instances or shorten comments"
    case .notWritable:
      "the preferences are not changed: a value begins with a control character that the file "
        + "cannot hold; leave it out"
    }
  }
}
