import Glibc
import TestSupport
import Testing

@testable import Bus

@Suite struct JournalTests {
  @Test(arguments: ["", "MESSAGE=é", "MESSAGE=a\0b", "\0"])
  func aFieldIsCopiedWhole(_ line: String) {
    let copy = Journal.copy(line)
    defer { copy.deallocate() }
    #expect(Array(copy) == Array(line.utf8))
  }

  /// systemd.exec(5): the device and the inode in decimal, with a colon between them.
  @Test func theStreamIsToldByDeviceAndInode() throws {
    let directory = try TemporaryDirectory()
    let files = ["one", "two"].map { open("\(directory.path)/\($0)", O_CREAT | O_RDWR, 0o600) }
    defer { for file in files { close(file) } }
    let stat = try Child(
      ["stat", "--format=%d:%i", directory.path + "/one"], environment: ["PATH": "/usr/bin:/bin"])
    let name = String(decoding: try stat.wait().output, as: UTF8.self)
      .trimmingPrefix(while: \.isWhitespace).prefix { !$0.isWhitespace }
    #expect(Journal.isStream(files[0], String(name)))
    #expect(!Journal.isStream(files[1], String(name)))
    #expect(!Journal.isStream(files[0], ""))
    #expect(!Journal.isStream(-1, String(name)))
  }
}
