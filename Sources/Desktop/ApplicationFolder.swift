internal import Glibc

/// A directory of entries, and the way that led to it.
///
/// A link to a directory counts as one; a link to a directory on its own way, which would never end, does
/// not.
struct ApplicationFolder {
  let path: String
  /// What the ids of its entries begin with.
  let prefix: String
  /// The directories above it and itself.
  private let way: [Identity]

  /// Most entries lie in one directory, those that Wine makes in dozens.
  static let mostOfOneLookup = 256
  private static let deepest = 8

  private struct Identity: Hashable {
    let device: dev_t
    let inode: ino_t

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
      (device, inode) = (status.st_dev, status.st_ino)
    }
  }

  /// The uppermost one, if it is there.
  init?(_ path: String) {
    guard let identity = Identity(path) else { return nil }
    (self.path, prefix, way) = (path, "", [identity])
  }

  /// The one that is called `name` here, if there is one.
  func below(_ name: some StringProtocol) -> ApplicationFolder? {
    ApplicationFolder(name, in: self)
  }

  private init?(_ name: some StringProtocol, in parent: ApplicationFolder) {
    path = "\(parent.path)/\(name)"
    guard parent.way.count < Self.deepest, let identity = Identity(path),
      !parent.way.contains(identity)
    else { return nil }
    prefix = "\(parent.prefix)\(name)-"
    way = parent.way + [identity]
  }

  /// The names of the entries, and of what may be a directory.
  func read() -> (entries: [String], others: [String]) {
    guard let stream = opendir(path) else { return ([], []) }
    defer { closedir(stream) }
    var entries: [String] = []
    var others: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
      }
      if name.hasPrefix(".") { continue }
      if name.hasSuffix(DesktopEntry.suffix) {
        entries.append(name)
      } else if entry.pointee.d_type != DT_REG {
        others.append(name)
      }
    }
    return (entries, others)
  }
}
