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
          path: path, former: keys.string("Former", in: group).map { Array($0.utf8) },
          written: Array(written.utf8),
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
        editor.set("Former", to: String(decoding: former, as: UTF8.self), in: group)
      }
      editor.set("Written", to: String(decoding: file.written, as: UTF8.self), in: group)
      if !file.madeDirectories.isEmpty {
        editor.set("MadeDirectories", to: file.madeDirectories, in: group)
      }
    }
    let text = editor.bytes
    // A text that is not UTF-8, or begins with a form feed, comes back as another.
    return (try? RegistrationRecord(text)) == self ? text : nil
  }
}
