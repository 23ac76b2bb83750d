/// A key of the group `[Navigation]`, spelled as the file, `SetOption` and `Locked=` spell it.
package enum Key: String, CaseIterable, Sendable {
  case activeOrigin = "ActiveOrigin"
  case browser = "Browser"
  case shell = "Shell"
  case knownInstances = "KnownInstances"
  case schemes = "Schemes"
  case follow = "Follow"
  case notify = "Notify"

  /// The keys that `SetOption` may set; the active origin has a method of its own.
  package static let options = allCases.filter { $0 != .activeOrigin }
}

/// The key of the group `[Navigation]` that only an administrator's file has.
let lockedKey = "Locked"

/// A key of a group `[Instance N]`.
enum InstanceKey: String, CaseIterable {
  case origin = "Origin"
  case label = "Label"
  case addedAt = "AddedAt"
}

/// The groups of the file.
enum Group {
  static let navigation = "Navigation"

  static func instance(_ number: Int) -> String { "Instance \(number)" }

  /// Whether a group describes an instance: `Instance`, a space and a decimal number.
  static func isInstance(_ name: String) -> Bool {
    guard name.hasPrefix("Instance ") else { return false }
    let number = name.utf8.dropFirst("Instance ".utf8.count)
    return !number.isEmpty
      && number.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
