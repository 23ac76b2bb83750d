import Files
import Foundation
import Testing

@testable import Desktop

private let https = "x-scheme-handler/https"
private let http = "x-scheme-handler/http"

/// Browsers at random in every directory, and lists at random at every level that associate them.
private struct RandomDesktop {
  struct Entry {
    let directory: String
    let id: String
    let types: [String]
    let isHidden: Bool
    /// What is wrong with it, as with a copy of an older version.
    let fault: Fault?
    /// A `-` of its id stands for a directory.
    let isNested: Bool

    enum Fault: String, CaseIterable {
      case programGone = "[Desktop Entry]\nType=Application\nName=x\nExec=gone %u\n"
      case tried = "[Desktop Entry]\nType=Application\nName=x\nExec=browser %u\nTryExec=gone\n"
      case openQuote = "[Desktop Entry]\nType=Application\nName=x\nExec=browser \"%u\n"
      case noKeyFile = "garbage\n"
    }

    /// Whether no entry behind it is looked at.
    var isFinal: Bool { fault == nil || isHidden && fault != .noKeyFile }

    var file: String { directory + "/" + (isNested ? id.replacing("-", with: "/") : id) }
  }

  struct List {
    let directory: String
    /// What is in front of the file's name.
    let desktop: String?
    var ids: [AssociationList.Group: [String: [String]]] = [:]

    func ids(_ group: AssociationList.Group, _ type: String) -> [String] { ids[group]?[type] ?? [] }
  }

  static let directories = ["data", "share/a", "share/b"].map { $0 + "/applications" }
  static let levels = ["config", "xdg/a", "xdg/b"] + directories
  private static let ids = ["a", "b", "org.c", "sub-d", "e", "gone"].map { $0 + ".desktop" }

  let desktops: [String]
  let entries: [Entry]
  /// Most important first.
  var lists: [List]

  init(using random: inout some RandomNumberGenerator) {
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    desktops =
      [[], ["GNOME"], ["ubuntu", "GNOME"], ["KDE"], ["XFCE"]].randomElement(using: &random) ?? []
    let density = Int.random(in: 0...60, using: &random)
    var entries: [Entry] = []
    for directory in Self.directories {
      for id in Self.ids.dropLast() where chance(density) {
        entries.append(
          Entry(
            directory: directory, id: id,
            types: chance(75) ? [http, https] : chance(30) ? [http] : [], isHidden: chance(10),
            fault: chance(20) ? .allCases.randomElement(using: &random) : nil,
            isNested: chance(50)))
      }
    }
    self.entries = entries
    lists = []
    for level in Self.levels {
      for desktop in desktops.map({ $0.lowercased() }) + ["cinnamon", nil] where chance(35) {
        var list = List(directory: level, desktop: desktop)
        for group in AssociationList.Group.allCases {
          for type in [https, http] where chance(40) {
            // GIO takes no notice of these (`expand_strv` in gdesktopappinfo.c).
            if group == .removed, Self.directories.contains(level),
              list.ids(.added, type).isEmpty
            {
              continue
            }
            list.ids[group, default: [:]][type] =
              (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in
                Self.ids.randomElement(using: &random)
              }
          }
        }
        lists.append(list)
      }
    }
  }

  /// Puts another application in front of the user's defaults, as registering does.
  func preferring(_ id: String) -> Self {
    var copy = self
    let desktop = desktops.first?.lowercased()
    let index = copy.lists.firstIndex { $0.directory == "config" && $0.desktop == desktop }
    if index == nil { copy.lists.insert(List(directory: "config", desktop: desktop), at: 0) }
    for type in [https, http] {
      copy.lists[index ?? 0].ids[.defaults, default: [:]][type, default: []].insert(id, at: 0)
    }
    return copy
  }

  // MARK: Files

  func write(to root: String) throws {
    for entry in entries {
      try Self.write(
        "\(root)/\(entry.file)",
        (entry.fault?.rawValue ?? "[Desktop Entry]\nType=Application\nName=x\nExec=browser %u\n")
          + (entry.types.isEmpty ? "" : "MimeType=\(entry.types.joined(separator: ";"));\n")
          + (entry.isHidden ? "Hidden=true\n" : ""))
    }
    for directory in Self.directories {
      // As update-desktop-database writes it, which names no hidden entries.
      let claims = [http, https].map { type in
        let ids = entries.filter { $0.directory == directory && $0.types.contains(type) }
          .filter { !$0.isHidden && $0.fault != .noKeyFile }.map(\.id)
        return ids.isEmpty ? "" : "\(type)=\(ids.joined(separator: ";"));\n"
      }
      try Self.write("\(root)/\(directory)/mimeinfo.cache", "[MIME Cache]\n" + claims.joined())
    }
    for list in lists { try Self.write(list, to: "\(root)/\(list.directory)") }
  }

  /// The lists of the user, which are all that registering writes.
  func writeUsersLists(to directory: String) throws {
    for list in lists where list.directory == "config" { try Self.write(list, to: directory) }
  }

  private static func write(_ list: List, to directory: String) throws {
    let groups = AssociationList.Group.allCases.map { group in
      "[\(group.rawValue)]\n"
        + [https, http].filter { !list.ids(group, $0).isEmpty }.map { type in
          "\(type)=\(list.ids(group, type).joined(separator: ";"))\n"
        }.joined()
    }
    let prefix = list.desktop.map { $0 + "-" } ?? ""
    try write("\(directory)/\(prefix)mimeapps.list", groups.joined(separator: "\n"))
  }

  private static func write(_ path: String, _ text: String) throws {
    let path = URL(filePath: path)
    try FileManager.default.createDirectory(
      at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: path)
  }

  func environment(_ root: String, lists: String, programs: String) -> [String: String] {
    [
      "HOME": root, "PATH": programs, "XDG_CURRENT_DESKTOP": desktops.joined(separator: ":"),
      "XDG_CONFIG_HOME": lists, "XDG_CONFIG_DIRS": "\(root)/xdg/a:\(root)/xdg/b",
      "XDG_DATA_HOME": "\(root)/data", "XDG_STATE_HOME": "\(root)/state",
      "XDG_DATA_DIRS": "\(root)/share/a:\(root)/share/b:\(programs)",
    ]
  }

  // MARK: What is right

  /// An entry that is marked as deleted takes those below it with it; one that is out of date does not.
  func isThere(_ id: String) -> Bool {
    let first = Self.directories.lazy.compactMap { directory in
      entries.first { $0.id == id && $0.directory == directory && $0.isFinal }
    }.first
    return first?.isHidden == false
  }

  private func inForce(_ list: List) -> Bool {
    list.desktop.map { desktop in desktops.contains { $0.lowercased() == desktop } } ?? true
  }

  /// What the user's own lists name: the defaults, and what is added in the list of the plain name.
  func named(byUser type: String) -> (defaults: [String], added: [String]) {
    let own = lists.filter { $0.directory == "config" && inForce($0) }
    return (
      own.flatMap { $0.ids(.defaults, type) }.filter(isThere),
      own.filter { $0.desktop == nil }.flatMap { $0.ids(.added, type) }.filter(isThere)
    )
  }

  /// The order of the browsers, from what GIO says is associated with https and with http.
  func browsers(https secure: [String], http plain: [String]) -> [String] {
    func defaults(_ type: String) -> [String] {
      lists.filter(inForce).flatMap { $0.ids(.defaults, type) }
    }
    let user = named(byUser: https)
    var seen: Set<String> = []
    return
      (user.defaults + user.added + defaults(https).filter(secure.contains) + secure
      + defaults(http).filter(plain.contains) + plain)
      .filter { isThere($0) && seen.insert($0).inserted }
  }
}

/// The same in every run; Knuth's constants.
private struct Generator: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ state >> 32
  }
}

@Suite struct RandomDesktopTests {
  private static let count = 200
  private static let types = [https, http]

  /// Writes desktops below a home that has this service's entry beside its programs.
  private func install(
    _ count: Int, in home: Home, seed: UInt64
  ) throws -> [(desktop: RandomDesktop, root: String)] {
    try home.program("browser")
    try home.program("sovereign-navigation")
    try home.write(
      "bin/applications/\(DesktopEntry.ours)",
      "[Desktop Entry]\nType=Application\nName=x\nExec=sovereign-navigation open %u\n")
    var random = Generator(state: seed)
    return try (0..<count).map { index in
      let desktop = RandomDesktop(using: &random)
      let root = "\(home.path)/\(index)"
      try desktop.write(to: root)
      return (desktop, root)
    }
  }

  /// What GIO opens a link with is the browser, except where the rules say another.
  @Test(arguments: [UInt64(1), 2])
  func agreesWithGIO(seed: UInt64) throws {
    let home = try Home()
    let desktops = try install(Self.count, in: home, seed: seed)
    var environments: [[String: String]] = []
    for (desktop, root) in desktops {
      try desktop.preferring(DesktopEntry.ours).writeUsersLists(to: root + "/ours")
      environments += ["config", "ours"].map {
        desktop.environment(root, lists: "\(root)/\($0)", programs: home.path + "/bin")
      }
    }
    let answers = try GIOAnswer.all(of: Self.types, environments)
    #expect(answers.count == environments.count)

    var agreements = 0
    var added = 0
    var unassociated = 0
    var deleted = 0
    var without = 0
    for (index, (desktop, _)) in desktops.enumerated() {
      let gio = answers[2 * index]
      let choices = ApplicationChoices(
        BaseDirectories(environment: environments[2 * index]), browser: nil, shell: nil)
      let what = "seed \(seed), desktop \(index)"

      // All of them, in their order.
      let secure = try #require(gio[https])
      let plain = try #require(gio[http])
      let expected = desktop.browsers(https: secure.associated, http: plain.associated)
      #expect(
        choices.browserCandidates.filter { $0.unsuitability == nil }.map(\.id) == expected,
        "\(what)")

      let lookup = secure.default == nil ? plain : secure
      let browser = choices.browser.map { GIOAnswer.Application(id: $0.id, path: $0.path) }
      let user = desktop.named(byUser: https)
      if browser == lookup.default {
        agreements += 1
        if browser == nil { without += 1 }
      } else if let answer = lookup.default, !desktop.isThere(answer.id) {
        // GIO does not read Hidden of a default.
        deleted += 1
      } else if user.defaults.isEmpty, browser?.id == user.added.first {
        // Before a default that somebody else set.
        added += 1
      } else if let answer = lookup.default, !lookup.associated.contains(answer.id),
        user.defaults.isEmpty
      {
        // A default that is not associated counts only where the user set it.
        unassociated += 1
      } else {
        Issue.record("\(what): \(browser as Any), but GIO says \(lookup)")
      }

      // The desktop's own default, whatever becomes of a link.
      for (type, answer) in [("https", secure.default), ("http", plain.default)]
      where answer.map({ desktop.isThere($0.id) }) ?? true {
        #expect(choices.desktopHandler(ofScheme: type)?.id == answer?.id, "\(what)")
      }

      // With this service as the default the desktop says so, and nothing else is different.
      let registered = answers[2 * index + 1]
      #expect(registered[https]?.default?.id == DesktopEntry.ours, "\(what)")
      let others = ApplicationChoices(
        BaseDirectories(environment: environments[2 * index + 1]), browser: nil, shell: nil)
      #expect(others.isOursTheDefault && !choices.isOursTheDefault, "\(what)")
      #expect(others.browserCandidates.first?.id == DesktopEntry.ours, "\(what)")
      #expect(others.browserCandidates.first?.unsuitability == .ourselves, "\(what)")
      #expect(
        others.browserCandidates.dropFirst().map(\.id) == choices.browserCandidates.map(\.id),
        "\(what)")
      #expect(others.browser?.id == browser?.id, "\(what)")
    }
    #expect(agreements > Self.count / 2 && added > 0 && unassociated > 0 && deleted > 0)
    print(
      "figures: \(Self.count) random desktops, seed \(seed): the browser is GIO's default on "
        + "\(agreements) (none on \(without)); the user's added association instead of another's "
        + "default on \(added); GIO's default is not associated on \(unassociated), marked as "
        + "deleted on \(deleted)")
  }
  /// Whatever the lists are, the desktop opens links with this service once it is registered, foreign
  /// ones go where they went, and afterwards everything is as it was.
  @Test func registersOnAnyDesktop() throws {
    let count = 60
    let home = try Home()
    let desktops = try install(count, in: home, seed: 3)
    let environments = desktops.map { desktop, root in
      desktop.environment(root, lists: root + "/config", programs: home.path + "/bin")
    }
    let before = try GIOAnswer.all(of: Self.types, environments)
    let files = try desktops.map { try contents($0.root) }
    let registrars = environments.map { environment in
      let directories = BaseDirectories(environment: environment)
      return Registrar(directories, state: directories)
    }

    for registrar in registrars { try registrar.register() }
    let during = try GIOAnswer.all(of: Self.types, environments)
    var kept = 0
    for (index, environment) in environments.enumerated() {
      for type in Self.types {
        #expect(during[index][type]?.default?.id == DesktopEntry.ours, "desktop \(index)")
      }
      let directories = BaseDirectories(environment: environment)
      let choices = ApplicationChoices(
        directories, browser: nil, previousBrowser: Registrar.previousBrowser(directories),
        shell: nil)
      // GIO does not read Hidden of a default.
      guard let former = before[index][https]?.default, desktops[index].desktop.isThere(former.id)
      else { continue }
      #expect(choices.browser?.id == former.id, "desktop \(index)")
      kept += 1
    }

    for registrar in registrars { try registrar.unregister() }
    #expect(try GIOAnswer.all(of: Self.types, environments) == before)
    for (index, (_, root)) in desktops.enumerated() {
      #expect(try contents(root) == files[index], "desktop \(index)")
    }
    #expect(kept > count / 2)
    print(
      "figures: registered on \(count) random desktops, seed 3: links went on to the former "
        + "default on \(kept)")
  }

  /// The files below a directory, without those of our own state.
  private func contents(_ root: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root)
    for path in paths where !path.hasPrefix("state/") {
      contents[path] = FileManager.default.contents(atPath: "\(root)/\(path)")
    }
    return contents
  }
}
