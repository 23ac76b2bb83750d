internal import Bus
internal import Files

/// Says when a file, or what leads to it, has changed and then been quiet for a while.
final class FileWatcher {
  private let loop: EventLoop
  private let name: String
  private let wanted: () -> Set<Watch>
  private let changed: () -> Void
  private var sources: [Watch: EventSource] = [:]
  private var timer: EventSource?
  private var nextTry: EventSource?
  /// What of the last `start` failed.
  private var failures: Set<BusError> = []

  /// In microseconds.
  private static let quiet: UInt64 = 100_000
  /// How long it is until what failed is tried again, in microseconds.
  private static let pause: UInt64 = 5_000_000

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
    let former = failures
    // A link on the way may change while the watches are made.
    var watched: Set<Watch> = []
    for _ in 0..<3 where watched != wanted() {
      watched = wanted()
      failures = watch(watched)
    }
    for failure in failures.subtracting(former) {
      Journal.log(.warning, "changes of \(name) may be seen late: \(failure)")
    }
    // Descriptors and watches are used up for a while, and nobody says when there are some again. What may
    // not be looked at shows in the directory above when that changes.
    if failures.contains(where: { !$0.isAccessDenied }) { tryAgain() } else { nextTry = nil }
  }

  /// Watches these names; returns what failed.
  private func watch(_ watches: Set<Watch>) -> Set<BusError> {
    var failures: Set<BusError> = []
    sources = watches.reduce(into: [:]) { made, watch in
      do throws(BusError) {
        // Anew: the directory may be another one of that name.
        made[watch] = try loop.onChange(of: watch.name, in: watch.directory) { [unowned self] in
          check(after: Self.quiet)
        }
      } catch {
        // Where the directory is the same, the former one goes on seeing what happens there.
        made[watch] = sources[watch]
        failures.insert(error)
      }
    }
    return failures
  }

  /// Has the file read, and what failed tried, again in a while.
  func tryAgain() {
    guard nextTry == nil else { return }
    nextTry = try? loop.after(Self.pause) { [unowned self] in
      nextTry = nil
      start()
      changed()
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
