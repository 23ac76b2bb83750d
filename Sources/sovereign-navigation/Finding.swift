/// Something that makes links go astray, or may.
struct Finding: Equatable {
  enum Severity: String {
    case problem
    /// Worth knowing; nothing is wrong for that alone.
    case note
  }

  /// What a script knows it by.
  enum Kind: String, CaseIterable {
    case noBus = "no-bus"
    case serviceUnreachable = "service-unreachable"
    case unitFailed = "unit-failed"
    case executableReplaced = "executable-replaced"
    case nameTaken = "name-taken"
    case activationMissing = "activation-missing"
    case unitMissing = "unit-missing"
    case unitChanged = "unit-changed"
    case mixedInstallation = "mixed-installation"
    case displayVariables = "display-variables"
    case browserVariable = "browser-variable"
    case entryMissing = "entry-missing"
    case entryOverridden = "entry-overridden"
    case notRegistered = "not-registered"
    case otherDefault = "other-default"
    case desktopList = "desktop-list"
    case oneSchemeOnly = "one-scheme-only"
    case registrationBroken = "registration-broken"
    case registrationLeftOver = "registration-left-over"
    case listBroken = "list-broken"
    case noSovereignHandler = "no-sovereign-handler"
    case noBrowser = "no-browser"
    case browserUnusable = "browser-unusable"
    case noShell = "no-shell"
    case shellUnusable = "shell-unusable"
    case shellStartsAgain = "shell-starts-again"
    case instancesShareHost = "instances-share-host"
    case hostReserved = "host-reserved"
    case shellLacksInstance = "shell-lacks-instance"
    case preferences
    case shellStore = "shell-store"
  }

  let severity: Severity
  let kind: Kind
  /// A sentence without a full stop, as in errors.
  let what: String
  /// The file or the setting that it is about, if it is about one.
  let place: String?
  /// What to do about it.
  let remedy: String

  init(
    _ kind: Kind, _ what: String, at place: String? = nil, remedy: String,
    severity: Severity = .problem
  ) {
    self.severity = severity
    self.kind = kind
    self.what = what
    self.place = place
    self.remedy = remedy
  }
}

extension Finding {
  var lines: [String] {
    ["\(severity.rawValue): \(what)"] + (place.map { ["  where:  \($0)"] } ?? [])
      + ["  remedy: \(remedy)"]
  }

  var json: JSON {
    .object([
      ("severity", .string(severity.rawValue)), ("name", .string(kind.rawValue)),
      ("what", .string(what)), ("where", place.map(JSON.string) ?? .null),
      ("remedy", .string(remedy)),
    ])
  }
}
