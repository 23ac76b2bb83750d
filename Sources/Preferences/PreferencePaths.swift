package import Files

/// Where a user's preferences are.
package struct PreferencePaths: Hashable, Sendable {
  /// The file that people edit.
  package let file: String
  /// The newest good state of it.
  package let good: String
  /// The store of a shell that does not know this service; only read.
  package let shellStore: String
  /// What that store last said, and whether it is followed at all.
  package let followed: String

  package init(_ directories: BaseDirectories) {
    file = directories.configHome + "/sovereign/navigation.conf"
    good = directories.stateHome + "/sovereign/navigation.conf.good"
    shellStore = directories.dataHome + "/fs.sovereign.desktop/instances.json"
    followed = directories.stateHome + "/sovereign/followed.conf"
  }
}
