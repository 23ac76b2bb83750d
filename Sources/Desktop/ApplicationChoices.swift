package import Files

/// An application that was considered, and what became of it.
package struct Candidate: Hashable, Sendable {
  /// The desktop-file id.
  package let id: String
  /// What named it: a setting or a file.
  package let source: String
  package let entry: DesktopEntry?
  /// Why it is not taken; `nil` if it can be.
  package fileprivate(set) var unsuitability: Unsuitability?

  /// What keeps it from being taken, if it is only its program that is gone.
  package var missingProgram: String? {
    if case .programMissing(let program) = unsuitability { program } else { nil }
  }
}

/// An application that was chosen.
package struct ApplicationChoice: Hashable, Sendable {
  package let entry: DesktopEntry
  /// What named it: a setting or a file.
  package let source: String
}

/// The applications that links go to, in one session at one moment.
package struct ApplicationChoices {
  /// Everything that could be the shell, most preferred first; entries without a field code last.
  package let shellCandidates: [Candidate]
  /// Everything that could be the browser, most preferred first.
  package let browserCandidates: [Candidate]
  private let browserID: String?
  private let shellID: String?
  private let associations: Associations
  private let judge: Judge
  private let handlers = Handlers()

  /// Reads what is installed and associated.
  ///
  /// - Parameters:
  ///   - directories: Of the session, with its `PATH` and `XDG_CURRENT_DESKTOP`.
  ///   - browser: The user's choice, a desktop-file id.
  ///   - browserSource: What says so, if it is not the user's setting.
  ///   - previousBrowser: The default that was in force when this service became it.
  ///   - shell: The user's choice, a desktop-file id.
  ///   - shellSource: What says so, if it is not the user's setting.
  package init(
    _ directories: BaseDirectories, browser: String?, browserSource: String? = nil,
    previousBrowser: String? = nil, shell: String?, shellSource: String? = nil
  ) {
    let associations = Associations(directories)
    let judge = Judge(directories)
    let shells = Self.shells(
      associations, judge, preferred: shell.map { .init(id: $0, file: shellSource ?? "Shell") })
    browserID = browser
    shellID = shell
    self.associations = associations
    self.judge = judge
    shellCandidates = shells
    browserCandidates = Self.browsers(
      associations, judge,
      preferred: [
        browser.map { .init(id: $0, file: browserSource ?? "Browser") },
        previousBrowser.map { .init(id: $0, file: "the former default") },
      ].compactMap { $0 }, shell: Self.choose(shells, preferred: shell)?.entry.id)
  }

  /// Where programs are looked for.
  package var searchPath: String { judge.searchPath }

  package var browser: DesktopEntry? { browserChoice?.entry }
  package var shell: DesktopEntry? { shellChoice?.entry }
  package var browserChoice: ApplicationChoice? {
    Self.choose(browserCandidates, preferred: browserID)
  }
  package var shellChoice: ApplicationChoice? { Self.choose(shellCandidates, preferred: shellID) }

  /// What the desktop itself opens links of a scheme with.
  package func desktopHandler(ofScheme scheme: String) -> Associations.Source? {
    associations.handler(ofScheme: scheme)
  }

  /// Whether links that are clicked anywhere reach this service.
  package var isOursTheDefault: Bool { desktopHandler(ofScheme: "https")?.id == DesktopEntry.ours }

  package func handler(ofScheme scheme: String) -> ApplicationChoice? {
    if let known = handlers.byScheme[scheme] { return known }
    let handler = Self.choose(handlerCandidates(ofScheme: scheme), preferred: nil)
    handlers.byScheme[scheme] = .some(handler)
    return handler
  }

  /// What was looked up: one call may bring thousands of links of one scheme.
  private final class Handlers {
    var byScheme: [String: ApplicationChoice?] = [:]
  }

  /// Everything that could open links of a scheme that is neither ours nor the browser's.
  package func handlerCandidates(ofScheme scheme: String) -> [Candidate] {
    let type = Self.type(scheme)
    // A program that makes itself the default need not claim the scheme, and desktops do not ask.
    return judge.candidates(associations.defaults(for: type) + associations.applications(for: type))
  }

  /// Why a desktop-file id cannot be the browser, or `nil` if it can.
  package func objection(toBrowser id: String) -> Unsuitability? {
    judge.candidate(id, source: "", unless: Self.objectionToShell(shell?.id)).unsuitability
  }

  /// Why a desktop-file id cannot be the shell, or `nil` if it can.
  package func objection(toShell id: String) -> Unsuitability? {
    judge.candidate(id, source: "").unsuitability
  }

  /// A shell would send every link that is not its own back.
  private static func objectionToShell(_ shell: String?) -> (DesktopEntry) -> Unsuitability? {
    { entry in
      entry.id == shell || entry.isSovereignShell || entry.mimeTypes.contains(type("sovereign"))
        ? .shell : nil
    }
  }

  private static func browsers(
    _ associations: Associations, _ judge: Judge, preferred: [Associations.Source], shell: String?
  ) -> [Candidate] {
    let web = type("https")
    let named =
      preferred + associations.usersChoices(for: web) + associations.applications(for: web)
      + associations.applications(for: type("http"))
    let isShell = objectionToShell(shell)
    var candidates = judge.candidates(named, unless: isShell)
    if let delegate = judge.delegated.kdeBrowser,
      !candidates.contains(where: { $0.id == delegate.id })
    {
      candidates.append(judge.candidate(delegate, unless: isShell))
    }
    return candidates
  }

  private static func shells(
    _ associations: Associations, _ judge: Judge, preferred: Associations.Source?
  ) -> [Candidate] {
    let named =
      associations.defaults(for: type("sovereign"))
      + associations.applications(for: type("sovereign"))
    let found = judge.candidates(named) { $0.sandbox == nil ? nil : .sandboxed }
    let chosen = preferred.map { [judge.candidate($0.id, source: $0.file)] } ?? []
    let others = found.filter { $0.id != preferred?.id }
    return chosen + others.filter { $0.entry?.lacksFieldCode != true }
      + others.filter { $0.entry?.lacksFieldCode == true }
  }

  /// The first that can be taken.
  ///
  /// Where the user named an application whose program is gone, it stays the choice, and the launch
  /// says what is missing: another browser may be one that the user does not trust with the link.
  private static func choose(
    _ candidates: [Candidate], preferred: String?
  ) -> ApplicationChoice? {
    for candidate in candidates {
      guard let entry = candidate.entry,
        candidate.unsuitability == nil
          || candidate.missingProgram != nil && candidate.id == preferred
      else { continue }
      return ApplicationChoice(entry: entry, source: candidate.source)
    }
    return nil
  }

  private static func type(_ scheme: String) -> String { Associations.schemePrefix + scheme }
}

/// Loads applications and says which can be taken.
private struct Judge {
  let delegated: DelegatedApplications

  init(_ directories: BaseDirectories) {
    delegated = DelegatedApplications(
      directories: directories, installed: ApplicationDirectories(directories),
      searchPath: directories.searchPath)
  }

  var searchPath: String { delegated.searchPath }

  /// The candidates that some sources name, each once.
  func candidates(
    _ sources: [Associations.Source],
    unless objection: (DesktopEntry) -> Unsuitability? = { _ in nil }
  ) -> [Candidate] {
    var seen: Set<String> = []
    var result: [Candidate] = []
    for source in sources where seen.insert(source.id).inserted {
      let candidate = candidate(source.id, source: source.file, unless: objection)
      result.append(candidate)
      if let delegate = candidate.entry.flatMap(delegated.xfce(behind:)),
        seen.insert(delegate.id).inserted
      {
        result.append(self.candidate(delegate, unless: objection))
      }
    }
    return result
  }

  func candidate(
    _ id: String, source: String, unless objection: (DesktopEntry) -> Unsuitability? = { _ in nil }
  ) -> Candidate {
    do throws(DesktopEntryError) {
      return candidate(try delegated.installed.entry(id), source: source, unless: objection)
    } catch {
      return Candidate(id: id, source: source, entry: nil, unsuitability: .unavailable(error))
    }
  }

  func candidate(
    _ delegate: DelegatedApplications.Delegate, unless objection: (DesktopEntry) -> Unsuitability?
  ) -> Candidate {
    guard let entry = delegate.entry else {
      return candidate(delegate.id, source: delegate.file, unless: objection)
    }
    return candidate(entry, source: delegate.file, unless: objection)
  }

  private func candidate(
    _ entry: DesktopEntry, source: String, unless objection: (DesktopEntry) -> Unsuitability?
  ) -> Candidate {
    var candidate = Candidate(
      id: entry.id, source: source, entry: entry,
      unsuitability: entry.unsuitability(searchPath: searchPath))
    // A program may come back.
    if candidate.unsuitability == nil || candidate.missingProgram != nil {
      candidate.unsuitability = objection(entry) ?? candidate.unsuitability
    }
    return candidate
  }
}

extension DesktopEntry {
  /// Whether a URL must be appended to its command.
  fileprivate var lacksFieldCode: Bool {
    busName == nil && exec.flatMap { try? ExecLine($0) }?.targets == ExecLine.Targets.none
  }
}
