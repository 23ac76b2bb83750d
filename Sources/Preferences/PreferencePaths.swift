package import Files

/// Where a user's preferences are.
package struct PreferencePaths: Hashable, Sendable {
  /// The file that people edit.
  package let file: String
  /// The newest good state of it.
  package let good: String
  /// The administrators' files, the most important one first.
  package let administrators: [String]
  /// The store of a shell that does not know this service; only read.
  package let shellStore: String
  /// What that store last said, and whether it is followed at all.
  package let followed: String

  package init(_ directories: BaseDirectories) {
    let name = "/sovereign/navigation.conf"
    file = directories.configHome + name
    // The user's own file is none of them, and one that is named twice counts once.
    var seen: Set = [file.split(separator: "/")]
    administrators = directories.configDirectories.map { $0 + name }
      .filter { seen.insert($0.split(separator: "/")).inserted }
    good = directories.stateHome + "/sovereign/navigation.conf.good"
    shellStore = directories.dataHome + "/fs.sovereign.desktop/instances.json"
    followed = directories.stateHome + "/sovereign/followed.conf"
  }
}
