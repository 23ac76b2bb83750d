package import Files

/// Why we did not become the handler of web links, or are it still.
package enum RegistrationError: Error, Hashable, Sendable {
  /// The desktop cannot find our own entry, or our program; why. Nothing has changed.
  case notInstalled(String)
  /// Nothing has changed.
  case file(FileError)
  /// The desktop reads nothing from this list. Nothing has changed.
  case broken(path: String, KeyFileError)
  /// What would be written to this list could not be read again. Nothing has changed.
  case tooLong(path: String)
  /// Nothing has changed.
  case recordBroken(path: String, KeyFileError)
  /// What is there cannot be recorded. Nothing has changed.
  case notKept(String)
  /// Some files have changed, and cannot be put back.
  case halfDone(FileError, undoing: FileError)
  /// Not all is put back.
  case notRestored(FileError)
  /// All is done, but may not survive a power cut.
  case notDurable(FileError)
  /// All is written, and another application is the default all the same.
  case beaten(scheme: String, by: Associations.Source?)
  /// We are taken out of the user's lists, and another list names us.
  case stillDefault(Associations.Source)
}

extension RegistrationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notInstalled(let reason):
      "nothing is changed, because the desktop would not find \(DesktopEntry.ours): \(reason); "
        + "install it where XDG_DATA_DIRS leads"
    case .file(let error):
      "nothing is changed: \(error)"
    case .broken(let path, let error):
      "nothing is changed: no program can read \(path): \(error)"
    case .tooLong(let path):
      "nothing is changed: \(path) would be longer than \(KeyFile.maximumLength) bytes; shorten it"
    case .recordBroken(let path, let error):
      "nothing is changed: \(path), which holds what was there before, cannot be read: \(error), or "
        + "unregister, which does without it"
    case .notKept(let path):
      "nothing is changed: what the lists of applications hold cannot be kept in \(path)"
    case .halfDone(let error, let undoing):
      "\(error), and what was changed before that could not be put back: \(undoing); unregister puts "
        + "it back once that works again"
    case .notRestored(let error):
      "not everything is put back: \(error); unregister again once that works"
    case .notDurable(let error):
      error.description
    case .beaten(let scheme, let source):
      "all is written, but the default for \(scheme): links is still "
        + (source.map { "\($0.id), named by \($0.file); take it out there" } ?? "nobody")
    case .stillDefault(let source):
      "this service is out of your own lists, but \(source.file) names it as the default, too; choose "
        + "a browser as the default in the desktop's settings"
    }
  }
}
