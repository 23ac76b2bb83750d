import Bus
import TestSupport
import Testing

/// Which files the command line takes for the service's.
extension NavigationClientTests {
  private func run(
    _ arguments: String..., adding variables: [String: String] = [:]
  ) throws -> CommandResult {
    let environment = [
      "DBUS_SESSION_BUS_ADDRESS": bus.address, "HOME": directory.path, "PATH": "/usr/bin:/bin",
      "XDG_DATA_DIRS": directory.path + "/share", "XDG_CONFIG_DIRS": "/nowhere",
    ]
    return try Child(
      [Installation.built("sovereign-navigation")] + arguments,
      environment: environment.merging(variables) { $1 }
    ).wait()
  }

  private func install(_ names: String...) throws {
    try makeDirectories(directory.path + "/share/applications")
    for name in names {
      try writeFile(
        "\(directory.path)/share/applications/\(name).desktop",
        "[Desktop Entry]\nType=Application\nName=x\nExec=true %u\nMimeType=x-scheme-handler/https;\n"
      )
    }
  }

  private func writePreferences(_ text: String, in configuration: String) throws {
    try makeDirectories("\(directory.path)/\(configuration)/sovereign")
    try writeFile(
      "\(directory.path)/\(configuration)/sovereign/navigation.conf", "[Navigation]\n\(text)\n")
  }

  private func manager(_ environment: [String]) throws -> FakeService {
    try FakeService("org.freedesktop.systemd1", at: "/org/freedesktop/systemd1") {
      (call) throws(BusError) in
      let reply = try call.makeReturn()
      try reply.append(.strings(environment))
      try reply.send()
    }
  }

  /// A service that does not run would be started by the manager, with the manager's variables and none
  /// of the terminal's.
  @Test(arguments: [["XDG_CONFIG_HOME=HOME/managers"], ["HOME=HOME/home"], ["A=b"]])
  func whereThereIsAManagerItSaysWhereTheyAre(_ variables: [String]) throws {
    try install("managers", "home", "default", "terminals")
    for (application, configuration) in [
      ("managers", "managers"), ("home", "home/.config"), ("default", ".config"),
      ("terminals", "terminals"),
    ] {
      try writePreferences("Browser=\(application).desktop", in: configuration)
    }
    let expected =
      switch variables[0].prefix(while: { $0 != "=" }) {
      case "XDG_CONFIG_HOME": "managers"
      case "HOME": "home"
      default: "default"
      }
    let terminal = ["XDG_CONFIG_HOME": directory.path + "/terminals"]
    let manager = try manager(variables.map { $0.replacing("=HOME", with: "=\(directory.path)") })
    let result = try run("browser", "--json", adding: terminal)
    #expect(result.text.hasPrefix("{\"browser\":\"\(expected).desktop\","), "\(result)")
    let forgotten = try run("forget", "--yes", adding: terminal)
    #expect(forgotten.status == 0, "\(forgotten)")
    #expect(forgotten.text.hasPrefix(directory.path) && !forgotten.text.contains("terminals"))
    try manager.end()
    #expect(
      try run("browser", "--json", adding: terminal).text
        .hasPrefix("{\"browser\":\"terminals.desktop\","))
  }

  /// What it has was somewhere else than the files that were deleted.
  @Test(
    arguments: [
      ([("https://a.example", false)], 1), ([("https://a.example", true)], 0), ([], 0),
      // Of the store that it follows again.
      ([("https://shell.example", false)], 0),
    ] as [([(String, Bool)], Int32)])
  func forgetFailsWhereTheServiceForgetsNothing(
    _ instances: [(origin: String, isPreset: Bool)], _ status: Int32
  ) throws {
    let store = directory.path + "/.local/share/fs.sovereign.desktop"
    try makeDirectories(store)
    try writeFile(
      store + "/instances.json",
      #"{"instances":[{"url":"https://shell.example","label":"x","addedAt":1}],"activeUrl":null}"#)
    let service = try FakeService { (call) throws(BusError) in
      let reply = try call.makeReturn()
      if call.isCall(of: "GetAll", in: "org.freedesktop.DBus.Properties") {
        try reply.appendState(instances)
      }
      try reply.send()
    }
    let result = try run("forget", "--yes")
    #expect(result.status == status, "\(result)")
    #expect(
      result.errorText
        == (status == 0
          ? ""
          : "sovereign-navigation: forget: the service still has 1 instance: it keeps its files "
            + "elsewhere than this terminal's environment says; run this in a terminal of the desktop "
            + "session, or remove what `sovereign-navigation instances` lists"))
    try service.end()
  }
}

extension Message {
  fileprivate func appendState(
    _ instances: [(origin: String, isPreset: Bool)]
  ) throws(BusError) {
    try appendContainer("a", "{sv}") { () throws(BusError) in
      try appendContainer("e", "sv") { () throws(BusError) in
        try append("Instances")
        try appendContainer("v", "a(ssxa{sv})") { () throws(BusError) in
          try appendContainer("a", "(ssxa{sv})") { () throws(BusError) in
            for instance in instances {
              try appendContainer("r", "ssxa{sv}") { () throws(BusError) in
                try append(instance.origin)
                try append("label")
                try append(Int64(0))
                try append(options: [("preset", .bool(instance.isPreset))])
              }
            }
          }
        }
      }
    }
  }
}
