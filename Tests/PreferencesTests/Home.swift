import Files
import Glibc
import Navigation
import TestSupport
import WebOrigin

@testable import Preferences

/// A home of its own, with a store in it.
final class Home {
  let directory: TemporaryDirectory
  let paths: PreferencePaths
  private let base: BaseDirectories
  private var time: Int64 = 1_764_460_800_122

  init() throws {
    directory = try TemporaryDirectory()
    base = BaseDirectories(environment: [
      "HOME": directory.path, "XDG_CONFIG_DIRS": "\(directory.path)/first:\(directory.path)/second",
    ])
    paths = PreferencePaths(base)
  }

  /// Writes the first administrator's file, or the second.
  func write(_ text: String, administrator index: Int) throws {
    try makeDirectories(parent(of: paths.administrators[index]))
    try writeFile(paths.administrators[index], text)
  }

  var configuration: String { parent(of: paths.file) }

  /// Its clock goes on by a millisecond each time it is read.
  func store() -> PreferenceStore {
    PreferenceStore(
      base,
      now: { [self] in
        time += 1
        return time
      })
  }

  /// A store as the running service has it.
  func running() -> PreferenceStore {
    let store = store()
    _ = store.reload()
    return store
  }

  func write(_ text: String) throws { try write(Array(text.utf8)) }

  func write(_ bytes: [UInt8]) throws {
    try makeDirectories(configuration)
    try writeFile(paths.file, bytes)
  }

  func text() throws -> String { String(decoding: try readFile(paths.file), as: UTF8.self) }

  func good() throws -> String { String(decoding: try readFile(paths.good), as: UTF8.self) }

  func copies() throws -> [String] {
    try entries(of: configuration).filter { $0.contains(".broken-") }
  }
}

extension Origin {
  /// `https://NAME.example`.
  static func named(_ name: String, port: UInt16? = nil) -> Origin {
    Origin(scheme: "https", host: "\(name).example", port: port)
  }
}

extension Layer {
  init(_ change: (inout Layer) -> Void) {
    self.init()
    change(&self)
  }

  mutating func append(_ origin: Origin, label: String? = nil, addedAt: Int64 = 0) {
    entries.append(Entry(origin: origin, label: label, addedAt: addedAt))
  }
}

extension PreferenceStore {
  /// What the service does for `SetActive`.
  @discardableResult
  func activate(_ origin: Origin?) throws -> Outcome {
    var policy = settings.policy
    try policy.setActive(origin, now: 1)
    var layer = user
    layer.adopt(policy, insteadOf: settings.policy)
    return try save(layer)
  }

  /// What the service does for `SetOption`.
  @discardableResult
  func set(_ key: Key, to text: String) throws -> Outcome {
    var layer = user
    try layer.set(key, to: text)
    return try save(layer)
  }
}
