internal import Bus
internal import Files

/// Says when a file, or what leads to it, has changed and then been quiet for a while.
final class FileWatcher {
  private let loop: EventLoop
  private let name: String
  private let wanted: () -> Set<Watch>
  private let changed: () -> Void
  private var sources: [EventSource] = []
  private var timer: EventSource?

  /// In microseconds.
  private static let quiet: UInt64 = 100_000

  /// Watches from `start` on.
  ///
  /// - Parameters:
  ///   - name: What is watched, for a warning.
  ///   - wanted: Where something happens when the file changes; it is asked again after each change.
  init(
    _ name: String, in loop: EventLoop, at wanted: @escaping () -> Set<Watch>,
    changed: @escaping () -> Void
  ) {
    self.name = name
    self.loop = loop
    self.wanted = wanted
    self.changed = changed
  }

  /// To be called before the file is read, so that nothing falls between reading and watching.
  func start() {
    // A link on the way may change while the watches are made.
    var watched: Set<Watch> = []
    for _ in 0..<3 where watched != wanted() {
      watched = wanted()
      watch(watched)
    }
  }

  private func watch(_ watches: Set<Watch>) {
    sources = watches.compactMap { watch in
      do throws(BusError) {
        return try loop.onChange(of: watch.name, in: watch.directory) { [unowned self] in
          check(after: Self.quiet)
        }
      } catch {
        Journal.log(.warning, "changes of \(name) will not be seen: \(error)")
        return nil
      }
    }
  }

  /// Has the file read in so many microseconds, instead of when that was due before.
  func check(after delay: UInt64) {
    timer = try? loop.after(delay) { [unowned self] in
      timer = nil
      start()
      changed()
    }
  }
}
