/// What one line of a key file is, in the eyes of `GKeyFile`.
enum KeyFileLine {
  case group(Range<Int>)
  case keyValue(key: Range<Int>, value: Range<Int>)
  /// A comment, a blank line, or something that GKeyFile refuses.
  case other

  /// Ranges are indices of `line`, which may end in LF or CR LF.
  init(_ line: [UInt8]) {
    let end = KeyFileLine.contentEnd(of: line)
    var start = 0
    while start < end, KeyFileLine.isSpace(line[start]) { start += 1 }
    guard start < end, line[start] != UInt8(ascii: "#") else {
      self = .other
      return
    }
    if line[start] == UInt8(ascii: "["),
      let close = line[start..<end].firstIndex(of: UInt8(ascii: "]")),
      line[(close + 1)..<end].allSatisfy(KeyFileLine.mayFollowGroup)
    {
      self = .group((start + 1)..<close)
      return
    }
    guard let equals = line[start..<end].firstIndex(of: UInt8(ascii: "=")), equals > start else {
      self = .other
      return
    }
    var keyEnd = equals
    while KeyFileLine.isSpace(line[keyEnd - 1]) { keyEnd -= 1 }
    var value = equals + 1
    while value < end, KeyFileLine.isSpace(line[value]) { value += 1 }
    self = .keyValue(key: start..<keyEnd, value: value..<end)
  }

  static func isBlank(_ line: [UInt8]) -> Bool { line.allSatisfy(isSpace) }

  /// `g_ascii_isspace`.
  static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (9...13).contains(byte) && byte != 11
  }

  /// Blanks, and what is left of a character that is not UTF-8, over which GLib steps.
  private static func mayFollowGroup(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte & 0xC0 == 0x80
  }

  /// Where a line's terminator starts.
  static func contentEnd(of line: [UInt8]) -> Int {
    guard line.last == UInt8(ascii: "\n") else { return line.count }
    return line.dropLast().last == UInt8(ascii: "\r") ? line.count - 2 : line.count - 1
  }

  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func withoutByteOrderMark(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.starts(with: byteOrderMark) ? bytes[3...] : bytes[...]
  }
}
