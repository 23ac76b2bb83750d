import Glibc
import Navigation
import WebOrigin

/// A value that its key cannot have.
package struct InvalidValue: Error, Hashable, Sendable {
  package let key: String
  package let expected: String
}

extension InvalidValue: CustomStringConvertible {
  /// Does not repeat the value: it may be an address with a password, and this goes to the journal.
  package var description: String { "the value of `\(key)` is not usable; write \(expected)" }
}

extension Layer {
  /// The value of a key as the file has it, before escaping; `nil` if there is no such line.
  package func text(of key: Key) -> String? {
    switch key {
    case .activeOrigin:
      switch active {
      case .origin(let origin): origin.description
      case .cleared: ""
      case nil: nil
      }
    case .browser: browser
    case .shell: shell
    case .knownInstances: knownInstances?.rawValue
    case .schemes: schemes.map { $0.isEmpty ? ";" : $0.map { $0 + ";" }.joined() }
    case .follow: follow.map { $0 ? "true" : "false" }
    case .notify: notify.map { $0 ? "true" : "false" }
    }
  }

  /// Sets a key from the text that the file or `SetOption` gives for it.
  ///
  /// An empty text restores the default, except that an empty `ActiveOrigin` means none.
  package mutating func set(_ key: Key, to text: String) throws(InvalidValue) {
    let text = text.trimmed
    guard !text.isEmpty else {
      take(key, from: Layer())
      if key == .activeOrigin { active = .cleared }
      return
    }
    let value = Value(key: key.rawValue, text: text)
    switch key {
    case .activeOrigin: active = .origin(try value.origin())
    case .browser: browser = try value.desktopFileID()
    case .shell: shell = try value.desktopFileID()
    case .knownInstances: knownInstances = try value.knownInstances()
    case .schemes: schemes = try value.schemes()
    case .follow: follow = try value.boolean()
    case .notify: notify = try value.boolean()
    }
  }

  /// Makes a key say what it says in another layer.
  mutating func take(_ key: Key, from other: Layer) {
    switch key {
    case .activeOrigin: active = other.active
    case .browser: browser = other.browser
    case .shell: shell = other.shell
    case .knownInstances: knownInstances = other.knownInstances
    case .schemes: schemes = other.schemes
    case .follow: follow = other.follow
    case .notify: notify = other.notify
    }
  }
}

/// The text of one value, to be read as what its key needs.
struct Value {
  let key: String
  let text: String

  /// A serialized origin that an instance can have, and nothing more: what a person may type is
  /// for `SetActive`; here half a line must not become another host.
  func origin() throws(InvalidValue) -> Origin {
    guard let origin = try? InstanceAddress(text).origin else {
      throw expected("an origin like https://my.sovereign.example")
    }
    guard origin.description == text else { throw expected("\(origin)") }
    return origin
  }

  func desktopFileID() throws(InvalidValue) -> String {
    let suffix = ".desktop".utf8.count
    guard text.hasSuffix(".desktop"), (suffix + 1...Int(NAME_MAX)).contains(text.utf8.count),
      text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") })
    else { throw expected("a desktop-file id like org.mozilla.firefox.desktop") }
    return text
  }

  func knownInstances() throws(InvalidValue) -> Policy.KnownInstances {
    guard let value = Policy.KnownInstances(rawValue: text) else {
      throw expected("browser or switch")
    }
    return value
  }

  func schemes() throws(InvalidValue) -> [String] {
    let schemes = text.lowercased().split(separator: ";").map { String($0).trimmed }
      .filter { !$0.isEmpty }
    // A decision goes through the list.
    guard schemes.count <= 64, schemes.allSatisfy(ExternalScheme.mayBeAdded) else {
      throw expected(
        "at most 64 schemes that neither a browser nor a shell opens, like magnet;news;")
    }
    return schemes
  }

  func boolean() throws(InvalidValue) -> Bool {
    switch text.lowercased() {
    case "true", "yes", "on", "1": true
    case "false", "no", "off", "0": false
    default: throw expected("true or false")
    }
  }

  private func expected(_ what: String) -> InvalidValue { InvalidValue(key: key, expected: what) }
}

extension String {
  /// Without spaces and tabs at both ends.
  var trimmed: String {
    var rest = self[...]
    while rest.first == " " || rest.first == "\t" { rest.removeFirst() }
    while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    return String(rest)
  }
}
