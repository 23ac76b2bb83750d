import Foundation
import Testing

@testable import Files

/// A directory that is removed with the value.
private final class Scratch {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID())").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> DurableFile { DurableFile(path: "\(path)/\(name)") }

  func mode(_ name: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int
      ?? -1
  }

  var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path) } }
}

@Suite struct DurableFileTests {
  @Test func makesReplacesAndReads() throws {
    let scratch = try Scratch()
    let file = scratch.file("a/b/c.conf")
    try file.replace(with: Array("one".utf8))
    #expect(try scratch.mode("a/b/c.conf") == 0o600)
    #expect(try scratch.mode("a/b") == 0o700)
    chmod(file.path, 0o644)
    try file.replace(with: Array("two".utf8))
    #expect(try scratch.mode("a/b/c.conf") == 0o644)
    #expect(try file.read(limit: 3) == Array("two".utf8))
    #expect(throws: FileError("read", file.path, .tooLarge(limit: 2))) { try file.read(limit: 2) }
    try file.replace(with: [])
    #expect(try file.read(limit: 0) == [])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(scratch.path)/a/b") == ["c.conf"])
  }

  @Test func replacesNothingThatHasChangedInTheMeantime() throws {
    let scratch = try Scratch()
    let file = scratch.file("a/b.conf")
    #expect(try !file.replace(with: Array("one".utf8)) { false })
    #expect(try scratch.names == [])
    try file.replace(with: Array("one".utf8))
    #expect(try !file.replace(with: Array("two".utf8)) { false })
    #expect(try file.read(limit: 3) == Array("one".utf8))
    #expect(try file.replace(with: Array("two".utf8)) { true })
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: "\(scratch.path)/a") == ["b.conf"])
  }

  /// A name that is no text here would be taken for another, and that written.
  @Test func doesNotWriteThroughALinkThatItCannotName() throws {
    let scratch = try Scratch()
    let target: [CChar] = [100, -4, 0]
    symlink(target, "\(scratch.path)/link")
    #expect(throws: FileError(errno: EILSEQ, "readlink", "\(scratch.path)/link")) {
      try scratch.file("link").replace(with: [])
    }
    #expect(try scratch.names == ["link"])
  }

  @Test func givesUpWhereNothingCanBeMade() {
    #expect(throws: FileError(errno: ENOENT, "mkdir", "/proc/a")) {
      try DurableFile(path: "/proc/a/b/c.conf").replace(with: [])
    }
  }

  @Test func removesWhatIsThere() throws {
    let scratch = try Scratch()
    try scratch.file("target").replace(with: [])
    symlink("target", "\(scratch.path)/link")
    try scratch.file("link").remove()
    try scratch.file("link").remove()
    #expect(try scratch.names == ["target"])
    #expect(throws: FileError(errno: EISDIR, "unlink", scratch.path)) {
      try DurableFile(path: scratch.path).remove()
    }
  }

  @Test func followsSymbolicLinks() throws {
    let scratch = try Scratch()
    symlink("a/b", "\(scratch.path)/first")
    #expect(try scratch.file("first").chain() == ["first", "a/b"].map { "\(scratch.path)/\($0)" })
    #expect(try scratch.file("absent").chain() == [scratch.file("absent").path])
  }

  @Test func readsWhatHasNoSize() throws {
    #expect(try !DurableFile(path: "/proc/self/status").read(limit: 65_536).isEmpty)
  }

  @Test func writesThroughSymbolicLinks() throws {
    let scratch = try Scratch()
    symlink("store/real.conf", "\(scratch.path)/second")
    symlink("\(scratch.path)/second", "\(scratch.path)/first")
    for text in ["new", "changed"] {
      try scratch.file("first").replace(with: Array(text.utf8))
      #expect(try scratch.file("store/real.conf").read(limit: 99) == Array(text.utf8))
    }
    #expect(
      try FileManager.default.destinationOfSymbolicLink(atPath: "\(scratch.path)/first").hasSuffix(
        "second"))
    symlink("loop", "\(scratch.path)/loop")
    #expect(throws: FileError.self) { try scratch.file("loop").replace(with: []) }
    #expect(throws: FileError.self) { try scratch.file("loop").read(limit: 1) }
  }

  @Test func refusesWhatIsNoRegularFile() throws {
    let scratch = try Scratch()
    mkfifo("\(scratch.path)/fifo", 0o600)
    mkdir("\(scratch.path)/directory", 0o700)
    for name in ["fifo", "directory"] {
      let file = scratch.file(name)
      #expect(throws: FileError("open", file.path, .notRegular)) { try file.read(limit: 9) }
      #expect(throws: FileError("rename", file.path, .notRegular)) { try file.replace(with: [1]) }
    }
    #expect(throws: FileError.self) { try scratch.file("directory/x/y\u{0}").read(limit: 9) }
    #expect(try scratch.names.sorted() == ["directory", "fifo"])
  }

  @Test func tellsAbsentFromBroken() throws {
    let scratch = try Scratch()
    #expect(throws: FileError("open", scratch.file("no").path, .absent)) {
      try scratch.file("no").read(limit: 9)
    }
    try scratch.file("plain").replace(with: [])
    #expect(throws: FileError("open", scratch.file("plain/x").path, .system(errno: ENOTDIR))) {
      try scratch.file("plain/x").read(limit: 9)
    }
    #expect(throws: FileError.self) { try scratch.file("plain/x").replace(with: []) }
  }

  @Test func removesWhatACrashLeftBehind() throws {
    let scratch = try Scratch()
    let stale = scratch.file(".sovereign-navigation.tmp-stale")
    let used = scratch.file(".sovereign-navigation.tmp-used")
    for file in [stale, used] {
      #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
    }
    let holder = open(used.path, O_RDONLY)
    flock(holder, LOCK_EX)
    try scratch.file("x").replace(with: [])
    #expect(try scratch.names.sorted() == [".sovereign-navigation.tmp-used", "x"])
    close(holder)
  }

  @Test func saysWhetherTheChangeIsMade() {
    #expect(
      FileError("fsync", "/x", .system(errno: EIO), isReplaced: true).description
        == "fsync of /x failed: Input/output error; the change is made but may not survive a power cut"
    )
  }
}
