internal import Desktop
internal import Launcher

/// The applications that links go to, in the session as it is now.
final class SessionChoices {
  /// As it was at the last call that needed it.
  private(set) var session = Session.own
  private let manager: UserManager
  private let turns: Turns
  /// Reads dozens of files.
  private let find: (Session) -> ApplicationChoices
  private var found: ApplicationChoices?
  private var waiting: [Turns.Work] = []
  private var isAsking = false
  /// How often what they depend on has changed here.
  private(set) var changes = 0
  /// How much of the work that the session was asked for is not done.
  private var unfinished = 0

  init(
    _ manager: UserManager, _ turns: Turns, find: @escaping (Session) -> ApplicationChoices
  ) {
    self.manager = manager
    self.turns = turns
    self.find = find
  }

  /// Whether nobody waits for the session or for what was to be done in it.
  var isIdle: Bool { !isAsking && waiting.isEmpty && unfinished == 0 }

  /// The applications in the session as it was last seen. They are looked up once for all the work that
  /// waits: to do it for each of a flood of links would keep everybody else waiting.
  func current() -> ApplicationChoices {
    if let found { return found }
    let choices = find(session)
    if unfinished > 0 { found = choices }
    return choices
  }

  /// Has them looked up again: what they, or decisions, depend on is changed.
  func invalidate() {
    found = nil
    changes += 1
  }

  /// Does `work` in turns once the session is known as it is now, or later. Work that comes while the
  /// session is being asked for waits for the next answer, all of it for the same one.
  func wait(_ work: @escaping Turns.Work) {
    waiting.append(work)
    if !isAsking { ask() }
  }

  private func ask() {
    isAsking = true
    var works = waiting
    waiting = []
    manager.session { [self] session in
      self.session = session
      found = nil
      if !session.hasManager {
        // A manager that hangs is not waited for twice.
        works += waiting
        waiting = []
      }
      unfinished += works.count
      isAsking = false
      for work in works {
        turns.add { [self] end in
          guard work(end) else { return false }
          unfinished -= 1
          if unfinished == 0 { found = nil }
          return true
        }
      }
      if !waiting.isEmpty, !isAsking { ask() }
    }
  }
}
