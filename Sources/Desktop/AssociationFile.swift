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

  private var editor: KeyFileEditor
  private let isPlain: Bool

  init(_ text: [UInt8], isPlain: Bool) {
    editor = KeyFileEditor(text)
    self.isPlain = isPlain
  }

  var text: [UInt8] { editor.bytes }

  /// Puts us before everything that the file names.
  ///
  /// The rest stays behind us, for the day when our entry is gone. Only the file of the plain name adds
  /// and removes associations; a desktop's own one matters for what it names only.
  mutating func register() {
    for type in Self.types where isPlain || namesOthers(.defaults, for: type) {
      prepend(.defaults, for: type)
    }
    guard isPlain else { return }
    for type in Self.webTypes { prepend(.added, for: type) }
    for type in Self.types {
      editor.mapRawValues(of: type, in: AssociationList.Group.removed.rawValue) { list in
        let rest = list.withoutUs
        return rest.namesAnything || rest == list ? rest : nil
      }
    }
  }

  /// Takes us out again, where we still are, and leaves alone what somebody else changed.
  ///
  /// - Parameter former: What the file held before we were put in.
  mutating func unregister(former: [UInt8]) {
    let former = KeyFileEditor(former)
    for group in [AssociationList.Group.defaults, .added] {
      let hadKeys = editor.hasKeys(in: group.rawValue)
      for type in Self.types {
        let old = former.rawValues(of: type, in: group.rawValue).last?.withoutUs
        editor.mapRawValues(of: type, in: group.rawValue) { list in
          let rest = list.withoutUs
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

  private mutating func prepend(_ group: AssociationList.Group, for type: String) {
    if editor.rawValues(of: type, in: group.rawValue).isEmpty {
      editor.set(type, to: [DesktopEntry.ours], in: group.rawValue)
    } else {
      // Every repetition: GLib takes the last one, xdg-mime the first.
      editor.mapRawValues(of: type, in: group.rawValue) { us + $0.withoutUs }
    }
  }

  private func namesOthers(_ group: AssociationList.Group, for type: String) -> Bool {
    editor.rawValues(of: type, in: group.rawValue).contains { $0.withoutUs.namesAnything }
  }
}

/// Our id as an element of a list; nothing in it needs an escape.
private let us = Array("\(DesktopEntry.ours);".utf8)

/// A list as it is written: elements, each of them but perhaps the last followed by a semicolon.
extension [UInt8] {
  fileprivate var namesAnything: Bool {
    contains { $0 > UInt8(ascii: " ") && $0 != UInt8(ascii: ";") }
  }

  fileprivate var namesUs: Bool { withoutUs != self }

  fileprivate var withoutUs: [UInt8] {
    var rest: [UInt8] = []
    var element: [UInt8] = []
    var isEscaped = false
    for byte in self {
      element.append(byte)
      if byte == UInt8(ascii: ";"), !isEscaped {
        if element != us { rest += element }
        element = []
      }
      isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    }
    return element == us.dropLast() ? rest : rest + element
  }
}
