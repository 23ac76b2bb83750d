package import Files
import Glibc

/// The user's preferences: what is in force, and the files that it comes from.
///
/// The service is the only writer. It owns its name on the bus, makes the store, then calls `reload()`.
/// Making a store only reads, for programs that only look.
package final class PreferenceStore {
  package let paths: PreferencePaths
  package private(set) var settings: Settings
  /// Everything that is wrong now.
  package private(set) var diagnostics: [Diagnostic]
  /// The file that says which instance the user made active, or that none is: the user's file, or the copy
  /// of its good state where that does not say so itself. `nil` if neither does.
  package private(set) var activeSource: String?

  private let file: DurableFile
  private let copies: BrokenCopies
  private let now: () -> Int64

  private var administrators: [AdministratorFile]
  private var good: GoodState
  /// What the file held when it was last looked at; `nil` before the first reload.
  private var content: Content?
  /// What the file holds even after a power cut.
  private var durable: [UInt8]?
  private var goodCopy = GoodCopy.absent
  private var reported: Set<Diagnostic> = []

  /// Reads the preferences.
  ///
  /// - Parameter now: The time in milliseconds since the Unix epoch; it names copies.
  package init(_ directories: BaseDirectories, now: @escaping () -> Int64) {
    paths = PreferencePaths(directories)
    file = DurableFile(path: paths.file)
    copies = BrokenCopies(path: paths.file)
    self.now = now
    administrators = paths.administrators.map(AdministratorFile.init(path:))
    _ = administrators.look()

    good = GoodState()
    do throws(FileError) {
      let text = try DurableFile(path: paths.good).read(limit: Reading.maximumLength)
      goodCopy = .text(text)
      if let reading = try? Reading(text, fallback: Layer()) {
        good = GoodState(text: text, layer: reading.layer)
      }
    } catch {
      if error.cause != .absent { goodCopy = .unknown(error) }
    }
    let found = Content(of: file)
    let problems: [Problem]
    (good, problems) = good.after(found)
    settings = Settings(user: good.layer, administrators: administrators.settings)
    diagnostics = problems.map { [path = paths.file] in Diagnostic(path: path, problem: $0) }
    goodCopy.settle(for: good, found)
    diagnostics += goodProblem + administrators.diagnostics
    activeSource = source(ofActiveIn: found)
  }

  /// What the user's file says: change a copy of it, then `save` that.
  package var user: Layer { good.layer }

  /// Looks at the files again.
  ///
  /// Our own writes, and whatever else leaves the content as it is, change nothing. The first time
  /// it also does what the content leads to: a copy of a broken file, a good state that is kept.
  package func reload() -> Outcome {
    let found = Content(of: file)
    let isOtherwise = administrators.look()
    if found == content, !isOtherwise { return unchanged }
    let (state, problems) = good.after(found)
    return accept(state, from: found, problems)
  }

  /// Looks at the files before a change, for an edit that is not read yet.
  ///
  /// One that is not complete is left alone, and so is a file that an editor has moved away for a moment:
  /// what they come to is seen when they have been quiet for a while. What administrators say counts at once.
  package func reloadBeforeChange() -> Outcome {
    switch Content(of: file) {
    case .bytes(let bytes) where (try? good.reading(of: bytes)) != nil: return reload()
    case .absent where isForgotten: return reload()
    default:
      guard administrators.look(), let content else { return unchanged }
      let (state, problems) = good.after(content)
      return accept(state, from: content, problems)
    }
  }

  private var unchanged: Outcome {
    Outcome(previous: settings, current: settings, news: [], durabilityError: nil)
  }

  /// Whether a file that is not there is not only away for a moment: no editor takes its directory away,
  /// or our copy of its good state.
  private var isForgotten: Bool {
    func isGone(_ path: String) -> Bool { access(path, F_OK) != 0 && errno == ENOENT }
    return isGone(parent(of: paths.file)) || goodCopy.isThere && isGone(paths.good)
  }

  /// Makes the file say what `layer` says, durably, and then the settings in force.
  ///
  /// It starts from the bytes that are now in the file and changes only what differs between
  /// `layer` and `user`: an edit by hand that was not read yet survives, and is in the outcome. Where
  /// the file is away and that was not read yet, it may come back: nothing of what was read is lost.
  package func save(_ layer: Layer) throws(StoreError) -> Outcome {
    let edits = layer.edits(from: user)
    var attempt = 1
    while true {
      let found = Content(of: file)
      if edits.isEmpty, found == .absent { return unchanged }

      let (text, reading) = try edited(try base(of: found), by: edits, fallback: layer)
      var durabilityError: FileError?
      if found != .bytes(text) || durable != text {
        durable = nil
        do throws(FileError) {
          let isReplaced = try file.replace(with: text) {
            // A disk takes its time, in which somebody may edit the file.
            attempt == 3 || Content(of: file) == found
          }
          attempt += 1
          guard isReplaced else { continue }
          durable = text
        } catch  where error.isReplaced {
          durabilityError = error
        } catch {
          throw .file(error)
        }
      }
      return accept(
        good.after(reading, of: text), from: .bytes(text), reading.problems,
        durabilityError: durabilityError)
    }
  }

  /// Whether the files are to be read again, though nothing may happen to them.
  package var isToBeReadAgain: Bool {
    content?.mayPass ?? false || administrators.contains { $0.content.mayPass }
  }

  /// Where something happens when one of the files changes, by whatever way.
  ///
  /// To be asked for again after each reload: every name that is followed on the way to a file, as
  /// far as it exists. A directory above can be moved away, or be a link that is made anew.
  package var watches: Set<Watch> {
    paths.administrators.reduce(into: Watch.all(on: paths.file)) {
      $0.formUnion(Watch.all(on: $1))
    }
  }

  /// The text that a save starts from. A broken file is set aside before.
  private func base(of found: Content) throws(StoreError) -> [UInt8] {
    switch found {
    case .absent where isForgotten:
      return []
    case .absent, .dangling:
      return try lastGoodText
    case .unreadable(let error), .notRegular(let error):
      throw .file(error)
    case .bytes(let bytes) where (try? good.reading(of: bytes)) != nil:
      return bytes
    case .bytes, .tooLarge:
      do throws(FileError) {
        _ = try keepCopy(of: found)
      } catch {
        throw .brokenFileNotKept(error)
      }
      return try lastGoodText
    }
  }

  private var lastGoodText: [UInt8] {
    get throws(StoreError) {
      if case .unknown(let error) = goodCopy { throw .file(error) }
      return good.text
    }
  }

  private func edited(
    _ base: [UInt8], by edits: [Edit], fallback: Layer
  ) throws(StoreError) -> (text: [UInt8], reading: Reading) {
    guard var text = try? applying(edits, to: base) else { throw .notWritable }
    // What we write must not look like the rest of something longer.
    if good.isCutOff(text) { text.append(UInt8(ascii: "\n")) }
    guard text.count <= Reading.maximumLength else { throw .tooLong(text.count) }
    guard let reading = try? Reading(text, fallback: fallback),
      edits.allSatisfy(reading.layer.shows)
    else { throw .notWritable }
    return (text, reading)
  }

  private func accept(
    _ state: GoodState, from found: Content, _ problems: [Problem],
    durabilityError: FileError? = nil
  ) -> Outcome {
    let previous = settings
    good = state
    content = found
    settings = Settings(user: state.layer, administrators: administrators.settings)
    goodCopy.settle(for: good, found)
    diagnostics =
      problems.flatMap { settle($0, about: found) } + goodProblem + keepGood(found)
      + administrators.diagnostics
    activeSource = source(ofActiveIn: found)
    let news = diagnostics.filter { !reported.contains($0) }
    reported = Set(diagnostics)
    return Outcome(
      previous: previous, current: settings, news: news, durabilityError: durabilityError)
  }

  private func source(ofActiveIn found: Content) -> String? {
    guard let active = good.layer.active else { return nil }
    if case .bytes(let bytes) = found {
      if bytes == good.text { return paths.file }
      // Where it has another value that cannot be used, it says this one all the same.
      if !good.isCutOff(bytes), let reading = try? Reading(bytes, fallback: Layer()),
        reading.layer.active == active
      {
        return paths.file
      }
    }
    return goodCopy == .text(good.text) ? paths.good : nil
  }

  private func settle(_ problem: Problem, about found: Content) -> [Diagnostic] {
    var problems = [problem]
    if case .broken(let defect, _, let inForce) = problem, defect != .notRegular {
      do throws(FileError) {
        problems = [.broken(defect, copy: try keepCopy(of: found), inForce: inForce)]
      } catch {
        problems.append(.notCopied(error))
      }
    }
    return problems.map { Diagnostic(path: paths.file, problem: $0) }
  }

  private func keepCopy(of found: Content) throws(FileError) -> String {
    if case .bytes(let bytes) = found { return try copies.keep(bytes, now: now()) }
    return try copies.keep(file.read(limit: Content.maximumCopied), now: now())
  }

  private var goodProblem: [Diagnostic] {
    guard case .unknown(let error) = goodCopy else { return [] }
    return [Diagnostic(path: paths.good, problem: .unreadable(error, inForce: .defaults))]
  }

  /// Makes the copy of the good state follow.
  private func keepGood(_ found: Content) -> [Diagnostic] {
    let copy = DurableFile(path: paths.good)
    do throws(FileError) {
      if found == .absent {
        if goodCopy.isThere { try copy.remove() }
        goodCopy = .absent
      } else if !good.text.isEmpty, goodCopy != .text(good.text) {
        try copy.replace(with: good.text)
        goodCopy = .text(good.text)
      }
      return []
    } catch {
      return [Diagnostic(path: paths.good, problem: .notKept(error))]
    }
  }
}

/// The copy of the good state, as far as it matters.
private enum GoodCopy: Equatable {
  case absent
  case text([UInt8])
  /// What the last good state was is needed, and not known.
  case unknown(FileError)

  var isThere: Bool {
    if case .text = self { true } else { false }
  }

  /// What it says does not matter once the file says it, or is deleted.
  mutating func settle(for state: GoodState, _ found: Content) {
    guard case .unknown = self, found == .absent || !state.text.isEmpty else { return }
    self = .absent
  }
}
