import Desktop
import Files
import Navigation
import TestSupport
import Testing
import WebOrigin

@testable import Launcher

private let mine = Origin(scheme: "https", host: "my.sovereign.example", port: nil)
private let twin = Origin(scheme: "https", host: "my.sovereign.example", port: 8443)
private let other = Origin(scheme: "https", host: "other.example", port: nil)

/// Which applications there are.
private enum Installed: CaseIterable {
  case everything, legacyShell, noShell, noBrowser, nothing
  /// The entries are there, and the programs are not.
  case deadShell, deadBrowser, deadAll

  func applications() throws -> InstalledApplications {
    let applications = try InstalledApplications()
    if self != .noBrowser, self != .nothing {
      try applications.install("browser", schemes: ["https", "http"])
    }
    if self != .noShell, self != .nothing {
      try applications.install(
        "shell", schemes: ["sovereign"],
        keys: self == .legacyShell ? [] : ["X-Sovereign-Shell=true"])
    }
    if self != .nothing { try applications.install("mail", schemes: ["mailto", "MATRIX"]) }
    if self == .deadShell || self == .deadAll { applications.removeProgram("shell") }
    if self == .deadBrowser || self == .deadAll { applications.removeProgram("browser") }
    if self == .deadAll { applications.removeProgram("mail") }
    return applications
  }
}

private struct Case: CustomTestStringConvertible {
  let url: String
  var installed = Installed.everything
  var active: Origin? = mine
  var instances = [mine, other]
  var known = Policy.KnownInstances.browser
  var options = HandoverOptions()
  let expected: Expected

  enum Expected: Equatable {
    case opens(Destination, in: String, String, Reason?)
    case fails(NavigationError.Code)
  }

  var testDescription: String { "\(url) \(installed) \(known) \(options)" }
}

private func opens(
  _ destination: Destination, _ application: String, _ url: String, _ detour: Reason? = nil
) -> Case.Expected { .opens(destination, in: application + ".desktop", url, detour) }

private let same = "https://my.sovereign.example/a?b#c"
private let foreign = "https://evil.example/x"
private let others = "https://other.example/x"
private let forced = HandoverOptions(forcesBrowser: true)
private let fromShell = HandoverOptions(isFromShell: true)
private let activeLocked = HandoverOptions(isActiveLocked: true)

private let cases: [Case] = [
  // The shell's own links.
  Case(url: same, expected: opens(.shell, "shell", same)),
  Case(
    url: "https:\\\\MY.sovereign.example\\a",
    expected: opens(.shell, "shell", "https://MY.sovereign.example/a")),
  Case(
    url: same, installed: .legacyShell,
    expected: opens(.shell, "shell", "sovereign://my.sovereign.example/a?b#c")),
  Case(
    url: "https://u:p@my.sovereign.example:443", installed: .legacyShell,
    expected: opens(.shell, "shell", "sovereign://my.sovereign.example/")),
  Case(
    url: same, installed: .legacyShell, instances: [mine, twin],
    expected: opens(.browser, "browser", same, .shellCannotAddress)),
  Case(url: same, instances: [mine, twin], expected: opens(.shell, "shell", same)),
  Case(url: same, installed: .noShell, expected: opens(.browser, "browser", same, .noShell)),
  Case(url: same, installed: .deadShell, expected: opens(.browser, "browser", same, .noShell)),
  Case(url: same, installed: .deadAll, expected: .fails(.noBrowser)),
  Case(url: same, installed: .noBrowser, expected: opens(.shell, "shell", same)),
  Case(url: same, installed: .nothing, expected: .fails(.noBrowser)),
  Case(url: same, options: forced, expected: opens(.browser, "browser", same)),
  Case(url: same, installed: .noBrowser, options: forced, expected: .fails(.noBrowser)),
  Case(url: same, options: fromShell, expected: opens(.browser, "browser", same, .fromShell)),
  Case(
    url: same, installed: .noBrowser, options: fromShell, expected: .fails(.noBrowser)),
  // Everything else on the web.
  Case(url: foreign, expected: opens(.browser, "browser", foreign)),
  Case(url: foreign, options: fromShell, expected: opens(.browser, "browser", foreign)),
  Case(url: foreign, options: forced, expected: opens(.browser, "browser", foreign)),
  Case(url: foreign, installed: .noBrowser, expected: .fails(.noBrowser)),
  Case(url: foreign, installed: .deadBrowser, expected: .fails(.noBrowser)),
  Case(url: foreign, active: nil, expected: opens(.browser, "browser", foreign)),
  Case(
    url: "https://a*b.example/", expected: opens(.browser, "browser", "https://a*b.example/")),
  // Other instances.
  Case(url: others, expected: opens(.browser, "browser", others)),
  Case(url: others, known: .switch, expected: opens(.switch, "shell", others)),
  Case(
    url: others, installed: .legacyShell, known: .switch,
    expected: opens(.switch, "shell", "sovereign://other.example/x")),
  Case(
    url: others, installed: .noShell, known: .switch,
    expected: opens(.browser, "browser", others, .noShell)),
  Case(
    url: others, installed: .deadShell, known: .switch,
    expected: opens(.browser, "browser", others, .noShell)),
  Case(
    url: "https://my.sovereign.example:8443/", installed: .legacyShell, instances: [mine, twin],
    known: .switch,
    expected: opens(
      .browser, "browser", "https://my.sovereign.example:8443/", .shellCannotAddress)),
  Case(
    url: others, known: .switch, options: forced, expected: opens(.browser, "browser", others)),
  Case(
    url: others, known: .switch, options: fromShell, expected: opens(.switch, "shell", others)),
  Case(
    url: others, known: .switch, options: activeLocked,
    expected: opens(.browser, "browser", others, .locked)),
  Case(url: others, options: activeLocked, expected: opens(.browser, "browser", others)),
  Case(url: same, options: activeLocked, expected: opens(.shell, "shell", same)),
  // Deep links.
  Case(
    url: "sovereign://my.sovereign.example/a?b", installed: .legacyShell,
    expected: opens(.shell, "shell", "sovereign://my.sovereign.example/a?b")),
  Case(
    url: "sovereign://MY.sovereign.example?b",
    expected: opens(.shell, "shell", "https://my.sovereign.example?b")),
  Case(
    url: "sovereign://MY.sovereign.example?b", installed: .legacyShell,
    expected: opens(.shell, "shell", "sovereign://my.sovereign.example/?b")),
  Case(
    url: "sovereign://other.example/x", options: fromShell,
    expected: opens(.shell, "shell", others)),
  Case(
    url: "sovereign://other.example/x", options: forced,
    expected: opens(.browser, "browser", others)),
  Case(
    url: "sovereign://other.example/x", installed: .noShell,
    expected: opens(.browser, "browser", others, .noShell)),
  Case(
    url: "sovereign://my.sovereign.example:8443/x", installed: .legacyShell,
    instances: [mine, twin],
    expected: opens(
      .browser, "browser", "https://my.sovereign.example:8443/x", .shellCannotAddress)),
  Case(
    url: "sovereign://new.example/x",
    expected: opens(.shell, "shell", "sovereign://new.example/x")),
  Case(url: "sovereign://new.example/x", installed: .noShell, expected: .fails(.noShell)),
  Case(url: "sovereign://new.example/x", options: forced, expected: .fails(.unknownInstance)),
  Case(
    url: "sovereign://oauth/done?code=1",
    expected: opens(.shell, "shell", "sovereign://oauth/done?code=1")),
  Case(
    url: "sovereign://oauth/done", installed: .legacyShell, options: fromShell,
    expected: opens(.shell, "shell", "sovereign://oauth/done")),
  Case(url: "sovereign://oauth/done", installed: .noShell, expected: .fails(.noShell)),
  Case(url: "sovereign://oauth/done", installed: .deadShell, expected: .fails(.noShell)),
  Case(url: "sovereign://oauth/done", options: forced, expected: .fails(.unsupportedScheme)),
  // The desktop's own handlers.
  Case(
    url: "mailto:a@b.example", expected: opens(.handler, "mail", "mailto:a@b.example")),
  Case(
    url: "MAILTO:a@b.example", expected: opens(.handler, "mail", "mailto:a@b.example")),
  Case(url: "tel:1", expected: .fails(.noHandler)),
  Case(url: "mailto:a@b.example", installed: .nothing, expected: .fails(.noHandler)),
  Case(url: "mailto:a@b.example", installed: .deadAll, expected: .fails(.noHandler)),
  Case(url: "mailto:a@b.example", options: forced, expected: .fails(.unsupportedScheme)),
  // What is never opened, whatever is asked for.
  Case(url: "", expected: .fails(.invalidURL)),
  Case(url: "https://exa mple/", expected: .fails(.invalidURL)),
  Case(url: "", options: forced, expected: .fails(.invalidURL)),
  Case(url: "javascript:alert(1)", expected: .fails(.unsupportedScheme)),
  Case(url: "java\tscript:alert(1)", options: forced, expected: .fails(.unsupportedScheme)),
  Case(url: "file:///etc/passwd", options: fromShell, expected: .fails(.unsupportedScheme)),
  Case(
    url: "https://my.sovereign.example/" + String(repeating: "x", count: 2 << 20),
    options: forced, expected: .fails(.limitExceeded)),
]

@Test(arguments: cases) private func aDecisionFindsItsApplication(_ test: Case) throws {
  let policy = Policy(
    active: test.active,
    instances: test.instances.map { Instance(origin: $0, label: "x", addedAt: 0) },
    knownInstances: test.known)
  let decision = Decider(policy).decide(test.url)
  let applications = try test.installed.applications()
  let choices = ApplicationChoices(
    BaseDirectories(environment: applications.environment), browser: nil, shell: nil)
  let found: Case.Expected
  do throws(NavigationError) {
    let handover = try decision.handover(
      in: policy, among: choices, options: test.options)
    found = .opens(
      handover.destination, in: handover.entry.id, handover.url, handover.detour)
  } catch {
    found = .fails(error.code)
  }
  #expect(found == test.expected)
}

private func choices(
  _ installed: Installed, browser: String? = nil, shell: String? = nil
) throws -> (InstalledApplications, ApplicationChoices) {
  let applications = try installed.applications()
  let choices = ApplicationChoices(
    BaseDirectories(environment: applications.environment), browser: browser, shell: shell)
  return (applications, choices)
}

private struct Start: CustomTestStringConvertible {
  let installed: Installed
  var action: DesktopAction?
  var browser: String?
  /// The application, or what the error is called.
  let expected: String

  var testDescription: String { "\(installed) \(action.map(\.rawValue) ?? "") \(browser ?? "")" }
}

@Test(arguments: [
  Start(installed: .everything, expected: "browser.desktop"),
  Start(installed: .noBrowser, expected: "shell.desktop"),
  Start(installed: .deadBrowser, expected: "shell.desktop"),
  Start(
    installed: .deadBrowser, browser: "browser.desktop", expected: "shell.desktop"),
  // Its launch says what is missing.
  Start(installed: .deadAll, browser: "browser.desktop", expected: "browser.desktop"),
  Start(installed: .deadAll, expected: "NoBrowser"),
  Start(installed: .nothing, expected: "NoBrowser"),
  Start(installed: .deadBrowser, action: .browser, expected: "NoBrowser"),
  Start(
    installed: .deadBrowser, action: .browser, browser: "browser.desktop",
    expected: "browser.desktop"),
  Start(installed: .deadShell, action: .shell, expected: "NoShell"),
  Start(installed: .everything, action: .shell, expected: "shell.desktop"),
])
private func whatIsStartedWithNothingToOpen(_ test: Start) throws {
  let (applications, choices) = try choices(test.installed, browser: test.browser)
  let found: String
  do throws(NavigationError) {
    found = try choices.application(for: test.action).id
  } catch {
    found = error.code.rawValue
  }
  #expect(found == test.expected)
  withExtendedLifetime(applications) {}
}

/// Whoever reads it knows what to install.
@Test(arguments: [
  (foreign, "browser.desktop"), ("sovereign://oauth/done", "shell.desktop"),
  ("mailto:a@b.example", "mail.desktop"),
])
private func theErrorNamesTheApplicationWhoseProgramIsNotThere(_ url: String, _ id: String) throws {
  let (applications, choices) = try choices(.deadAll)
  let decision = Decider(Policy()).decide(url)
  let error = #expect(throws: NavigationError.self) {
    try decision.handover(in: Policy(), among: choices, options: HandoverOptions())
  }
  #expect(error?.message.contains("\(id), \(id.dropLast(".desktop".count)), is not there") == true)
  withExtendedLifetime(applications) {}
}

/// What is installed as `app`, the only application for a scheme, cannot be given a link.
private struct Refused: CustomTestStringConvertible {
  let url: String
  let scheme: String
  var fieldCode = "%u"
  var keys: [String] = []
  let expected: String
  var testDescription: String { "\(url) \(fieldCode) \(keys)" }
}

/// Whoever is told to install an application that is installed already does not know what to do.
@Test(arguments: [
  Refused(
    url: foreign, scheme: "https", fieldCode: "--app=%U",
    expected: "app.desktop is installed, but %U stands in its Exec where it may not; correct"),
  Refused(
    url: foreign, scheme: "https", fieldCode: "\"--url=%u\"",
    expected: "app.desktop is installed, but %u stands in its Exec where it may not; correct"),
  Refused(
    url: foreign, scheme: "https", fieldCode: "\"%u",
    expected: "app.desktop is installed, but a quote in its Exec is not closed; correct"),
  Refused(
    url: foreign, scheme: "http", fieldCode: "%f",
    expected: "app.desktop is installed, but it opens local files only; correct"),
  Refused(
    url: "mailto:a@b.example", scheme: "mailto", fieldCode: "--compose=\"%u\"",
    expected: "app.desktop is installed, but %u stands in its Exec where it may not; correct"),
  Refused(
    url: "sovereign://oauth/done", scheme: "sovereign", fieldCode: "--x \"a %u\"",
    expected: "app.desktop is installed, but %u stands in its Exec where it may not; correct"),
  Refused(
    url: "sovereign://oauth/done", scheme: "sovereign", keys: ["X-Flatpak=app"],
    expected: "app.desktop is installed, but it is a sandboxed application; name it as the shell"),
  // A shell is no browser.
  Refused(
    url: foreign, scheme: "https", keys: ["X-Sovereign-Shell=true"],
    expected: "xdg-open.desktop is installed, but xdg-open would only ask"),
])
private func theErrorSaysWhyAnApplicationThatIsInstalledIsNotTaken(_ test: Refused) throws {
  let applications = try InstalledApplications()
  // An opener and what is not there come first, and are not worth naming where there is another.
  try applications.install("xdg-open", schemes: [test.scheme])
  try applications.install(
    "app", schemes: [test.scheme], fieldCode: test.fieldCode, keys: test.keys)
  try makeDirectories(applications.configuration)
  try writeFile(
    applications.configuration + "/mimeapps.list",
    "[Default Applications]\nx-scheme-handler/\(test.scheme)=gone.desktop;xdg-open.desktop;\n")
  let choices = ApplicationChoices(
    BaseDirectories(environment: applications.environment), browser: nil, shell: nil)
  let error = #expect(throws: NavigationError.self) {
    try Decider(Policy()).decide(test.url)
      .handover(in: Policy(), among: choices, options: HandoverOptions())
  }
  #expect(error?.message.contains(test.expected) == true, "\(error as Any)")
}
