/// What the repository's documents say, for tests that compare it with the code.
package enum Documents {
  package static func path(_ path: String) -> String {
    #filePath.replacing("Tests/TestSupport/Documents.swift", with: path)
  }

  package static func text(_ path: String) throws -> String {
    String(decoding: try readFile(self.path(path)), as: UTF8.self)
  }

  /// A page of docs/man, without the escapes of hyphens and fonts.
  package static func manual(_ name: String) throws -> [Substring] {
    try text("docs/man/\(name)").replacing("\\-", with: "-").replacing(/\\f[BIPR]/, with: "")
      .split(separator: "\n")
  }

  /// The words that a comment of the interface's XML explains one by one, each with its explanation.
  ///
  /// - Parameter member: Or `fs.sovereign.Navigation`, for those of the interface itself.
  package static func interfaceEntries(of member: String) throws -> [(word: String, text: String)] {
    let isInterface = member.contains(".")
    let margin = String(repeating: " ", count: isInterface ? 4 : 6)
    let lines = try text("dbus/fs.sovereign.Navigation.xml").split(separator: "\n")
      .drop { !$0.hasPrefix("\(margin)\(member):") }.prefix { !$0.hasSuffix("-->") }
    var entries: [(word: String, text: String)] = []
    var isOpen = false
    for line in lines {
      let indent = line.prefix { $0 == " " }.count - margin.count
      let words = line.drop { $0 == " " }
      if indent == 2 {
        let word = words.prefix { $0 != " " }
        entries.append((String(word), String(words.dropFirst(word.count))))
        isOpen = true
      } else if indent > 2, isOpen {
        entries[entries.count - 1].text += " \(words)"
      } else {
        isOpen = false
      }
    }
    return entries
  }
}

extension StringProtocol {
  /// The words of which a text consists, such as `sub-domain`.
  package var words: Set<String> {
    Set(
      split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "-" }).map { String($0) })
  }
}
