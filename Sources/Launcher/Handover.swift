package import Desktop
package import Navigation

/// What opening a URL comes to: which application gets what.
package struct Handover: Hashable {
  /// Where the URL ends. It may differ from the decision's destination, never towards the shell.
  package let destination: Destination
  /// Why it differs, if it does.
  package let detour: Reason?
  /// What keeps the shell from being given the link, where `detour` says that something does.
  package let obstacle: AddressingObstacle?
  private let choice: ApplicationChoice
  /// Exactly what the application gets.
  package let url: String

  /// The application.
  package var entry: DesktopEntry { choice.entry }
  /// What named the application: a setting or a file.
  package var source: String { choice.source }

  fileprivate init(
    _ destination: Destination, in choice: ApplicationChoice, _ url: String,
    detour: Reason? = nil, obstacle: AddressingObstacle? = nil
  ) {
    self.destination = destination
    self.detour = detour
    self.obstacle = obstacle
    self.choice = choice
    self.url = url
  }
}

/// What a caller may ask for besides the URL.
package struct HandoverOptions: Hashable, Sendable {
  /// Open in the browser, whatever the decision is.
  package var forcesBrowser: Bool
  /// The caller is the shell itself: its own links must not come back to it.
  package var isFromShell: Bool
  /// No other instance may become the active one.
  package var isActiveLocked: Bool
  /// The instances in the own store of a shell that does not know this service; `nil` if that is not
  /// known.
  package var shellInstances: ShellInstances?

  package init(
    forcesBrowser: Bool = false, isFromShell: Bool = false, isActiveLocked: Bool = false,
    shellInstances: ShellInstances? = nil
  ) {
    self.forcesBrowser = forcesBrowser
    self.isFromShell = isFromShell
    self.isActiveLocked = isActiveLocked
    self.shellInstances = shellInstances
  }
}

extension Decision {
  /// Finds the application for this decision, or says why the URL cannot be opened.
  package func handover(
    in policy: Policy, among choices: ApplicationChoices, options: HandoverOptions
  ) throws(NavigationError) -> Handover {
    if options.forcesBrowser {
      guard browserURL != nil || destination == .blocked else { throw notForBrowsers }
      return try inBrowser(choices, nil)
    }
    switch destination {
    case .blocked:
      throw refusal
    case .handler:
      let scheme = String(url.prefix { $0 != ":" }).lowercased()
      guard let handler = choices.handler(ofScheme: scheme) else {
        throw NavigationError.lack(
          .noHandler, of: "application for \(scheme) links",
          among: choices.handlerCandidates(ofScheme: scheme))
      }
      return Handover(.handler, in: handler, url)
    case .browser:
      return try inBrowser(choices, nil)
    case .shell where reason == .sameOrigin && options.isFromShell:
      return try inBrowser(choices, .fromShell)
    case .switch where options.isActiveLocked:
      return try inBrowser(choices, .locked)
    case .shell, .switch:
      guard let shell = choices.shellChoice else { return try inBrowser(choices, .noShell) }
      let address = shellAddress(
        understandsWeb: shell.entry.isSovereignShell, in: policy, known: options.shellInstances)
      switch address {
      case .success(let url): return Handover(destination, in: shell, url)
      case .failure(let obstacle): return try inBrowser(choices, .shellCannotAddress, obstacle)
      }
    }
  }

  private func inBrowser(
    _ choices: ApplicationChoices, _ detour: Reason?, _ obstacle: AddressingObstacle? = nil
  ) throws(NavigationError) -> Handover {
    if destination == .blocked { throw refusal }
    guard let url = browserURL else {
      throw NavigationError.noShell(among: choices)
    }
    guard let browser = choices.browserChoice else {
      throw NavigationError.noBrowser(among: choices)
    }
    return Handover(.browser, in: browser, url, detour: detour, obstacle: obstacle)
  }

  private var notForBrowsers: NavigationError {
    reason == .unknownInstance
      ? NavigationError(
        .unknownInstance, "the link names an instance that is not stored; add the instance first")
      : NavigationError(
        .unsupportedScheme, "only web links and links to stored instances open in the browser")
  }

  private var refusal: NavigationError {
    switch reason {
    case .tooLong:
      NavigationError(.limitExceeded, "the link is longer than 2 MiB")
    case .malformed:
      NavigationError(.invalidURL, "the link is not a URL; check it for mistakes")
    default:
      NavigationError(.unsupportedScheme, "links of this scheme are never opened")
    }
  }
}

extension ApplicationChoices {
  /// What is started with nothing to open: what `action` says, without one the browser, else the shell.
  package func application(
    for action: DesktopAction?
  ) throws(NavigationError) -> DesktopEntry {
    switch action {
    case nil:
      // One that was named may have lost its program.
      let browser = browser
      let isBrowserThere = browserCandidates.contains {
        $0.id == browser?.id && $0.unsuitability == nil
      }
      if let entry = isBrowserThere ? browser : shell ?? browser { return entry }
      throw NavigationError.noBrowser(among: self)
    case .browser:
      guard let browser else { throw NavigationError.noBrowser(among: self) }
      return browser
    case .shell:
      guard let shell else { throw NavigationError.noShell(among: self) }
      return shell
    }
  }
}

extension NavigationError {
  fileprivate static func noBrowser(among choices: ApplicationChoices) -> NavigationError {
    lack(.noBrowser, of: "web browser besides this service", among: choices.browserCandidates)
  }

  fileprivate static func noShell(among choices: ApplicationChoices) -> NavigationError {
    lack(.noShell, of: "Sovereign shell", among: choices.shellCandidates)
  }

  /// Where applications are installed that cannot be taken, it names the first of them and the reason.
  fileprivate static func lack(
    _ code: Code, of what: String, among candidates: [Candidate]
  ) -> NavigationError {
    for candidate in candidates.filter({ !$0.isOpener }) + candidates.filter(\.isOpener) {
      switch candidate.unsuitability {
      case nil, .ourselves, .shell, .unavailable(.notInstalled), .unavailable(.hidden):
        continue
      case .programMissing(let program):
        return NavigationError(
          code,
          "no \(what) can be run: the program of \(candidate.id), \(program), is not there; install it "
            + "again, or another application")
      case .some(.sandboxed):
        return NavigationError(
          code,
          "no \(what) can be used: \(candidate.id) is installed, but \(Unsuitability.sandboxed)")
      case .some(let reason):
        return NavigationError(
          code,
          "no \(what) can be used: \(candidate.id) is installed, but \(reason); "
            + (candidate.isOpener ? "" : "correct its entry, or ") + "install another application")
      }
    }
    return NavigationError(code, "no \(what) is installed; install one and try again")
  }
}

extension Candidate {
  /// Whether it would only ask for another application.
  fileprivate var isOpener: Bool {
    if case .genericOpener = unsuitability { true } else { false }
  }
}
