internal import Files

/// The text of a `mimeapps.list` of the user, and what registering changes in it.
///
/// Source: Association between MIME types and applications 1.0.1, section 2. What is not changed
/// keeps every byte.
struct AssociationFile {
  /// The types that we become the default of.
  static let types = webTypes + [Associations.schemePrefix + "sovereign"]
  /// Those that our entry does not claim: it would take them by being installed.
  static let webTypes = ["http", "https"].map { Associations.schemePrefix + $0 }

  /// What a list is to registering.
  enum Role: Hashable {
    /// The user's own one.
    case plain
    /// That of a desktop, which matters for what it names only, and adds and removes nothing.
    case desktop
    /// The old place of the user's own one: read by all, after the others.
    case old
  }

  private var editor: KeyFileEditor

  init(_ text: [UInt8]) {
    editor = KeyFileEditor(text)
  }

  var text: [UInt8] { editor.bytes }

  /// Puts us before everything that the file names, which stays for the day when our entry is gone.
  ///
  /// - Parameter named: The former defaults that a list of the user names, by type. xdg-mime looks at
  ///   the first entry of each list only, and finds them in the old place then.
  mutating func register(_ role: Role, named: [String: String]) {
    switch role {
    case .plain: registerPlain()
    case .desktop:
      for type in Self.types where namesOthers(.defaults, for: type) {
        prepend(us, to: .defaults, for: type)
      }
    case .old:
      for type in Self.webTypes {
        guard let id = named[type].flatMap(element) else { continue }
        let lists = editor.rawValues(of: type, in: AssociationList.Group.defaults.rawValue)
        if lists.isEmpty || lists.contains(where: { !$0.begins(with: id) }) {
          prepend(id, to: .defaults, for: type)
        }
      }
    }
  }

  private mutating func registerPlain() {
    for type in Self.types { prepend(us, to: .defaults, for: type) }
    for type in Self.webTypes { prepend(us, to: .added, for: type) }
    for type in Self.types {
      editor.mapRawValues(of: type, in: AssociationList.Group.removed.rawValue) { list in
        let rest = list.without(us)
        return rest.namesAnything || rest == list ? rest : nil
      }
    }
  }

  /// Takes us out again, where we still are, and leaves alone what somebody else changed.
  ///
  /// - Parameters:
  ///   - former: What the file held before.
  ///   - named: Of a list at the old place: what was put there, by type.
  mutating func unregister(former: [UInt8], named: [String: String]) {
    let former = KeyFileEditor(former)
    for group in [AssociationList.Group.defaults, .added] {
      let hadKeys = editor.hasKeys(in: group.rawValue)
      for type in Self.types {
        let old = former.rawValues(of: type, in: group.rawValue).last?.without(us)
        let id = group == .defaults ? named[type].flatMap(element) : nil
        editor.mapRawValues(of: type, in: group.rawValue) { list in
          var rest = list.without(us)
          if let id, rest.begins(with: id), old?.begins(with: id) != true {
            rest = rest.without(id)
          }
          return rest.namesAnything || rest == list ? rest : old
        }
      }
      if hadKeys, !editor.hasKeys(in: group.rawValue), !former.hasGroup(group.rawValue) {
        editor.removeGroup(group.rawValue)
      }
    }
    let removed = AssociationList.Group.removed.rawValue
    for type in Self.types where former.rawValues(of: type, in: removed).contains(where: \.namesUs)
    {
      let lists = editor.rawValues(of: type, in: removed)
      if lists.isEmpty {
        editor.set(type, to: [DesktopEntry.ours], in: removed)
      } else if !lists.contains(where: \.namesUs) {
        editor.mapRawValues(of: type, in: removed) { us + $0 }
      }
    }
  }

  private mutating func prepend(
    _ id: [UInt8], to group: AssociationList.Group, for type: String
  ) {
    if editor.rawValues(of: type, in: group.rawValue).isEmpty {
      editor.set(type, to: "", in: group.rawValue)
    }
    // Every repetition: GLib takes the last one, xdg-mime the first.
    editor.mapRawValues(of: type, in: group.rawValue) { id + $0.without(id) }
  }

  private func namesOthers(_ group: AssociationList.Group, for type: String) -> Bool {
    editor.rawValues(of: type, in: group.rawValue).contains { $0.without(us).namesAnything }
  }
}

/// Our id as an element of a list.
private let us = Array("\(DesktopEntry.ours);".utf8)

/// An id as an element of a list; `nil` if it cannot be written there as it is.
private func element(_ id: String) -> [UInt8]? {
  id.utf8.allSatisfy {
    $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "\\")
  }
    ? Array("\(id);".utf8) : nil
}

/// A list as it is written: elements, each of them but perhaps the last followed by a semicolon.
extension [UInt8] {
  fileprivate var namesAnything: Bool {
    contains { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: ";") }
  }

  fileprivate var namesUs: Bool { without(us) != self }

  fileprivate func begins(with id: [UInt8]) -> Bool {
    starts(with: id) || self == id.dropLast()
  }

  fileprivate func without(_ id: [UInt8]) -> [UInt8] {
    var rest: [UInt8] = []
    var element: [UInt8] = []
    var isEscaped = false
    for byte in self {
      element.append(byte)
      if byte == UInt8(ascii: ";"), !isEscaped {
        if element != id { rest += element }
        element = []
      }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return element == id.dropLast() ? rest : rest + element
  }
}
