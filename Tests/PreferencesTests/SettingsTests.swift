import Navigation
import Testing
import WebOrigin

@testable import Preferences

@Suite struct SettingsTests {
  @Test func hasDefaults() {
    let settings = Settings(user: Layer())
    #expect(settings.policy == Policy())
    #expect(settings.browser == nil)
    #expect(settings.shell == nil)
    #expect(settings.follow)
    #expect(settings.notify)
  }

  @Test func namesTheAdministratorWhoChoosesAnApplication() {
    let user = Layer { $0.browser = "u.desktop" }
    let first = Layer { $0.shell = "a.desktop" }
    let second = Layer {
      $0.browser = "b.desktop"
      $0.shell = "b.desktop"
    }
    var locking = second
    locking.locked = [.browser]
    for (layer, browser) in [(second, nil), (locking, "/b")] as [(Layer, String?)] {
      let settings = Settings(
        user: user,
        administrators: [.init(path: "/a", layer: first), .init(path: "/b", layer: layer)])
      #expect(settings.browserSource == browser)
      #expect(settings.shellSource == "/a")
    }
    #expect(Settings(user: Layer(), administrators: []).browserSource == nil)
  }

  @Test func impliesTheActiveInstance() {
    let layer = Layer {
      $0.append(.named("a"), label: "A", addedAt: 7)
      $0.active = .origin(.named("b", port: 8443))
    }
    #expect(
      Settings(user: layer).policy.instances.map(\.label) == ["A", "b.example:8443"])
  }

  /// The active one is never among those left out.
  @Test(arguments: [
    (300, 0, 255), (300, 254, 255), (300, 255, 255), (300, 280, 280), (256, 3, 255),
    (257, 256, 256), (256, 999, 999), (300, 999, 999), (255, 999, 999),
  ])
  func limitsInstances(count: Int, active: Int, last: Int) {
    let layer = Layer {
      for index in 0..<count { $0.append(.named("i\(index)")) }
      $0.active = .origin(.named("i\(active)"))
    }
    let policy = Settings(user: layer).policy
    #expect(policy.instances.count == 256)
    #expect(policy.instances.prefix(255).map(\.origin) == (0..<255).map { .named("i\($0)") })
    #expect(policy.instances.last?.origin == .named("i\(last)"))
  }
}

@Suite struct LayerTests {
  @Test func adoptsOnlyWhatDiffers() throws {
    let layer = Layer {
      $0.append(.named("a"))
      $0.active = .origin(.named("b"))
      $0.browser = "x.desktop"
    }
    let policy = Settings(user: layer).policy

    var same = layer
    same.adopt(policy, insteadOf: policy)
    #expect(same == layer)

    // The active instance that was only implied is written down with the first change.
    var changed = layer
    var other = policy
    try other.setActive(.named("a"), now: 9)
    changed.adopt(other, insteadOf: policy)
    #expect(changed.active == .origin(.named("a")))
    #expect(changed.entries.map(\.origin) == [.named("a"), .named("b")])
    #expect(changed.browser == "x.desktop")

    other = policy
    try other.remove(.named("b"))
    changed = layer
    changed.adopt(other, insteadOf: policy)
    #expect(changed.active == .cleared)
    #expect(changed.entries.map(\.origin) == [.named("a")])
  }

  @Test func keepsInstancesOverTheLimit() throws {
    let layer = Layer { for index in 0..<300 { $0.append(.named("i\(index)")) } }
    let policy = Settings(user: layer).policy
    var other = policy
    try other.remove(.named("i5"))
    var changed = layer
    changed.adopt(other, insteadOf: policy)
    #expect(changed.entries.count == 299)
    #expect(changed.entries.last?.origin == .named("i299"))
  }

  @Test func leavesPresetsToTheAdministrator() {
    let preset = Instance(origin: .named("p"), label: "P", addedAt: 0, isPreset: true)
    let old = Policy(instances: [preset])
    var policy = old
    policy.instances.append(Instance(origin: .named("u"), label: "U", addedAt: 1))
    var layer = Layer()
    layer.adopt(policy, insteadOf: old)
    #expect(layer.entries.map(\.label) == ["U"])
  }

  @Test(
    arguments: [
      (.schemes, " Magnet;news ", "magnet;news;"), (.follow, "0", "false"),
      (.notify, "YES", "true"), (.knownInstances, "browser", "browser"), (.browser, "", nil),
      (.shell, " x.desktop", "x.desktop"), (.activeOrigin, "", ""),
      (.activeOrigin, "https://a.example", "https://a.example"), (.schemes, " ; ", ";"),
    ] as [(Key, String, String?)])
  func setsKeysFromText(_ key: Key, _ text: String, _ expected: String?) throws {
    var layer = Layer()
    try layer.set(key, to: text)
    #expect(layer.text(of: key) == expected)
    var again = Layer()
    if let expected { try again.set(key, to: expected) }
    #expect(again == layer)
  }

  @Test(arguments: [64, 65])
  func limitsSchemes(_ count: Int) {
    var layer = Layer()
    let text = (0..<count).map { "scheme\($0);" }.joined()
    #expect(((try? layer.set(.schemes, to: text)) != nil) == (count == 64))
  }

  @Test(arguments: [255, 256])
  func limitsIDs(_ length: Int) {
    let id = String(repeating: "-", count: length - ".desktop".utf8.count) + ".desktop"
    for key in [Key.browser, .shell] {
      var layer = Layer()
      #expect(((try? layer.set(key, to: id)) != nil) == (length == 255))
    }
  }

  @Test func namesTheOptions() {
    #expect(
      Key.options.map(\.rawValue) == [
        "Browser", "Shell", "KnownInstances", "Schemes", "Follow", "Notify",
      ])
  }
}
