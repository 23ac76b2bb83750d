import Bus
import Glibc
import TestSupport
import Testing

@testable import Files
@testable import NavigationService

@Suite struct FileWatcherTests {
  @Test func whatCannotBeWatchedIsTriedAgain() throws {
    let directory = try TemporaryDirectory()
    let absent = directory.path + "/absent"
    let loop = try EventLoop()
    var count = 0
    let watcher = FileWatcher(
      "the test", in: loop, at: { [Watch(directory: absent, name: "file")] },
      changed: { count += 1 })
    watcher.start()
    try makeDirectories(absent)
    // Nobody says so.
    try loop.run { count == 1 }
    try writeFile(absent + "/file", "")
    try loop.run { count == 2 }
    withExtendedLifetime(watcher) {}
  }

  /// What was watched goes on being watched where that cannot be made anew.
  @Test func whatCannotBeWatchedAnewIsWatchedAsBefore() throws {
    let directory = try TemporaryDirectory()
    let (here, there) = (directory.path + "/here", directory.path + "/there")
    try makeDirectories(here)
    let loop = try EventLoop()
    var events: [String] = []
    let watcher = FileWatcher(
      "the test", in: loop, at: { [Watch(directory: here, name: "file")] },
      changed: { events.append("changed") })
    watcher.start()
    #expect(rename(here, there) == 0)
    // Before anything is tried again.
    let timer = try loop.after(3_000_000) { events.append("later") }
    try loop.run { events.count == 1 }
    try writeFile(there + "/file", "")
    try loop.run { events.contains("later") }
    #expect(events == ["changed", "changed", "later"])
    withExtendedLifetime((watcher, timer)) {}
  }
}
