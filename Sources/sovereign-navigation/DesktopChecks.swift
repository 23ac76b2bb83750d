internal import Desktop
internal import Files
internal import Navigation
internal import Preferences
internal import WebOrigin

/// What is wrong, worked out from what was found.
enum Check {}

// MARK: The handler of web links

extension Check {
  /// - Parameter entry: Ours, as the desktop finds it.
  static func entry(
    _ entry: Result<DesktopEntry, DesktopEntryError>, program: String?, searchPath: String
  ) -> [Finding] {
    let found: DesktopEntry
    do throws(DesktopEntryError) {
      found = try entry.get()
    } catch {
      return [
        Finding(
          .entryMissing, "the desktop has no entry \(DesktopEntry.ours): \(error)",
          remedy: "let XDG_DATA_DIRS name the share that it is installed in, or install it "
            + "again where that leads, or remove the file that stands in its place")
      ]
    }
    let remedy = "remove it, if the service is installed elsewhere, or install the service again"
    guard let name = found.exec.flatMap({ try? ExecLine($0) })?.program else {
      return [
        Finding(
          .entryOverridden, "the entry of the service has no command that can be run",
          at: found.path, remedy: remedy)
      ]
    }
    guard let started = Executable.find(name, searchPath: searchPath) else {
      return [
        Finding(
          .entryOverridden, "the entry of the service starts \(name), which is not there",
          at: found.path, remedy: remedy)
      ]
    }
    guard let program, Executable.resolve(started) != Executable.resolve(program) else { return [] }
    return [
      Finding(
        .entryOverridden, "the entry of the service starts \(started), and this is \(program)",
        at: found.path, remedy: remedy)
    ]
  }

  /// - Parameters:
  ///   - isNamed: Whether one of the user's lists names the service.
  ///   - record: The path of what is known of the time before.
  static func webLinks(
    _ handlers: [WebHandler], registration: Registrar.Memory, isNamed: Bool, record: String
  ) -> [Finding] {
    var findings: [Finding] = []
    switch registration {
    case .broken(let reason):
      findings.append(
        Finding(
          .registrationBroken, "what opened web links before cannot be put back: \(reason)",
          at: record,
          remedy: "sovereign-navigation unregister, which does without it and removes it, then "
            + "register again"))
    case .unreadable(let reason):
      findings.append(
        Finding(
          .registrationBroken, "what opened web links before cannot be put back: \(reason)",
          at: record,
          remedy: "see to it that the file can be read, or move it away: until then neither "
            + "register nor unregister changes anything"))
    case .kept where !isNamed:
      findings.append(
        Finding(
          .registrationLeftOver,
          "the service was registered, and your lists of applications no longer name it",
          at: record,
          remedy: "sovereign-navigation register to be registered again, or unregister to remove "
            + "what is left"))
    case .kept, .none:
      break
    }

    let others = handlers.filter { !$0.isOurs }
    guard registration != .none || others.count < handlers.count || isNamed else {
      let handler = handlers.first.flatMap(\.source)
      return findings + [
        Finding(
          .notRegistered,
          "web links that are clicked in other applications go to "
            + (handler.map { "\($0.id), not to the service" } ?? "no application"),
          at: handler?.file, remedy: "sovereign-navigation register, if that is not what you want",
          severity: .note)
      ]
    }
    let isAlike =
      others.count == handlers.count && others.allSatisfy { $0.source == others[0].source }
    for handler in isAlike ? Array(others.prefix(1)) : others {
      let schemes = isAlike ? "web" : handler.scheme
      findings.append(
        beaten(by: handler, schemes, isOther: others.count == handlers.count))
    }
    return findings
  }

  private static func beaten(by handler: WebHandler, _ schemes: String, isOther: Bool) -> Finding {
    guard let source = handler.source else {
      return Finding(
        isOther ? .otherDefault : .oneSchemeOnly,
        "the service is registered, and no application opens \(schemes) links",
        remedy: "sovereign-navigation register")
    }
    let isOfDesktop = source.isOfOneDesktop
    return Finding(
      isOfDesktop ? .desktopList : isOther ? .otherDefault : .oneSchemeOnly,
      "the service is registered, and \(schemes) links go to \(source.id)"
        + (isOfDesktop ? ", which the list of this desktop names" : ""),
      at: source.file,
      remedy: "sovereign-navigation register to take them back, in a terminal of this desktop, or "
        + "unregister to leave them there"
        + (isOfDesktop ? "; where that does not help, take \(source.id) out of the file" : ""))
  }

  static func unusableList(_ list: Registrar.UnusableList) -> Finding {
    Finding(
      .listBroken, "the desktop reads none of your choices of applications: \(list.reason)",
      at: list.path,
      remedy: "correct the file, or move it away: until then register changes nothing")
  }

  /// - Parameter list: The user's own list of applications.
  static func noSovereignHandler(list: String) -> Finding {
    Finding(
      .noSovereignHandler, "no application opens sovereign: links",
      remedy: "install the service again: its desktop entry claims them; or take it out of "
        + "[Removed Associations] in \(list)")
  }

  /// Many programs ask it first, and xdg-open does where it sees no display.
  static func browserVariable(terminal: String?, manager: String?) -> [Finding] {
    func finding(
      _ value: String?, _ whose: String, files: String, unset: String, set: (String) -> String
    ) -> [Finding] {
      guard let value, !value.isEmpty else { return [] }
      let command = BrowserCommand(firstOf: value)
      guard !command.opensLinks else { return [] }
      let place = "BROWSER in the environment of \(whose)"
      guard let right = command.corrected else {
        return [
          Finding(
            .browserVariable,
            "programs that follow $BROWSER, and xdg-open where it sees no display or no handler, open "
              + "links with \(value)", at: place,
            remedy: "\(unset), and take it out of the files that set it, such as \(files)")
        ]
      }
      return [
        Finding(
          .browserVariable,
          "not every program that follows $BROWSER can open links with \(value)", at: place,
          remedy: "\(set("'BROWSER=\(right)'")), and the same in the files that set it, such as "
            + files)
      ]
    }
    return finding(
      terminal, "this terminal", files: "~/.profile", unset: "unset BROWSER",
      set: { "export \($0)" })
      + finding(
        manager, "the user manager", files: "~/.config/environment.d",
        unset: "systemctl --user unset-environment BROWSER",
        set: { "systemctl --user set-environment \($0)" })
  }
}

/// What programs open links with first that follow `BROWSER`.
private struct BrowserCommand {
  private let words: [String]

  /// - Parameter value: Of `BROWSER`, a list of commands.
  init(firstOf value: String) {
    words = (value.split(separator: ":").first ?? "")
      .split { $0 == " " || $0 == "\t" || $0 == "\n" }.map(String.init)
  }

  /// Without the `%s`, which stands for the link, xdg-open puts the link behind the command and Python's
  /// webbrowser takes the whole for the name of a program.
  private static let arguments = [["open", "%s"], ["open", "--", "%s"]]

  /// Whether each of those programs gives each link to this service.
  var opensLinks: Bool { isFound && Self.arguments.contains(Array(words.dropFirst())) }

  /// What does, if this is meant to.
  var corrected: String? {
    guard words.first?.split(separator: "/").last.map(String.init) == Tool.name else { return nil }
    return (isFound ? words[0] : Tool.name) + " open %s"
  }

  /// No program puts a home in the place of `~`, or a directory before the rest of a path.
  private var isFound: Bool {
    words.first.map { $0 == Tool.name || $0.hasPrefix("/") && $0.hasSuffix("/\(Tool.name)") }
      ?? false
  }
}

// MARK: The browser and the shell

extension Check {
  /// An application that was considered.
  struct Candidate {
    let id: String
    /// Why it is not taken.
    let objection: Unsuitability?
    /// Of its entry, if that can be read.
    var path: String?
  }

  /// - Parameters:
  ///   - set: What the user or an administrator chose.
  ///   - former: The browser that was the default before the service.
  ///   - source: Of what is set.
  static func application(
    _ role: ApplicationCommand.Role, set: String?, former: String? = nil, chosen: String?,
    candidates: [Candidate], source: SettingSource, isNeeded: Bool = true
  ) -> [Finding] {
    var findings: [Finding] = []
    let unusable: Finding.Kind = role == .browser ? .browserUnusable : .shellUnusable
    let choose = source.request ?? "name one with: sovereign-navigation \(role.rawValue) ID"
    let canBeReset = source.isUsers && source.refusal == nil
    func rejected(_ id: String) -> (objection: Unsuitability, remedies: [String])? {
      guard let candidate = candidates.first(where: { $0.id == id }),
        let objection = candidate.objection
      else { return nil }
      return (objection, [candidate.mend, choose].compactMap { $0 })
    }
    if let set, let (objection, remedies) = rejected(set) {
      let instead = chosen == set ? nil : chosen
      findings.append(
        Finding(
          unusable,
          "\(set), which is set as the \(role.rawValue), cannot be used: \(objection)"
            + (instead.map { "; \($0) is used" } ?? ""), at: "\(source.file), \(role.option)",
          remedy: canBeReset
            ? remedies.joined(separator: ", ")
              + ", or: sovereign-navigation \(role.rawValue) --reset"
            : remedies.joined(separator: ", or ")))
    } else if set == nil, let former, let chosen, let (objection, remedies) = rejected(former) {
      findings.append(
        Finding(
          unusable,
          "\(former), the default before the service was registered, cannot be used: \(objection); "
            + "\(chosen) is used", remedy: remedies.joined(separator: ", or ")))
    }
    if chosen == nil {
      let worthNaming = 4
      let reasons = candidates.filter { $0.id != DesktopEntry.ours }.prefix(worthNaming).map {
        "; \($0.id)" + ($0.objection.map { ": \($0)" } ?? "")
      }
      findings.append(
        Finding(
          role == .browser ? .noBrowser : .noShell,
          "no application that is installed can be the \(role.rawValue)" + reasons.joined(),
          remedy: "install a \(role == .browser ? "web browser" : "Sovereign shell"), or \(choose)",
          severity: isNeeded ? .problem : .note))
    }
    return findings
  }

  static func startsAgain(_ shell: String, _ path: String) -> Finding {
    Finding(
      .shellStartsAgain, "\(shell) is started again for each link", at: path,
      remedy: "none is needed if it hands the link to its running window; an entry that says "
        + "SingleMainWindow=true or DBusActivatable=true tells the desktop that it does",
      severity: .note)
  }

  /// Whether the shell can be told which instance a link belongs to.
  static func addressing(
    _ settings: Settings, shell: String, understandsWeb: Bool, known: ShellInstances?,
    paths: PreferencePaths
  ) -> [Finding] {
    let policy = settings.policy
    guard let active = policy.active, !understandsWeb else { return [] }
    let decision = policy.decide("\(active)/")
    guard decision.shellURL(understandsWeb: false, in: policy) != nil else {
      let others = policy.instances.map(\.origin).filter { $0 != active && $0.host == active.host }
      guard !others.isEmpty else {
        let source = SettingSource(
          .activeOrigin, decisive: settings.activeSource, in: settings, usersFile: paths.file)
        return [
          Finding(
            .hostReserved,
            "\(shell) takes links to the host \(active.host) for the end of a sign-in, so that those to "
              + "\(active) open in the browser",
            at: source.file,
            remedy: (source.request ?? "reach it by another host name")
              + ", or use a shell that takes https links")
        ]
      }
      // Where the user cannot remove one, removing the others does not help.
      let other = others.first { settings.presetSources[$0] != nil } ?? others[0]
      let preset = settings.presetSources[other]
      let source = SettingSource(
        .instances, decisive: preset, in: settings, usersFile: paths.file)
      let remove =
        preset.map { "ask the administrator to take \(other) out of \($0)" }
        ?? source.request ?? "sovereign-navigation instances remove \(other)"
      return [
        Finding(
          .instancesShareHost,
          "\(shell) tells instances apart by their host alone, so that links to \(active) open in "
            + "the browser: \(others.map(\.description).joined(separator: ", ")) has the same host",
          at: source.file, remedy: "\(remove), or use a shell that takes https links")
      ]
    }
    guard let known else { return [] }
    guard known.contains(active) else {
      return [
        Finding(
          .shellLacksInstance,
          "\(shell) does not have \(active) in its own store, so that links to it open in the browser",
          at: paths.shellStore, remedy: "add \(active) in the shell")
      ]
    }
    guard known.hasAnother(withHostOf: active) else { return [] }
    return [
      Finding(
        .instancesShareHost,
        "\(shell) tells instances apart by their host alone, so that links to \(active) open in "
          + "the browser: its own store has another one with the same host",
        at: paths.shellStore,
        remedy: "remove that one in the shell, or use a shell that takes https links")
    ]
  }
}

extension Check.Candidate {
  init(_ candidate: Desktop.Candidate) {
    self.init(
      id: candidate.id, objection: candidate.unsuitability, path: candidate.entry?.path)
  }

  /// What would let it be taken, if anything can be done for that.
  fileprivate var mend: String? {
    switch objection {
    case .unavailable(.notInstalled), .programMissing: "install it again"
    case .unavailable: "correct that file or remove it"
    case .notRunnable, .hasNoCommand, .filesOnly:
      "correct its Exec=" + (path.map { " in \($0)" } ?? "")
    case .noTerminal: "install a terminal emulator"
    case .ourselves, .genericOpener, .shell, .sandboxed, nil: nil
    }
  }
}

// MARK: Files

extension Check {
  static func preferences(_ diagnostic: Diagnostic, isAdministrators: Bool) -> Finding {
    Finding(
      .preferences, "\(diagnostic.problem)", at: diagnostic.path,
      remedy: (isAdministrators ? "ask the administrator to correct" : "correct")
        + " the file; sovereign-navigationd(8) says what it may hold")
  }

  /// - Parameter preferences: The user's file.
  static func shellStore(
    _ diagnostic: Diagnostic, preferences: String, isActiveLocked: Bool
  ) -> Finding {
    Finding(
      .shellStore, "the shell's own choice is not followed as it is: \(diagnostic.problem)",
      at: diagnostic.path,
      remedy: (isActiveLocked ? "" : "choose with: sovereign-navigation active URL; or ")
        + "put Follow=false into \(preferences)")
  }
}
