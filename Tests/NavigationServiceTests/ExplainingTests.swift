import Bus
import Files
import Glibc
import Navigation
import Preferences
import TestSupport
import Testing
import WebOrigin

@testable import NavigationService

/// A link, and the session that it is asked about in.
private struct Link: CustomTestStringConvertible {
  enum Program: String {
    case isThere, isGone
    case isGoneAndNamed
  }

  let url: String
  var browser = Program.isThere
  /// The last part of the name of the error that `Open` gives; `nil` if it opens the link.
  let error: String?

  var testDescription: String { "\(url.prefix(40))… \(url.utf8.count) \(browser)" }
}

private func link(ofLength count: Int) -> String {
  "https://a.example/" + String(repeating: "x", count: count - "https://a.example/".utf8.count)
}

@Suite struct ExplainingTests {
  private let harness: Harness
  private let client: Connection

  init() throws {
    harness = try Harness()
    client = try harness.client()
  }

  private func explain(_ url: String) throws -> [String: String] {
    try harness.explain(url, from: client).compactMapValues { value in
      if case .string(let text) = value { text } else { nil }
    }
  }

  private func configure(_ text: String) throws {
    let file = harness.service.store.paths.file
    try makeDirectories(parent(of: file))
    try writeFile(file, text)
    harness.service.followPreferences()
  }

  @Test(arguments: [
    Link(url: "https://a.example/", error: nil),
    Link(url: "https://a.example/", browser: .isGone, error: "NoBrowser"),
    Link(url: "https://a.example/", browser: .isGoneAndNamed, error: "LaunchFailed"),
    Link(url: link(ofLength: 131_071), error: nil),
    Link(url: link(ofLength: 131_072), error: "LimitExceeded"),
    Link(url: "mailto:a@b.example", error: nil),
    Link(url: "tel:1", error: "NoHandler"),
    Link(url: "sovereign://oauth/done", error: "NoShell"),
    Link(url: "javascript:1", error: "UnsupportedScheme"),
    Link(url: "", error: "InvalidUrl"),
  ])
  fileprivate func itSaysWhatOpenDoes(_ link: Link) throws {
    if link.browser == .isGoneAndNamed { try configure("[Navigation]\nBrowser=browser.desktop\n") }
    if link.browser != .isThere { harness.applications.removeProgram("browser") }
    let explanation = try explain(link.url)
    guard case .failure(let error) = try harness.open(link.url, from: client) else {
      #expect(link.error == nil)
      #expect(explanation["error"] == nil)
      #expect(explanation["url"] == link.url)
      return
    }
    #expect(error.name == "fs.sovereign.Navigation.Error.\(link.error ?? "")")
    #expect(explanation["error"] == error.message)
    #expect(explanation["url"] == "")
    #expect(explanation["application"] == "")
  }

  @Test func itSaysWhatNamedTheApplication() throws {
    let paths = harness.service.store.paths
    #expect(
      try explain("mailto:a@b.example")["application-source"]?.hasSuffix(
        "/data/applications/single.desktop") == true)
    let found = try explain("https://a.example/")
    #expect(found["application"] == "browser.desktop")
    #expect(found["application-source"]?.hasSuffix("/data/applications/browser.desktop") == true)

    let list = harness.applications.configuration + "/mimeapps.list"
    try makeDirectories(harness.applications.configuration)
    try writeFile(list, "[Default Applications]\nx-scheme-handler/https=browser.desktop\n")
    #expect(try explain("https://a.example/")["application-source"] == list)

    try makeDirectories(parent(of: paths.administrators[0]))
    try writeFile(paths.administrators[0], "[Navigation]\nBrowser=browser.desktop\n")
    harness.service.followPreferences()
    try harness.loop.run { harness.service.settings.browser != nil }
    #expect(try explain("https://a.example/")["application-source"] == paths.administrators[0])

    try configure("[Navigation]\nBrowser=browser.desktop\n")
    try harness.loop.run { harness.service.settings.browserSource == nil }
    #expect(try explain("https://a.example/")["application-source"] == "Browser")
  }

  @Test func itSaysWhatKeepsTheShellFromBeingGivenTheLink() throws {
    let paths = harness.service.store.paths
    try harness.applications.install("shell", schemes: ["sovereign"])
    func expect(_ obstacle: String?, sourceLocation: SourceLocation = #_sourceLocation) throws {
      let explanation = try explain("https://a.example/")
      #expect(
        explanation["opens-because"] == (obstacle == nil ? nil : "shell-cannot-address"),
        sourceLocation: sourceLocation)
      #expect(explanation["obstacle"] == obstacle, sourceLocation: sourceLocation)
    }
    try configure("[Navigation]\nActiveOrigin=https://a.example\n")
    try harness.loop.run { harness.service.settings.policy.active != nil }
    try expect(nil)

    try configure(
      "[Navigation]\nActiveOrigin=https://a.example\n[Instance 1]\nOrigin=https://a.example:8443\n")
    try harness.loop.run { harness.service.settings.policy.instances.count == 2 }
    try expect("https://a.example:8443 is stored, too, and has the same host")

    try makeDirectories(parent(of: paths.shellStore))
    func store(_ urls: [String]) throws {
      let instances = urls.map { #"{"url":"\#($0)","label":"x","addedAt":1}"# }
      try writeFile(
        paths.shellStore,
        #"{"instances":[\#(instances.joined(separator: ","))],"activeUrl":"\#(urls[0])"}"#)
    }
    try configure("[Navigation]\nActiveOrigin=https://a.example\n")
    try harness.loop.run { harness.service.settings.policy.instances.count == 1 }
    try store(["https://a.example", "https://a.example:8443"])
    harness.service.followShell()
    try harness.loop.run { harness.service.shellInstances != nil }
    try expect(
      "the shell's own store, \(paths.shellStore), has another instance with the same host")
    try store(["https://b.example"])
    try harness.loop.run { harness.service.settings.policy.active?.host == "b.example" }
    _ = try harness.result(of: "SetActive") { call throws(BusError) in
      try call.append("https://a.example")
    }
    try expect("the shell's own store, \(paths.shellStore), does not have the instance")
  }
}
