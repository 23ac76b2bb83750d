internal import Bus

/// Work that takes long, done a few milliseconds at a time while everybody else is answered in between.
///
/// All of it shares one turn: however many wait, who asks for something short waits for one.
final class Turns {
  /// Does some of the work: one part at least, and more until the clock shows `end`. Returns whether
  /// all of it is done.
  typealias Work = (_ end: UInt64) -> Bool

  /// How long others wait for a turn, in microseconds.
  private static let length: UInt64 = 5_000
  /// How much of it one work has before the next one goes on.
  private static let share: UInt64 = 1_000

  private let loop: EventLoop
  private var waiting: [Work] = []
  private var timer: EventSource?
  private var isTaken = false
  /// How long others have at least between two turns, in microseconds: of a flood of short calls each
  /// would else wait for a turn of its own.
  var pause = length
  /// Called after each turn.
  var whenTaken: () -> Void = {}

  init(_ loop: EventLoop) {
    self.loop = loop
  }

  var isEmpty: Bool { waiting.isEmpty && !isTaken }

  /// Begins at once where nothing else waits; work begins in the order in which it comes here.
  func add(_ work: @escaping Work) {
    waiting.append(work)
    if timer == nil, !isTaken { take() }
  }

  private func take() {
    timer = nil
    isTaken = true
    var now = Clock.monotonicMicroseconds
    var end = now + Self.length
    while !waiting.isEmpty {
      let work = waiting.removeFirst()
      if !work(min(now + Self.share, end)) { waiting.append(work) }
      now = Clock.monotonicMicroseconds
      guard now >= end, !waiting.isEmpty else { continue }
      timer = try? loop.after(pause) { [self] in take() }
      if timer != nil { break }
      // Out of timers: late is better than never.
      end = now + Self.length
    }
    isTaken = false
    whenTaken()
  }
}
