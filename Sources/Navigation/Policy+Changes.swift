package import WebOrigin

extension Policy {
  package static let maximumInstances = 256
  /// In bytes of UTF-8.
  package static let maximumLabelLength = 256

  /// Makes an instance the active one and stores it if it is new; `nil` leaves none active.
  package mutating func setActive(_ origin: Origin?, now: Int64) throws(PolicyChangeError) {
    guard let origin else {
      active = nil
      return
    }
    try add(origin, label: "", activate: true, addedAt: now)
  }

  /// Makes the instance of a link the active one, where `switches(to:)` says so.
  package mutating func follow(linkTo origin: Origin) throws(PolicyChangeError) {
    guard switches(to: origin) else { throw .notSwitched(origin) }
    active = origin
  }

  /// Whether links to this instance make it the active one.
  package func switches(to origin: Origin) -> Bool {
    knownInstances == .switch && active != nil && active != origin
      && instances.contains { $0.origin == origin }
  }

  /// Stores an instance.
  ///
  /// One that is known keeps its time, and its label if none is given.
  package mutating func add(
    _ origin: Origin, label: String, activate: Bool, addedAt: Int64
  ) throws(PolicyChangeError) {
    guard label.utf8.count <= Self.maximumLabelLength else { throw .labelTooLong }
    if let index = instances.firstIndex(where: { $0.origin == origin }) {
      if !label.isEmpty { instances[index].label = label }
    } else {
      guard instances.count < Self.maximumInstances else { throw .tooManyInstances }
      instances.append(
        Instance(
          origin: origin, label: label.isEmpty ? origin.hostAndPort : label, addedAt: addedAt))
    }
    if activate { active = origin }
  }

  /// Removes a stored instance; if it was the active one, none is active afterwards.
  package mutating func remove(_ origin: Origin) throws(PolicyChangeError) {
    guard let index = instances.firstIndex(where: { $0.origin == origin }) else {
      throw .unknownInstance(origin)
    }
    guard !instances[index].isPreset else { throw .presetInstance(origin) }
    instances.remove(at: index)
    if active == origin { active = nil }
  }
}

/// Why stored instances cannot be changed so.
package enum PolicyChangeError: Error, Hashable {
  case unknownInstance(Origin)
  case presetInstance(Origin)
  case tooManyInstances
  case labelTooLong
  /// Links to the instance make it active no more.
  case notSwitched(Origin)
}

extension PolicyChangeError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unknownInstance(let origin):
      "\(origin) is not a stored instance; see the list of instances for those that are"
    case .presetInstance(let origin):
      "\(origin) was put there by an administrator, and only an administrator can remove it"
    case .tooManyInstances:
      "there are \(Policy.maximumInstances) instances already; remove one first"
    case .labelTooLong:
      "the label is longer than \(Policy.maximumLabelLength) bytes; give a shorter one"
    case .notSwitched(let origin):
      "links to \(origin) do not make it active"
    }
  }
}

extension Instance {
  /// What somebody named it; empty if it is called by its host and port.
  package var givenLabel: String { label == origin.hostAndPort ? "" : label }
}

extension Origin {
  /// What an instance is called until somebody names it: `my.sovereign.example:8443`.
  package var hostAndPort: String {
    guard let port else { return host }
    return "\(host):\(port)"
  }
}
