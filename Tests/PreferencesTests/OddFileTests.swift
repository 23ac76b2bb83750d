import Files
import Glibc
import Navigation
import TestSupport
import Testing
import WebOrigin

@testable import Preferences

/// What is at the path and is no file that can be read.
@Suite struct OddFileTests {
  struct Odd: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (Home) throws -> Void
    let message: String
  }

  @Test(arguments: [
    Odd(
      testDescription: "directory", make: { try makeDirectories($0.paths.file) },
      message: "no regular file"),
    Odd(
      testDescription: "FIFO", make: { _ = mkfifo($0.paths.file, 0o600) },
      message: "no regular file"),
    Odd(
      testDescription: "device", make: { _ = symlink("/dev/zero", $0.paths.file) },
      message: "no regular file"),
    Odd(
      testDescription: "loop", make: { _ = symlink("navigation.conf", $0.paths.file) },
      message: "Too many levels of symbolic links"),
    Odd(
      testDescription: "link below a file",
      make: { home in
        try writeFile(home.directory.path + "/file", "")
        _ = symlink(home.directory.path + "/file/x", home.paths.file)
      }, message: "Not a directory"),
    Odd(
      testDescription: "socket",
      make: { home in
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: home.paths.file.utf8) }
        let result = withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
          }
        }
        if result != 0 { throw SystemError("bind") }
      }, message: "no regular file"),
  ])
  func isLeftAlone(_ odd: Odd) throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    let before = store.settings
    #expect(unlink(home.paths.file) == 0)
    try odd.make(home)

    let outcome = store.reload()
    #expect(outcome.current == before)
    #expect(outcome.news.count == 1)
    #expect("\(outcome.news)".contains(odd.message))
    #expect(store.reload().news.isEmpty)

    // Nothing is written over it, and the caller is told.
    #expect {
      try store.activate(.named("a"))
    } throws: { error in
      if case .file = error as? StoreError { true } else { false }
    }
    #expect(store.settings == before)
    #expect(try entries(of: home.configuration) == ["navigation.conf"])
    #expect(home.running().settings == before)
    #expect(try home.good() == example)

    // When it is gone, all is as ever.
    removeTree(home.paths.file)
    try home.write(example)
    _ = store.reload()
    #expect(store.diagnostics.isEmpty)
    try store.activate(.named("a"))
    #expect(home.store().settings.policy.active == .named("a"))
  }

  @Test func writesThroughALink() throws {
    let home = try Home()
    let target = home.directory.path + "/dotfiles.conf"
    try writeFile(target, example)
    try makeDirectories(home.configuration)
    #expect(symlink("../../dotfiles.conf", home.paths.file) == 0)
    let store = home.running()
    #expect(store.settings.policy.active == exampleOrigin)
    try store.activate(.named("a"))
    #expect(DurableFile(path: home.paths.file).isLink)
    #expect(String(decoding: try readFile(target), as: UTF8.self).contains("https://a.example"))

    // A copy of a broken one is beside the link, where people look for it.
    try writeFile(target, "garbage")
    _ = store.reload()
    #expect(try home.copies().count == 1)
    #expect(store.settings.policy.active == .named("a"))
  }

  /// A disk that is not mounted yet, perhaps: not deleted.
  @Test func keepsTheStateOfADanglingLink() throws {
    let home = try Home()
    let target = home.directory.path + "/disk/real.conf"
    try makeDirectories(parent(of: target))
    try writeFile(target, example)
    try makeDirectories(home.configuration)
    #expect(symlink(target, home.paths.file) == 0)
    let store = home.running()
    #expect(unlink(target) == 0)

    let outcome = store.reload()
    #expect(outcome.current.policy.active == exampleOrigin)
    #expect(outcome.news.map(\.problem) == [.dangling(inForce: .lastGood)])
    #expect(home.running().settings == store.settings)

    try store.activate(.named("a"))
    #expect(
      String(decoding: try readFile(target), as: UTF8.self)
        == example.replacing(
          "ActiveOrigin=https://my.sovereign.example", with: "ActiveOrigin=https://a.example")
        + "\n[Instance 3]\nOrigin=https://a.example\nAddedAt=1\n")
  }

  @Test func aHomeThatIsNoDirectory() throws {
    let home = try Home()
    try writeFile(home.directory.path + "/.config", "")
    let store = home.running()
    #expect(store.settings == Settings(user: Layer()))
    #expect("\(store.diagnostics)".contains("Not a directory"))
    #expect(throws: StoreError.self) { try store.activate(.named("a")) }
    #expect(store.settings == Settings(user: Layer()))
  }

  @Test func aHomeThatCannotBeMade() throws {
    // Nothing can be made in /proc, by nobody.
    let store = PreferenceStore(
      BaseDirectories(environment: ["HOME": "/proc/home", "XDG_CONFIG_DIRS": "/proc/etc"]),
      now: { 0 })
    _ = store.reload()
    #expect(store.diagnostics.isEmpty)
    #expect(Set(store.watches.map(\.directory)) == ["/", "/proc"])
    #expect(throws: StoreError.self) { try store.activate(.named("a")) }
    #expect(store.settings == Settings(user: Layer()))
  }

  /// A file of mode 000, another user's file, and a home that may not be written.
  @Test func withoutPermission() throws {
    let home = try Home()
    try home.write(example)
    let store = home.running()
    try #require(chmod(home.directory.path, 0o755) == 0)
    try #require(chmod(home.directory.path + "/.config", 0o755) == 0)
    try #require(chmod(home.configuration, 0o755) == 0)
    try #require(chmod(home.paths.file, 0) == 0)

    try asNobody {
      let outcome = store.reload()
      #expect(outcome.current.policy.active == exampleOrigin)
      #expect("\(outcome.news)".contains("Permission denied"))
      #expect(throws: StoreError.self) { try store.activate(.named("a")) }
      #expect(store.settings.policy.active == exampleOrigin)
    }
    try #require(chmod(home.paths.file, 0o644) == 0)
    #expect(try home.text() == example)

    // Readable, in a directory that is not writable: it is read, and a change is refused.
    try #require(chmod(home.configuration, 0o555) == 0)
    defer { chmod(home.configuration, 0o755) }
    try asNobody {
      #expect(store.reload().news.isEmpty)
      #expect(store.diagnostics.isEmpty)
      #expect(throws: StoreError.self) { try store.activate(.named("a")) }
      #expect(store.settings.policy.active == exampleOrigin)
    }
    #expect(try entries(of: home.configuration) == ["navigation.conf"])
  }
}

extension DurableFile {
  fileprivate var isLink: Bool { (try? chain().count) != 1 }
}

/// Runs on this thread with the rights of a user who owns nothing; setfsuid(2).
private func asNobody(_ body: () throws -> Void) throws {
  guard geteuid() == 0 else {
    // An ordinary user has no more rights than that on a file of mode 000; the directory is hers.
    return try body()
  }
  let nobody: uid_t = 65_534
  typealias SetFileSystemUser = @convention(c) (uid_t) -> CInt
  let symbol = try #require(dlsym(nil, "setfsuid"))
  let setFileSystemUser = unsafeBitCast(symbol, to: SetFileSystemUser.self)
  _ = setFileSystemUser(nobody)
  defer { _ = setFileSystemUser(0) }
  try body()
}
