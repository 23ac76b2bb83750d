internal import Files

/// What was there before we became the handler of web links: enough to put it back.
struct RegistrationRecord: Hashable, Sendable {
  struct File: Hashable, Sendable {
    let path: String
    /// What it held; `nil` if there was none.
    let former: [UInt8]?
    /// What we made of that.
    let written: [UInt8]
    /// The directories that had to be made for it, the outermost first.
    let madeDirectories: [String]
  }

  /// The application that the desktop opened a type with, by type: a desktop-file id.
  var previous: [String: String] = [:]
  var files: [File] = []

  /// The previous handler of https.
  var browser: String? { previous[Associations.schemePrefix + "https"] }
}

extension RegistrationRecord {
  private static let previousGroup = "Previous Defaults"
  private static func fileGroup(_ number: Int) -> String { "File \(number)" }

  private static let head = """
    # What the desktop opened links with before fs.sovereign.Navigation became the handler of web links,
    # and what the files named here held. `sovereign-navigation unregister` puts it back and removes this.

    """

  /// Reads what `text` wrote.
  init(_ text: [UInt8]) throws(KeyFileError) {
    let keys = try KeyFile(parsing: text)
    for type in keys.keys(in: Self.previousGroup) {
      previous[type] = keys.string(type, in: Self.previousGroup)
    }
    var number = 1
    while let path = keys.string("Path", in: Self.fileGroup(number)) {
      let group = Self.fileGroup(number)
      guard let written = keys.string("Written", in: group) else {
        throw KeyFileError(reason: "the group [\(group)] lacks Written")
      }
      files.append(
        File(
          path: path, former: keys.string("Former", in: group).map(Self.decode),
          written: Self.decode(written),
          madeDirectories: keys.stringList("MadeDirectories", in: group) ?? []))
      number += 1
    }
  }

  /// The record as a key file, or `nil` if that cannot hold it.
  var text: [UInt8]? {
    var editor = KeyFileEditor(Array(Self.head.utf8))
    editor.addGroup(Self.previousGroup)
    for (type, id) in previous.sorted(by: { $0.key < $1.key }) {
      editor.set(type, to: id, in: Self.previousGroup)
    }
    for (index, file) in files.enumerated() {
      let group = Self.fileGroup(index + 1)
      editor.set("Path", to: file.path, in: group)
      if let former = file.former {
        editor.set("Former", to: Self.encode(former), in: group)
      }
      editor.set("Written", to: Self.encode(file.written), in: group)
      if !file.madeDirectories.isEmpty {
        editor.set("MadeDirectories", to: file.madeDirectories, in: group)
      }
    }
    let text = editor.bytes
    // A path may be anything.
    return (try? RegistrationRecord(text)) == self ? text : nil
  }

  /// Every byte but printable ASCII as `%` and two hexadecimal digits: a list may hold anything.
  private static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for byte in bytes {
      if byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "%") {
        text.append(byte)
      } else {
        text += ((byte < 0x10 ? "%0" : "%") + String(byte, radix: 16)).utf8
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func decode(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%"), let code = UInt8(String(rest.prefix(2)) ?? "", radix: 16)
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}
