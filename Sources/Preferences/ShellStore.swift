import Files
package import Navigation
package import WebOrigin

/// What a shell that does not know this service keeps in its own store: `instances.json`, an object
/// with `instances`, an array of objects with `url`, `label` and `addedAt`, and `activeUrl`.
package struct ShellStore: Hashable, Sendable {
  /// The instance that the shell shows; `nil` where `activeUrl` is null.
  package let active: Origin?
  /// In the order of the store, each origin once.
  package let instances: [Instance]

  init(active: Origin? = nil, instances: [Instance] = []) {
    self.active = active
    self.instances = instances
  }

  /// In bytes.
  private static let maximumLength = 1 << 20

  /// What the file at `path` holds.
  package static func bytes(at path: String) throws(ShellStoreError) -> [UInt8] {
    do throws(FileError) {
      return try DurableFile(path: path).read(limit: maximumLength)
    } catch {
      throw .file(error)
    }
  }

  /// Reads a store.
  ///
  /// An instance that cannot be used is left out. Which instance is active decides where links go, so
  /// that everything else that is wrong makes the whole store unusable.
  package static func read(
    _ bytes: [UInt8]
  ) throws(ShellStoreError) -> (store: ShellStore, flaws: [ShellStoreFlaw]) {
    try JSONValue.parse(bytes) { (root) throws(ShellStoreError) in
      try root.check(keys: [Key.instances, Key.active], as: "the file")
      let (instances, flaws) = try instances(root[Key.instances])
      let active = try active(root[Key.active])
      if let active, !instances.contains(where: { $0.origin == active }) {
        throw .activeNotListed(active)
      }
      return (ShellStore(active: active, instances: instances), flaws)
    }
  }

  private enum Key {
    static let instances = "instances"
    static let active = "activeUrl"
    static let url = "url"
    static let label = "label"
    static let addedAt = "addedAt"
  }

  /// The addresses of a store's instances, of those that cannot be used as well.
  static func addresses(in bytes: [UInt8]) throws(ShellStoreError) -> [String] {
    try JSONValue.parse(bytes) { (root) throws(ShellStoreError) in
      try elements(root[Key.instances]).enumerated().map {
        (index, element) throws(ShellStoreError) in
        try element.value(Key.url, of: index + 1, "a string", \.string)
      }
    }
  }

  private static func active(_ value: JSONValue?) throws(ShellStoreError) -> Origin? {
    guard let value, !value.isNull else { return nil }
    guard let text = value.string else {
      throw .wrongType("`\(Key.active)`", expected: "a string or null")
    }
    guard let address = try? InstanceAddress(text) else { throw .activeNoAddress }
    return address.origin
  }

  private static func elements(_ value: JSONValue?) throws(ShellStoreError) -> [JSONValue] {
    guard let elements = value?.elements else {
      throw .wrongType("`\(Key.instances)`", expected: "an array")
    }
    return elements
  }

  private static func instances(
    _ value: JSONValue?
  ) throws(ShellStoreError) -> ([Instance], [ShellStoreFlaw]) {
    let elements = try elements(value)
    guard elements.count <= Policy.maximumInstances else { throw .tooManyInstances(elements.count) }
    var instances: [Instance] = []
    var flaws: [ShellStoreFlaw] = []
    for (index, element) in elements.enumerated() {
      let number = index + 1
      try element.check(keys: [Key.url, Key.label, Key.addedAt], as: "instance \(number)")
      let url = try element.value(Key.url, of: number, "a string", \.string)
      let label = try element.value(Key.label, of: number, "a string or null", \.label)
      let addedAt = try element.value(Key.addedAt, of: number, "a number or null", \.time)

      guard let origin = (try? InstanceAddress(url))?.origin else {
        flaws.append(.noAddress(instance: number))
        continue
      }
      guard !instances.contains(where: { $0.origin == origin }) else {
        flaws.append(.repeated(instance: number, origin))
        continue
      }
      let isUsable = label.isUsableLabel
      if !isUsable { flaws.append(.unusableLabel(instance: number)) }
      instances.append(
        Instance(
          origin: origin, label: isUsable && !label.isEmpty ? label : origin.hostAndPort,
          addedAt: addedAt))
    }
    return (instances, flaws)
  }
}

extension JSONValue {
  /// Finds out whether a known key is missing: a store that was renamed in part is another store.
  fileprivate func check(keys expected: [String], as what: String) throws(ShellStoreError) {
    guard let keys else { throw .wrongType(what, expected: "an object") }
    guard Set(keys).isSuperset(of: expected) else {
      throw .missingKeys(what, expected: expected, found: keys)
    }
  }

  fileprivate func value<Value>(
    _ key: String, of instance: Int, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(ShellStoreError) -> Value {
    guard let value = self[key].flatMap(read) else {
      throw .wrongType("`\(key)` of instance \(instance)", expected: expected)
    }
    return value
  }

  fileprivate var label: String? { isNull ? "" : string }

  fileprivate var time: Int64? { isNull ? 0 : integer }
}

extension String {
  /// A control character at its beginning could not be written to the preference file.
  var isUsableLabel: Bool {
    utf8.count <= Policy.maximumLabelLength
      && unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}
