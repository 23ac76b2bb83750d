import Testing

@testable import Desktop

private let urls = ["https://a.example/", "https://b.example/"]

@Suite struct LaunchPlanTests {
  private let home: Home

  init() throws { home = try Home() }

  private func entry(
    _ id: String, exec: String? = nil, more: String = ""
  ) throws -> DesktopEntry {
    try home.application(id, exec: exec, more: more)
    return try #require(home.choices().browserCandidates.first { $0.id == id }?.entry)
  }

  private func plans(_ entry: DesktopEntry, _ urls: [String]) throws -> [LaunchPlan] {
    try entry.launchPlans(urls: urls, searchPath: home.path + "/bin")
  }

  private func execution(_ arguments: [String], in directory: String? = nil) -> LaunchPlan.Execution
  {
    .init(
      program: "\(home.path)/bin/\(arguments[0])", arguments: arguments,
      workingDirectory: directory)
  }

  @Test func onePlanForEachLaunch() throws {
    let one = try entry("one.desktop", more: "Path=/srv\n")
    #expect(!one.takesSeveralURLs)
    #expect(
      try plans(one, urls).map(\.method)
        == urls.map { .exec(execution(["one", $0], in: "/srv")) })
    #expect(try plans(one, []).map(\.method) == [.exec(execution(["one"], in: "/srv"))])
    #expect(try plans(one, urls)[0].applicationID == "one.desktop")
    #expect(try plans(one, urls)[0].applicationName == "one")

    try home.program("many")
    let many = try entry("many.desktop", exec: "many %U")
    #expect(many.takesSeveralURLs)
    #expect(try plans(many, urls).map(\.method) == [.exec(execution(["many"] + urls))])
  }

  @Test(arguments: [("/srv/a b", "/srv/a b"), ("srv", nil), ("", nil), (#"/a\nb"#, "/a\nb")])
  func aWorkingDirectoryIsAbsolute(path: String, expected: String?) throws {
    #expect(try entry("one.desktop", more: "Path=\(path)\n").workingDirectory == expected)
  }

  @Test func activatableApplications() throws {
    try home.program("app")
    let many = try entry("org.x-y.App_1.desktop", exec: "app %U", more: "DBusActivatable=true\n")
    #expect(
      try plans(many, urls).map(\.method) == [
        .bus(
          name: "org.x-y.App_1", objectPath: "/org/x_y/App_1", uris: urls,
          fallback: execution(["app"] + urls))
      ])
    #expect(
      try plans(many, []).map(\.method) == [
        .bus(
          name: "org.x-y.App_1", objectPath: "/org/x_y/App_1", uris: [],
          fallback: execution(["app"]))
      ])
    // Each launch has its own fallback.
    let one = try entry("org.x.One.desktop", exec: "app %u", more: "DBusActivatable=true\n")
    #expect(
      try plans(one, urls).map(\.method)
        == urls.map {
          .bus(
            name: "org.x.One", objectPath: "/org/x/One", uris: [$0],
            fallback: execution(["app", $0]))
        })
    var withoutExec = one
    withoutExec.exec = nil
    #expect(
      try plans(withoutExec, urls).map(\.method) == [
        .bus(name: "org.x.One", objectPath: "/org/x/One", uris: urls, fallback: nil)
      ])
  }

  @Test(arguments: [
    ("nodot.desktop", nil), ("org.1x.App.desktop", nil), ("org..App.desktop", nil),
    ("org.x.Äpp.desktop", nil), ("org.x.App.desktop", "org.x.App"),
    ("a.b.desktop", "a.b"), ("_a.-b.desktop", "_a.-b"),
    (String(repeating: "a", count: 253) + ".b.desktop", String(repeating: "a", count: 253) + ".b"),
    (String(repeating: "a", count: 254) + ".b.desktop", nil),
  ])
  func busNames(id: String, expected: String?) {
    var entry = DesktopEntry(id: id, path: "", name: "", exec: "app %u")
    #expect(entry.busName == nil)
    entry.isDBusActivatable = true
    #expect(entry.busName == expected)
  }

  @Test func errorsNameTheProgram() throws {
    let entry = try entry("a.desktop", exec: "gone %u")
    #expect(throws: LaunchPlanError.programNotFound(application: "a.desktop", program: "gone")) {
      try plans(entry, urls)
    }
    let error = LaunchPlanError.programNotFound(application: "a.desktop", program: "gone")
    #expect(error.description.contains("a.desktop") && error.description.contains("gone"))
  }

  @Test func longestArgument() throws {
    try home.program("a")
    let whole = try entry("a.desktop")
    let part = try entry("b.desktop", exec: "a --url=%u")
    let longest = String(repeating: "x", count: 131_071)
    #expect(try plans(whole, [longest]).count == 1)
    #expect(throws: LaunchPlanError.urlTooLong) { try plans(whole, [longest + "x"]) }
    #expect(throws: LaunchPlanError.urlTooLong) { try plans(part, [longest]) }
    // The bus has no such limit, and a fallback that cannot be is none.
    let bus = try entry("org.x.App.desktop", exec: "a %u", more: "DBusActivatable=true\n")
    #expect(
      try plans(bus, [longest + "x"]).map(\.method) == [
        .bus(name: "org.x.App", objectPath: "/org/x/App", uris: [longest + "x"], fallback: nil)
      ])
  }
}
