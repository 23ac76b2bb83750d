/// Changes single lines of a key file and leaves every other byte as it is.
///
/// Comments, order, spacing, line ends, a missing last line end and a byte order mark survive,
/// which GKeyFile's writer does not do. Groups and keys are found as `KeyFile` finds them: groups of
/// one name are one group, and the last of several equal keys is the one that counts.
package struct KeyFileEditor {
  private var lines: [[UInt8]] = []
  private let mark: [UInt8]
  /// The terminator of new lines: that of the first line.
  private let lineEnd: [UInt8]

  package init(_ bytes: [UInt8]) {
    let text = KeyFileLine.withoutByteOrderMark(bytes)
    mark = text.count < bytes.count ? KeyFileLine.byteOrderMark : []
    var start = text.startIndex
    while let newline = text[start...].firstIndex(of: UInt8(ascii: "\n")) {
      lines.append(Array(text[start...newline]))
      start = newline + 1
    }
    if start < text.endIndex { lines.append(Array(text[start...])) }
    let crlf = Array("\r\n".utf8)
    lineEnd = lines.first?.suffix(2) == crlf[...] ? crlf : [UInt8(ascii: "\n")]
  }

  package var bytes: [UInt8] { mark + lines.joined() }

  /// Gives `key` the value `value`, escaped as a string, adding key and group where they are missing.
  package mutating func set(_ key: String, to value: String, in group: String) {
    set(key, toEscaped: KeyFileEditor.escape(value, inList: false), in: group)
  }

  /// Gives `key` a list as its value, each element followed by a semicolon.
  package mutating func set(_ key: String, to values: [String], in group: String) {
    let elements = values.map { KeyFileEditor.escape($0, inList: true) + [UInt8(ascii: ";")] }
    set(key, toEscaped: Array(elements.joined()), in: group)
  }

  /// The values of `key` as they are written, one for each repetition of it.
  package func rawValues(of key: String, in group: String) -> [[UInt8]] {
    keyLines(of: group, named: key).compactMap { index in
      guard case .keyValue(_, let value) = KeyFileLine(lines[index]) else { return nil }
      return Array(lines[index][value])
    }
  }

  /// Gives every repetition of `key` another value, as it is to be written, or removes it.
  ///
  /// A line that changes loses the spaces around its key: there are programs that do not skip them.
  package mutating func mapRawValues(
    of key: String, in group: String, _ transform: ([UInt8]) -> [UInt8]?
  ) {
    var gone: Set<Int> = []
    for index in keyLines(of: group, named: key) {
      guard case .keyValue(_, let old) = KeyFileLine(lines[index]) else { continue }
      guard let value = transform(Array(lines[index][old])) else {
        gone.insert(index)
        continue
      }
      guard !value.elementsEqual(lines[index][old]) else { continue }
      lines[index].replaceSubrange(..<old.upperBound, with: Array("\(key)=".utf8) + value)
    }
    removeLines(gone)
  }

  /// The groups that are there more than once, and of the others the keys that they have more than
  /// once, each named once.
  package var repetitions: [(group: String, key: String?)] {
    var groups: [[UInt8]: Bool] = [:]
    var keys: [[UInt8]: [[UInt8]: Int]] = [:]
    var order: [[UInt8]] = []
    var group: [UInt8] = []
    for line in lines {
      switch KeyFileLine(line) {
      case .group(let name):
        group = Array(line[name])
        if groups.updateValue(groups[group] != nil, forKey: group) == nil { order.append(group) }
      case .keyValue(let name, _):
        keys[group, default: [:]][Array(line[name]), default: 0] += 1
      case .other: break
      }
    }
    func text(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }
    return order.flatMap { group -> [(group: String, key: String?)] in
      if groups[group] == true { return [(text(group), nil)] }
      return (keys[group] ?? [:]).filter { $0.value > 1 }.map { text($0.key) }.sorted()
        .map { (text(group), $0) }
    }
  }

  /// Calls `body` for each line that begins a group, and for each with a key. Lines are counted from 1.
  package func forEachName(_ body: (_ line: Int, _ group: String, _ key: String?) -> Void) {
    var group = ""
    for (index, line) in lines.enumerated() {
      switch KeyFileLine(line) {
      case .group(let name):
        group = String(decoding: line[name], as: UTF8.self)
        body(index + 1, group, nil)
      case .keyValue(let name, _):
        body(index + 1, group, String(decoding: line[name], as: UTF8.self))
      case .other: break
      }
    }
  }

  package func hasGroup(_ group: String) -> Bool { !headers(of: group).isEmpty }

  package func hasKeys(in group: String) -> Bool {
    headers(of: group).contains { !keyLines(inBlockAt: $0).isEmpty }
  }

  /// Removes a group; see `removeGroups`.
  package mutating func removeGroup(_ group: String) {
    removeGroups([group])
  }

  /// Removes `key`, every repetition of it included.
  package mutating func remove(_ key: String, in group: String) {
    removeLines(Set(keyLines(of: group, named: key)))
  }

  /// Adds an empty group at the end, unless there is one of that name.
  package mutating func addGroup(_ group: String) {
    guard headers(of: group).isEmpty else { return }
    append(group, [])
  }

  /// Adds a group at the end, of which there must be none yet, with its keys: many can be added without a
  /// look at all that is there for each.
  package mutating func append(_ group: String, _ values: [(key: String, value: String)]) {
    terminateLastLine()
    if let last = lines.last, !KeyFileLine.isBlank(last) { lines.append(lineEnd) }
    lines.append(Array("[\(group)]".utf8) + lineEnd)
    for (key, value) in values {
      let escaped = KeyFileEditor.escape(value, inList: false)
      lines.append(Array("\(key)=".utf8) + escaped + lineEnd)
    }
  }

  /// Removes groups with their keys and the blank lines after them.
  ///
  /// Comments stay: what a person wrote between two keys may matter to them. All go at once: there may be
  /// as many of them as the file has lines.
  package mutating func removeGroups(_ groups: Set<String>) {
    var gone: Set<Int> = []
    // Where what is left of the file ends.
    var end = lines.count
    let names = Set(groups.map { Array($0.utf8) })
    for header in headers(where: { names.contains(Array($0)) }).reversed() {
      var after = (keyLines(inBlockAt: header).last ?? header) + 1
      let kept = (header + 1..<after).filter { index in
        if case .other = KeyFileLine(lines[index]) {
          !KeyFileLine.isBlank(lines[index])
        } else {
          false
        }
      }
      while after < lines.count, KeyFileLine.isBlank(lines[after]) { after += 1 }
      gone.formUnion(Set(header..<after).subtracting(kept))
      guard kept.isEmpty, after >= end else { continue }
      end = header
      // The blank line that set the last group off from the one before it.
      if end > 0, KeyFileLine.isBlank(lines[end - 1]) {
        end -= 1
        gone.insert(end)
      }
    }
    removeLines(gone)
  }

  /// At once: a list may repeat a key as often as it has lines.
  private mutating func removeLines(_ gone: Set<Int>) {
    guard !gone.isEmpty else { return }
    lines = lines.indices.lazy.filter { !gone.contains($0) }.map { [lines] in lines[$0] }
  }

  private mutating func set(_ key: String, toEscaped value: [UInt8], in group: String) {
    if let index = keyLines(of: group, named: key).last {
      guard case .keyValue(_, let old) = KeyFileLine(lines[index]) else { return }
      lines[index].replaceSubrange(old, with: value)
      return
    }
    addGroup(group)
    guard let header = headers(of: group).last else { return }
    let place = (keyLines(inBlockAt: header).last ?? header) + 1
    if place == lines.count { terminateLastLine() }
    lines.insert(Array("\(key)=".utf8) + value + lineEnd, at: place)
  }

  private mutating func terminateLastLine() {
    guard let last = lines.indices.last, lines[last].last != UInt8(ascii: "\n") else { return }
    lines[last] += lineEnd
  }

  private func headers(of group: String) -> [Int] {
    headers { $0.elementsEqual(group.utf8) }
  }

  private func headers(where isWanted: (ArraySlice<UInt8>) -> Bool) -> [Int] {
    lines.indices.filter { index in
      guard case .group(let name) = KeyFileLine(lines[index]) else { return false }
      return isWanted(lines[index][name])
    }
  }

  private func keyLines(of group: String, named key: String) -> [Int] {
    headers(of: group).flatMap(keyLines(inBlockAt:)).filter { index in
      guard case .keyValue(let name, _) = KeyFileLine(lines[index]) else { return false }
      return lines[index][name].elementsEqual(key.utf8)
    }
  }

  private func keyLines(inBlockAt header: Int) -> [Int] {
    var found: [Int] = []
    for index in (header + 1)..<lines.count {
      switch KeyFileLine(lines[index]) {
      case .group: return found
      case .keyValue: found.append(index)
      case .other: break
      }
    }
    return found
  }

  private static func escape(_ value: String, inList: Bool) -> [UInt8] {
    var escaped: [UInt8] = []
    var isLeading = true
    for byte in value.utf8 {
      let code: Character? =
        switch byte {
        case UInt8(ascii: " ") where isLeading: "s"
        case UInt8(ascii: "\t") where isLeading: "t"
        case UInt8(ascii: "\n"): "n"
        case UInt8(ascii: "\r"): "r"
        case UInt8(ascii: "\\"): "\\"
        case UInt8(ascii: ";") where inList: ";"
        default: nil
        }
      if let code {
        escaped.append(UInt8(ascii: "\\"))
        escaped += code.utf8
      } else {
        escaped.append(byte)
      }
      isLeading = isLeading && (byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t"))
    }
    return escaped
  }
}
