package import Files

/// What reloading or saving came to.
package struct Outcome: Hashable, Sendable {
  package let previous: Settings
  package let current: Settings
  /// Problems that there were not the last time.
  package let news: [Diagnostic]
  /// The change is made and `current` is in force, but it may not survive a power cut: signal it,
  /// then answer the caller with this error.
  package let durabilityError: FileError?
}
