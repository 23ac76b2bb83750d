package import Files
package import Navigation
package import WebOrigin

/// Follows the store of a shell that does not know this service, and remembers what it last said.
///
/// Only what differs from that is a change: what the user chose otherwise in the meantime stands until
/// the shell writes something else, over a restart as well. Making it only reads.
package final class FollowedStore {
  /// The shell's store.
  package let path: String
  private let memory: DurableFile
  private var state: Following
  /// What was no JSON when it was last looked at.
  private var unfinished: [UInt8]?
  private var reported: Set<Diagnostic> = []
  private var view = View.unusable
  /// What the shell had when its store could last be read.
  private var seen: ShellInstances?
  /// Whether what was last seen is on disk.
  private var isKept = true

  package init(_ paths: PreferencePaths) {
    path = paths.shellStore
    memory = DurableFile(path: paths.followed)
    state = Following(in: memory)
  }

  /// Whether the shell has not told the service anything itself yet.
  package var isFollowing: Bool {
    if case .over = state { false } else { true }
  }

  /// Whether the store says the same: that this instance is the active one.
  package func isSource(of active: Origin?) -> Bool {
    guard case .same = view, case .following(let last) = state, last != ShellStore() else {
      return false
    }
    return last.active == active
  }

  /// The instances that the shell has in its store now; `nil` if nothing is known of it.
  ///
  /// While it cannot be read they are those that were last seen there.
  package var instances: ShellInstances? {
    guard isFollowing else { return nil }
    if let bytes = try? ShellStore.bytes(at: path),
      let addresses = try? ShellStore.addresses(in: bytes)
    {
      seen = ShellInstances(addresses: addresses)
    }
    if let seen { return seen }
    guard case .following(let last) = state, last != ShellStore() else { return nil }
    return ShellInstances(addresses: last.instances.map(\.origin.description))
  }

  /// Where something happens when the store changes; to be asked for again after each look.
  package var watches: Set<Watch> { Watch.all(on: path) }

  /// What a look at the store found.
  package struct Look: Hashable, Sendable {
    /// To be applied, and then accepted.
    package var change: ShellStoreChange?
    /// The shell may still be writing: look again in a moment.
    package var isUnfinished = false
    /// It is to be read again, though nothing may happen to it.
    package var isToBeReadAgain = false
    /// Problems that there were not the last time.
    package var news: [Diagnostic] = []
  }

  /// Looks at the store. One that is not there says nothing.
  package func look() -> Look {
    if case .unknown = state { state = Following(in: memory) }
    switch state {
    case .over:
      return Look()
    case .unknown(let error):
      return Look(
        isToBeReadAgain: error?.mayPass ?? false,
        news: news([Diagnostic(path: memory.path, problem: .lastLookUnknown(error))]))
    case .following(let last):
      return look(since: last)
    }
  }

  private func look(since last: ShellStore) -> Look {
    var bytes: [UInt8]?
    do throws(ShellStoreError) {
      let found = try ShellStore.bytes(at: path)
      bytes = found
      let (store, flaws) = try ShellStore.read(found)
      unfinished = nil
      let change = store == last ? nil : ShellStoreChange(old: last, new: store)
      view = change.map { view.refusal(of: $0).map(View.refused) ?? .new($0) } ?? .same
      return Look(
        change: change,
        news: news(Problem.named(flaws).map { Diagnostic(path: path, problem: $0) }))
    } catch {
      switch error {
      case .file(let error) where error.cause == .absent:
        view = .unusable
        return Look(news: news([]))
      case .notJSON where bytes != unfinished:
        unfinished = bytes
        return Look(isUnfinished: true)
      default:
        view = .unusable
        var look = Look(news: news([Diagnostic(path: path, problem: .notTakenOver(error))]))
        if case .file(let error) = error { look.isToBeReadAgain = error.mayPass }
        return look
      }
    }
  }

  private func news(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
    let news = diagnostics.filter { !reported.contains($0) }
    reported = Set(diagnostics)
    return news
  }

  /// A change is applied and on disk: only now is it forgotten, so that a crash before repeats it.
  ///
  /// - Returns: Problems.
  package func accept(_ change: ShellStoreChange) -> [Diagnostic] {
    view = .same
    state = .following(last: change.new)
    isKept = false
    return keep()
  }

  /// The change could not be applied; it will be seen again, until another one is made in its place.
  ///
  /// - Returns: Problems that there were not the last time.
  package func refuse(_ change: ShellStoreChange, because reason: String) -> [Diagnostic] {
    let last = view.refusal(of: change)
    let problem = Diagnostic(path: path, problem: .notStored(reason))
    view = .refused(Refusal(change: change, problem: problem))
    return problem == last?.problem ? [] : [problem]
  }

  /// Somebody else's change is made. A refused one that would undo it counts as taken over.
  ///
  /// - Parameters:
  ///   - origins: Of the instances that were changed.
  ///   - isOfActive: Whether it says which instance is active.
  /// - Returns: Problems.
  package func giveWay(toChangeOf origins: Set<Origin>, isOfActive: Bool) -> [Diagnostic] {
    guard case .refused(let refusal) = view,
      isOfActive || refusal.change.concerns(origins)
    else { return [] }
    return accept(refusal.change)
  }

  /// The shell tells the service itself from now on.
  ///
  /// - Returns: Problems.
  package func end() -> [Diagnostic] {
    state = .over
    isKept = false
    return keep()
  }

  /// Remembers on disk what was last seen, unless it is there.
  ///
  /// - Returns: Problems.
  package func keep() -> [Diagnostic] {
    guard !isKept, let text = state.text else { return [] }
    do throws(FileError) {
      try memory.replace(with: text)
      isKept = true
      return []
    } catch {
      return [Diagnostic(path: memory.path, problem: .lastLookNotKept(error))]
    }
  }
}

/// What the store says, as far as anybody has looked.
private enum View {
  /// Nothing that can be taken over.
  case unusable
  /// What was last taken over.
  case same
  case new(ShellStoreChange)
  case refused(Refusal)

  func refusal(of change: ShellStoreChange) -> Refusal? {
    if case .refused(let refusal) = self, refusal.change == change { refusal } else { nil }
  }
}

private struct Refusal {
  let change: ShellStoreChange
  let problem: Diagnostic
}

/// The file that keeps it is a preference file: the store's choices, and `Follow=false` once the
/// store is followed no more.
private enum Following {
  case following(last: ShellStore)
  /// The shell tells the service itself.
  case over
  case unknown(FileError?)

  init(in file: DurableFile) {
    do throws(FileError) {
      let bytes = try file.read(limit: Reading.maximumLength)
      guard let reading = try? Reading(bytes, fallback: Layer()), reading.problems.isEmpty else {
        self = .unknown(nil)
        return
      }
      let layer = reading.layer
      guard layer.follow != false else {
        self = .over
        return
      }
      var active: Origin?
      if case .origin(let origin) = layer.active { active = origin }
      self = .following(last: ShellStore(active: active, instances: layer.entries.map(\.instance)))
    } catch {
      self =
        error.cause == .absent && !file.isBehindDanglingLink
        ? .following(last: ShellStore()) : .unknown(error)
    }
  }

  var text: [UInt8]? {
    var layer = Layer()
    switch self {
    case .unknown: return nil
    case .over: layer.follow = false
    case .following(let last):
      layer.active = last.active.map(Layer.Active.origin)
      layer.entries = last.instances.map(Entry.init)
    }
    let comment = "# What sovereign-navigationd last saw in the shell's own store.\n"
    return try? applying(layer.edits(from: Layer()), to: Array(comment.utf8))
  }
}
