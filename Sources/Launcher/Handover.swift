package import Desktop
package import Navigation

/// What opening a URL comes to: which application gets what.
package struct Handover: Hashable {
  /// Where the URL ends. It may differ from the decision's destination, never towards the shell.
  package let destination: Destination
  /// Why it differs, if it does.
  package let detour: Reason?
  /// The application.
  package let entry: DesktopEntry
  /// Exactly what the application gets.
  package let url: String
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
      guard let entry = choices.handler(ofScheme: scheme) else {
        throw NavigationError(
          .noHandler, "no application handles \(scheme) links; install one and try again")
      }
      return Handover(destination: .handler, detour: nil, entry: entry, url: url)
    case .browser:
      return try inBrowser(choices, nil)
    case .shell where reason == .sameOrigin && options.isFromShell:
      return try inBrowser(choices, .fromShell)
    case .switch where options.isActiveLocked:
      return try inBrowser(choices, .locked)
    case .shell, .switch:
      guard let shell = choices.shell else { return try inBrowser(choices, .noShell) }
      let url = shellURL(
        understandsWeb: shell.isSovereignShell, in: policy, known: options.shellInstances)
      guard let url else {
        return try inBrowser(choices, .shellCannotAddress)
      }
      return Handover(destination: destination, detour: nil, entry: shell, url: url)
    }
  }

  private func inBrowser(
    _ choices: ApplicationChoices, _ detour: Reason?
  ) throws(NavigationError) -> Handover {
    if destination == .blocked { throw refusal }
    guard let url = browserURL else {
      throw NavigationError(
        .noShell, "no Sovereign shell is installed to take this link; install one and try again")
    }
    guard let browser = choices.browser else {
      throw NavigationError(
        .noBrowser, "no web browser is installed besides this service; install one and try again")
    }
    return Handover(destination: .browser, detour: detour, entry: browser, url: url)
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
    let (entry, error) =
      switch action {
      case nil:
        (
          browser ?? shell,
          NavigationError(.noBrowser, "no web browser and no shell is installed; install one")
        )
      case .browser:
        (
          browser,
          NavigationError(
            .noBrowser, "no web browser is installed besides this service; install one")
        )
      case .shell:
        (shell, NavigationError(.noShell, "no Sovereign shell is installed; install one"))
      }
    guard let entry else { throw error }
    return entry
  }
}
