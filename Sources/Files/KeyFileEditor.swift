/// Changes single lines of a key file and leaves every other byte as it is.
///
/// GKeyFile, which reads these files, merges groups of one name and takes the last of several equal
/// keys. The editor follows it: what it sets is what will be read.
package struct KeyFileEditor {
  /// Each with its line end, which the last one may lack.
  private var lines: [Line]
  private let lineEnd: [UInt8]

  package init(_ bytes: [UInt8]) {
    lines = []
    var rest = bytes[...]
    var group: String?
    while !rest.isEmpty {
      let end = rest.firstIndex(of: Self.newline).map { $0 + 1 } ?? rest.endIndex
      let line = Line(Array(rest[rest.startIndex..<end]), in: group, isFirst: lines.isEmpty)
      if case .group(let name) = line.content { group = name }
      lines.append(line)
      rest = rest[end...]
    }
    lineEnd =
      lines.first?.bytes.hasSuffix([Self.carriageReturn, Self.newline]) == true
      ? [Self.carriageReturn, Self.newline] : [Self.newline]
  }

  /// The file as it is now.
  package var bytes: [UInt8] { lines.flatMap(\.bytes) }

  /// Sets a key to a value that is written exactly as given; `escape` makes it readable as a string.
  package mutating func set(_ key: String, to value: String, in group: String) {
    let text = Array("\(key)=\(value)".utf8)
    if let index = lines.lastIndex(where: { $0.group == group && $0.content == .key(key) }) {
      let old = lines[index]
      lines[index] = Line(text + old.end, in: group, isFirst: false)
      return
    }
    if !lines.contains(where: { $0.content == .group(group) }) { addGroup(group) }
    // Behind the last key: comments and blank lines after it may belong to what follows.
    let anchor =
      lines.lastIndex { $0.group == group && $0.content.isKey }
      ?? lines.lastIndex { $0.content == .group(group) } ?? lines.endIndex - 1
    endLine(anchor)
    lines.insert(Line(text + lineEnd, in: group, isFirst: false), at: anchor + 1)
  }

  /// Removes a key wherever it stands in a group.
  package mutating func remove(_ key: String, in group: String) {
    lines.removeAll { $0.group == group && $0.content == .key(key) }
  }

  /// Removes a group with its keys and the comments in it.
  package mutating func removeGroup(_ group: String) {
    lines.removeAll { $0.group == group || $0.content == .group(group) }
  }

  /// A string as a value from which GKeyFile reads the same string.
  package static func escape(_ string: String) -> String {
    // Blanks before the value are not part of it, unless they are escaped.
    let blanks = string.prefix { $0 == " " }.count
    var escaped = String(repeating: "\\s", count: blanks)
    for scalar in string.dropFirst(blanks).unicodeScalars {
      switch scalar {
      case "\t": escaped += "\\t"
      case "\n": escaped += "\\n"
      case "\r": escaped += "\\r"
      case "\\": escaped += "\\\\"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  /// Strings as a value from which GKeyFile reads the same list.
  package static func escape(list: [String]) -> String {
    list.map {
      escape($0).split(separator: ";", omittingEmptySubsequences: false).joined(separator: "\\;")
        + ";"
    }
    .joined()
  }

  private mutating func addGroup(_ group: String) {
    if !lines.isEmpty {
      endLine(lines.endIndex - 1)
      if !lines[lines.endIndex - 1].isBlank {
        lines.append(Line(lineEnd, in: lines.last?.group, isFirst: false))
      }
    }
    lines.append(Line(Array("[\(group)]".utf8) + lineEnd, in: nil, isFirst: false))
  }

  private mutating func endLine(_ index: Int) {
    guard lines.indices.contains(index), lines[index].end.isEmpty else { return }
    lines[index] = lines[index].ended(with: lineEnd)
  }

  private static let newline = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
}

/// One line of a key file.
private struct Line {
  enum Content: Equatable {
    case group(String)
    case key(String)
    case other

    var isKey: Bool { if case .key = self { true } else { false } }
  }

  let bytes: [UInt8]
  let content: Content
  /// The group that a key or comment is in; `nil` for a group's own line and before the first group.
  let group: String?

  init(_ bytes: [UInt8], in group: String?, isFirst: Bool) {
    self.bytes = bytes
    var text = bytes[...]
    if isFirst, text.starts(with: [0xEF, 0xBB, 0xBF]) { text = text.dropFirst(3) }
    while let last = text.last, Self.isSpace(last) { text = text.dropLast() }
    text = text.drop(while: Self.isSpace)
    content = Self.content(of: text)
    if case .group = content { self.group = nil } else { self.group = group }
  }

  private init(_ bytes: [UInt8], content: Content, group: String?) {
    self.bytes = bytes
    self.content = content
    self.group = group
  }

  var isBlank: Bool { bytes.allSatisfy(Self.isSpace) }

  /// The line end, empty if the file ends without one.
  var end: [UInt8] {
    if bytes.hasSuffix([0x0D, 0x0A]) { return [0x0D, 0x0A] }
    return bytes.last == 0x0A ? [0x0A] : []
  }

  func ended(with end: [UInt8]) -> Line { Line(bytes + end, content: content, group: group) }

  private static func content(of text: ArraySlice<UInt8>) -> Content {
    guard let first = text.first, first != UInt8(ascii: "#") else { return .other }
    if first == UInt8(ascii: "[") {
      guard let close = text.firstIndex(of: UInt8(ascii: "]")), close == text.endIndex - 1 else {
        return .other
      }
      return .group(String(decoding: text[(text.startIndex + 1)..<close], as: UTF8.self))
    }
    guard let equals = text.firstIndex(of: UInt8(ascii: "=")) else { return .other }
    var key = text[text.startIndex..<equals]
    while let last = key.last, isSpace(last) { key = key.dropLast() }
    return .key(String(decoding: key, as: UTF8.self))
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }
}

extension [UInt8] {
  fileprivate func hasSuffix(_ suffix: [UInt8]) -> Bool {
    self.suffix(suffix.count).elementsEqual(suffix)
  }
}
