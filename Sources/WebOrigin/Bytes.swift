typealias Bytes = UnsafeBufferPointer<UInt8>

extension UInt8 {
  package var isASCIIDigit: Bool { self &- 0x30 < 10 }

  package var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

  /// Whether it may stand in a scheme, behind the letter that it begins with.
  package var continuesScheme: Bool {
    switch Unicode.Scalar(self) {
    case "a"..."z", "A"..."Z", "0"..."9", "+", "-", ".": true
    default: false
    }
  }

  package var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  var hexadecimalValue: UInt8? {
    if isASCIIDigit { return self &- 0x30 }
    let letter = (self | 0x20) &- 0x61
    return letter < 6 ? letter + 10 : nil
  }

  /// TAB, LF and CR, which the URL parser drops wherever they stand.
  var isTabOrNewline: Bool { self == 0x09 || self == 0x0A || self == 0x0D }

  /// What the URL parser strips from both ends.
  package var isC0ControlOrSpace: Bool { self <= 0x20 }
}

extension UnsafeBufferPointer<UInt8> {
  package subscript(part range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: self[range])
  }

  /// Eight bytes, the first the lowest.
  @inline(__always)
  func word(at offset: Int) -> UInt64 {
    UnsafeRawBufferPointer(self).loadUnaligned(fromByteOffset: offset, as: UInt64.self).littleEndian
  }

  /// Eight bytes in lower case, of what has bit 0x20 set but for capital letters: letters, digits,
  /// and the punctuation of scheme and host.
  @inline(__always)
  func lowercasedWord(at offset: Int) -> UInt64 {
    word(at: offset) | 0x2020_2020_2020_2020
  }

  /// Whether the authority of a special URL that reaches this far ends here.
  @inline(__always)
  func endsAuthority(at index: Int) -> Bool {
    guard index < count else { return true }
    let byte = self[index]
    // Slash, question mark and number sign; no jump table.
    let among: UInt64 = 1 << 0x2F | 1 << 0x3F | 1 << 0x23
    return byte < 64 && among &>> UInt64(byte) & 1 == 1 || byte == UInt8(ascii: "\\")
  }

  /// Whether a part of `text`, if it is no shorter than a word, stands here up to the end of the
  /// authority.
  func begins(with text: Self, from start: Int, to end: Int) -> Bool {
    let length = end - start
    guard length >= 8, count >= length, endsAuthority(at: length) else { return false }
    // The last words first, for there origins differ.
    let last = length - 8
    for offset in stride(from: last, to: 0, by: -8)
    where word(at: offset) != text.word(at: start + offset) { return false }
    return word(at: 0) == text.word(at: start)
  }

  /// Compares with an ASCII string in lower case.
  package func equalsIgnoringCase(_ lowercase: StaticString) -> Bool {
    guard count == lowercase.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index].lowercased != lowercase.utf8Start[index] {
      return false
    }
    return true
  }
}
