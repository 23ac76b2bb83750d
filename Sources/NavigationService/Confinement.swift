internal import Bus
internal import Desktop
internal import Files
internal import Glibc

/// What a process is locked into.
enum Confinement: Hashable {
  /// Nothing that is known here.
  case none
  /// A Flatpak sandbox; the application's id, if the sandbox names one.
  case flatpak(String?)
  /// A snap, with its name.
  case snap(String)
  /// It could not be found out, which counts as a sandbox.
  case unknown

  /// Finds out where a process runs, as xdg-desktop-portal does.
  init(ofProcess process: Int32) {
    switch Self.flatpak(process) {
    case .none:
      guard let cgroups = Self.contents("/proc/\(process)/cgroup") else {
        self = .unknown
        return
      }
      self = Self.snap(cgroups).map(Confinement.snap) ?? .none
    case let found:
      self = found
    }
  }

  /// A sandbox's root directory holds `.flatpak-info`, which the sandbox cannot change.
  private static func flatpak(_ process: Int32) -> Confinement {
    let root = open("/proc/\(process)/root", O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC)
    guard root >= 0 else { return .unknown }
    defer { close(root) }
    let file = openat(
      root, ".flatpak-info", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { return errno == ENOENT ? .none : .unknown }
    defer { close(file) }
    guard let bytes = contents(ofRegularFile: file), let info = try? KeyFile(parsing: bytes) else {
      return .unknown
    }
    return .flatpak(info.string("name", in: "Application"))
  }

  /// The scope of a snap's process is named `snap.NAME.…`, in the hierarchy of systemd or of the
  /// freezer. cgroups(7).
  private static func snap(_ cgroups: [UInt8]) -> String? {
    for line in String(decoding: cgroups, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, ["", "name=systemd", "freezer"].contains(fields[1]) else { continue }
      for component in fields[2].split(separator: "/") where component.hasPrefix("snap.") {
        let names = component.split(separator: ".", omittingEmptySubsequences: false)
        if names.count > 1, !names[1].isEmpty { return String(names[1]) }
      }
    }
    return nil
  }

  /// More than any of these files holds.
  private static let limit = 64 << 10

  private static func contents(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return contents(file)
  }

  private static func contents(ofRegularFile file: Int32) -> [UInt8]? {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return contents(file)
  }

  private static func contents(_ file: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: limit + 1)
    var count = 0
    while count < bytes.count {
      let length = bytes.withUnsafeMutableBytes { buffer in
        read(file, buffer.baseAddress.map { $0 + count }, buffer.count - count)
      }
      if length == 0 { return Array(bytes[..<count]) }
      guard length > 0 || errno == EINTR else { return nil }
      count += max(length, 0)
    }
    return nil
  }
}

extension Confinement {
  /// Whether this is an application, by what the sandbox wrote into its entry: one of the host's may
  /// have the same id.
  func isApplication(_ entry: DesktopEntry) -> Bool {
    switch (self, entry.sandbox) {
    case (.flatpak(let id?), .flatpak(let exported)): id == exported
    case (.snap(let name), .snap(let exported)): name == exported
    default: false
    }
  }

  /// Whether it has the name of the application with this desktop-file id.
  func isNamed(_ desktopFileID: String) -> Bool {
    switch self {
    case .none, .unknown, .flatpak(nil): false
    case .flatpak(let id?): desktopFileID == id + ".desktop"
    // The name has no underscore, so that one ends it.
    case .snap(let name): desktopFileID.hasPrefix(name + "_") && desktopFileID.hasSuffix(".desktop")
    }
  }
}
