package import Files

/// Why there is no application of some desktop-file id.
package enum DesktopEntryError: Error, Hashable, Sendable {
  /// No directory of applications has it, or it is no desktop-file id.
  case notInstalled
  case unreadable(FileError)
  case malformed(path: String, KeyFileError)
  /// `Hidden`: it counts as deleted.
  case hidden(path: String)
  /// `Type` is something else, or missing.
  case notApplication(path: String)
}

extension DesktopEntryError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notInstalled: "it is not installed"
    case .unreadable(let error): "it cannot be read: \(error)"
    case .malformed(let path, let error): "its file \(path) is broken: \(error)"
    case .hidden(let path): "it is marked as deleted: \(path) has Hidden=true"
    case .notApplication(let path): "it is no application: \(path) lacks Type=Application"
    }
  }
}
