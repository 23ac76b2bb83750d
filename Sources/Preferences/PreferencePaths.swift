package import Files

/// Where a user's preferences are.
package struct PreferencePaths: Hashable, Sendable {
  /// The file that people edit.
  package let file: String
  /// The newest good state of it.
  package let good: String

  package init(_ directories: BaseDirectories) {
    file = directories.configHome + "/sovereign/navigation.conf"
    good = directories.stateHome + "/sovereign/navigation.conf.good"
  }
}
