package import Files
import Navigation
package import WebOrigin

/// Something about a file that a person should know.
package enum Problem: Hashable, Sendable {
  case unknownKey(String, group: String, suggestion: String?)
  case unknownGroup(String, suggestion: String?)
  /// A key or group in this line whose name is none: it may be a link that somebody pasted.
  case unknownLine(Int)
  /// It counts as one.
  case repeatedGroup(String)
  /// The last one counts.
  case repeatedKey(String, group: String)
  /// The name of no setting that `Locked=` can name.
  case notLockable(String, suggestion: String?)
  /// The setting stays as it was.
  case invalidValue(InvalidValue)
  /// The group stays in the file and is no instance.
  case invalidInstance(group: String, InvalidValue)
  /// The label or time of an instance takes its default.
  case invalidDetail(group: String, InvalidValue)
  case repeatedInstance(group: String, Origin)
  case tooManyInstances(Int)
  /// So many problems of this file besides those that are named.
  case more(Int)
  /// The path is that of the copy made.
  case broken(Defect, copy: String?, inForce: InForce)
  /// Nothing is written over the file.
  case unreadable(FileError, inForce: InForce)
  /// A symbolic link to nothing: the file was not deleted, it is somewhere else.
  case dangling(inForce: InForce)
  /// No copy of the broken file could be made.
  case notCopied(FileError)
  /// The newest good state could not be kept.
  case notKept(FileError)
  /// The shell's store changes nothing as long as it is like this.
  case notTakenOver(ShellStoreError)
  case flaw(ShellStoreFlaw)
  /// What the shell's store says could not be stored, for this reason.
  case notStored(String)
  /// What was last taken over could not be kept.
  case lastLookNotKept(FileError)
  /// It is not known what was last taken over: the file that says so cannot be read, or is damaged.
  case lastLookUnknown(FileError?)

  /// What counts while a file does not.
  package enum InForce: Hashable, Sendable {
    case lastGood
    case defaults
    /// Everything but the file, which is an administrator's and may lock anything.
    case unknown
  }
}

extension Problem {
  /// How many problems one look at one file names.
  static let worthNaming = 32

  /// As many as are worth naming.
  static func named(_ flaws: [ShellStoreFlaw]) -> [Problem] {
    let rest = flaws.count - worthNaming
    return flaws.prefix(worthNaming).map(Problem.flaw) + (rest > 0 ? [.more(rest)] : [])
  }

  /// Whether nothing that the file says is used.
  package var isOfAll: Bool {
    switch self {
    case .broken, .unreadable, .dangling: true
    default: false
    }
  }
}

/// Why a file is no preference file at all.
package enum Defect: Error, Hashable, Sendable {
  case empty
  case notKeyFile(KeyFileError)
  case noNavigationGroup
  /// What an administrator's file locks is not in UTF-8.
  case locksUnreadable
  /// It is the beginning of the last good one, up to the middle of a line.
  case cutOff
  case tooLarge
  case notRegular
}

/// A problem, and the file that has it.
package struct Diagnostic: Hashable, Sendable {
  package let path: String
  package let problem: Problem
}

extension Diagnostic: CustomStringConvertible {
  package var description: String { "\(path): \(problem)" }
}

extension Problem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownKey(let key, Group.navigation, let suggestion):
      "\(quoted(key)): not a key of this file\(didYouMean(suggestion))"
    case .unknownKey(let key, let group, let suggestion):
      "\(quoted(key)) in [\(group)]: not a key of this file\(didYouMean(suggestion))"
    case .unknownGroup(let group, let suggestion):
      "\(quoted(group)): not a group of this file\(didYouMean(suggestion))"
    case .unknownLine(let line):
      "line \(line): neither a key nor a group of this file"
    case .repeatedGroup(let group):
      "\(quoted(group)): a group that is there more than once, and counts as one; the last value of a "
        + "key counts"
    case .repeatedKey(let key, let group):
      "\(quoted(key)) in [\(shortened(group, to: 64))] is there more than once; the last one counts"
    case .notLockable(let name, _) where Key(rawValue: name) != nil:
      "\(quoted(name)) cannot be locked; here it is a default, which the user may change"
    case .notLockable(let name, _) where !name.isName():
      "a name in \(quoted(lockedKey)) is not a setting that can be locked"
    case .notLockable(let name, let suggestion):
      "\(quoted(name)) in \(quoted(lockedKey)): not a setting that can be locked"
        + didYouMean(suggestion)
    case .invalidValue(let error):
      "\(error); the setting stays as it was"
    case .invalidInstance(let group, let error):
      "[\(shortened(group, to: 64))] is no instance: \(error)"
    case .invalidDetail(let group, let error):
      "[\(shortened(group, to: 64))]: \(error); the default is used"
    case .repeatedInstance(let group, let origin):
      "[\(shortened(group, to: 64))] is left out: \(origin) has a group before it; remove one of them"
    case .tooManyInstances(let count):
      "it holds \(count) instances, of which \(Policy.maximumInstances) are used; remove some"
    case .more(let count):
      "it has \(count) more problems like these"
    case .broken(let defect, let copy, let inForce):
      "not used, \(inForce): \(defect); correct or delete it"
        + (copy.map { " (a copy is kept as \($0))" } ?? "")
    case .unreadable(let error, let inForce):
      "not read and not written over, \(inForce): \(error)"
    case .dangling(let inForce):
      "a symbolic link to nothing, \(inForce); restore what it points to or delete it"
    case .notCopied(let error):
      "no copy of the broken file can be made: \(error)"
    case .notKept(let error):
      "the last good settings are not kept for the case that this file breaks: \(error)"
    case .notTakenOver(let error):
      "not taken over, nothing is changed: \(error)"
    case .flaw(let flaw):
      "\(flaw)"
    case .notStored(let reason):
      "not taken over: \(reason)"
    case .lastLookNotKept(let error):
      "what the shell's store says may be taken over again after a restart: \(error)"
    case .lastLookUnknown(let error):
      "the shell's store is not followed: "
        + (error.map { "\($0)" } ?? "this file is damaged; remove it to follow the store again")
    }
  }
}

extension Problem.InForce: CustomStringConvertible {
  package var description: String {
    switch self {
    case .lastGood: "the last good settings are in force"
    case .defaults: "the defaults are in force"
    case .unknown: "what it may lock stays as it is"
    }
  }
}

extension Defect: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty: "it is empty"
    case .notKeyFile(let error): "it is no key file: \(shortened(error.reason, to: 160))"
    case .noNavigationGroup: "it has no group [Navigation]"
    case .locksUnreadable: "the value of \(quoted(lockedKey)) is not in UTF-8"
    case .cutOff: "it ends within a line that was complete before"
    case .tooLarge: "it is larger than 1 MiB"
    case .notRegular: "it is no regular file"
    }
  }
}

private func didYouMean(_ suggestion: String?) -> String {
  suggestion.map { "; did you mean `\($0)`?" } ?? ""
}

extension String {
  /// Whether somebody may have meant it as the name of a key: letters, digits, hyphens and `extra`. Nothing
  /// else of a file is repeated, for a link that was pasted into it may have a password.
  func isName(with extra: Unicode.Scalar? = nil) -> Bool {
    !isEmpty
      && unicodeScalars.allSatisfy { scalar in
        switch scalar {
        case "A"..."Z", "a"..."z", "0"..."9", "-": true
        default: scalar == extra
        }
      }
  }
}

func quoted(_ name: String) -> String { "`\(shortened(name, to: 64))`" }

/// Text from the file as it may stand in a message: on one line, and not too long.
private func shortened(_ text: String, to length: Int) -> String {
  let shown = text.unicodeScalars.prefix(length).map { scalar in
    scalar.properties.generalCategory == .control ? "\u{FFFD}" : Character(scalar)
  }
  return String(shown) + (text.unicodeScalars.count > length ? "…" : "")
}
