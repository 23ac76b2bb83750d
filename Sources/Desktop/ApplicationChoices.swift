package import Files

/// An application that was considered, and what became of it.
package struct Candidate: Hashable, Sendable {
  /// The desktop-file id.
  package let id: String
  /// What named it: a setting or a file.
  package let source: String
  package let entry: DesktopEntry?
  /// Why it is not taken; `nil` if it can be.
  package let unsuitability: Unsuitability?
}

/// The applications that links go to, in one session.
package struct ApplicationChoices {
  private let directories: BaseDirectories
  private let installed: ApplicationDirectories
  private let associations: Associations
  private let preferredBrowser: String?
  private let previousBrowser: String?
  private let preferredShell: String?

  /// - Parameters:
  ///   - directories: Of the session, with its `PATH` and `XDG_CURRENT_DESKTOP`.
  ///   - browser: The user's choice, a desktop-file id.
  ///   - previousBrowser: The default that was in force when this service became it.
  ///   - shell: The user's choice, a desktop-file id.
  package init(
    _ directories: BaseDirectories, browser: String?, previousBrowser: String? = nil,
    shell: String?
  ) {
    self.directories = directories
    installed = ApplicationDirectories(directories)
    associations = Associations(directories)
    preferredBrowser = browser
    self.previousBrowser = previousBrowser
    preferredShell = shell
  }

  /// Where programs are looked for.
  package var searchPath: String {
    directories.environment["PATH"] ?? Executable.defaultSearchPath
  }

  package var browser: DesktopEntry? { Self.first(browserCandidates) }
  package var shell: DesktopEntry? { Self.first(shellCandidates) }

  package func handler(ofScheme scheme: String) -> DesktopEntry? {
    Self.first(
      candidates(associations.applications(for: Self.type(scheme)).map { ($0.id, $0.file) }))
  }

  /// What the desktop itself opens web links with: the first default or association that is installed.
  package var defaultWebHandler: Associations.Source? {
    associations.applications(for: Self.type("https")).first { source in
      installed.entry(source.id).map { !$0.isHidden } ?? false
    }
  }

  /// Everything that could be the browser, most preferred first.
  package var browserCandidates: [Candidate] {
    var named: [(String, String)] = []
    if let preferredBrowser { named.append((preferredBrowser, "Browser")) }
    if let previousBrowser { named.append((previousBrowser, "the former default")) }
    named += associations.usersChoices(for: Self.type("https")).map { ($0.id, $0.file) }
    for scheme in ["https", "http"] {
      named += associations.applications(for: Self.type(scheme)).map { ($0.id, $0.file) }
    }
    let shell = shell
    var result = candidates(named) { entry in
      let isShell =
        entry.id == shell?.id || entry.isSovereignShell
        || entry.mimeTypes.contains(Self.type("sovereign"))
      return isShell ? .shell : nil
    }
    if let (entry, file) = DelegatedBrowser.kde(directories, installed),
      !result.contains(where: { $0.id == entry.id })
    {
      result.append(judge(entry.id, file, entry))
    }
    return result
  }

  /// Everything that could be the shell, most preferred first; entries without a field code last.
  package var shellCandidates: [Candidate] {
    let named = associations.applications(for: Self.type("sovereign")).map { ($0.id, $0.file) }
    let found = candidates(named) { $0.isSandboxed ? .sandboxed : nil }
    let withCode = found.filter { !Self.lacksFieldCode($0.entry) }
    let withoutCode = found.filter { Self.lacksFieldCode($0.entry) }
    guard let preferredShell else { return withCode + withoutCode }
    return candidates([(preferredShell, "Shell")])
      + (withCode + withoutCode).filter { $0.id != preferredShell }
  }

  /// Why a desktop-file id cannot be a browser or shell, or `nil` if it can.
  package func objection(to id: String) -> Unsuitability? {
    candidates([(id, "")]).first.flatMap(\.unsuitability)
  }

  private func candidates(
    _ named: [(id: String, source: String)],
    unless reject: (DesktopEntry) -> Unsuitability? = { _ in nil }
  ) -> [Candidate] {
    var seen: Set<String> = []
    var result: [Candidate] = []
    for (id, source) in named where seen.insert(id).inserted {
      let entry = installed.entry(id)
      // Xfce's entry asks Xfce's own setting, which names a browser or leads to nothing.
      if let entry, Self.isExoOpen(entry),
        let real = DelegatedBrowser.xfce(directories, installed)
      {
        result.append(judge(id, source, entry))
        if seen.insert(real.id).inserted {
          result.append(judge(real.id, "xfce4/helpers.rc", real, unless: reject))
        }
        continue
      }
      result.append(judge(id, source, entry, unless: reject))
    }
    return result
  }

  private func judge(
    _ id: String, _ source: String, _ entry: DesktopEntry?,
    unless reject: (DesktopEntry) -> Unsuitability? = { _ in nil }
  ) -> Candidate {
    let unsuitability =
      entry.map { $0.unsuitability(searchPath: searchPath) ?? reject($0) } ?? .notInstalled
    return Candidate(id: id, source: source, entry: entry, unsuitability: unsuitability)
  }

  private static func first(_ candidates: [Candidate]) -> DesktopEntry? {
    candidates.first { $0.unsuitability == nil }?.entry
  }

  private static func isExoOpen(_ entry: DesktopEntry) -> Bool {
    entry.exec.flatMap { try? ExecLine($0) }?.program.split(separator: "/").last == "exo-open"
  }

  private static func lacksFieldCode(_ entry: DesktopEntry?) -> Bool {
    guard let entry, entry.busName == nil else { return false }
    return entry.exec.flatMap { try? ExecLine($0) }?.targets == ExecLine.Targets.none
  }

  /// The type that stands for a scheme in association files.
  package static func type(_ scheme: String) -> String { "x-scheme-handler/\(scheme)" }
}
