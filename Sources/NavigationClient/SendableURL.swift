internal import Bus
internal import Navigation

extension String {
  /// A URL, or what a person types for one, as it can be sent.
  ///
  /// A D-Bus string holds no NUL, and libsystemd takes no noncharacter. Escaped they mean the same, except
  /// for NUL at the ends, where the parser drops it and every other control character or space. One that is
  /// too long, or becomes that, is cut behind the limit: it still is too long, and the call is not.
  package var sendableURL: String {
    let isTooLong = utf8.count > Limits.length
    // In UTF-8 no noncharacter begins with a lower byte.
    guard isTooLong || utf8.contains(where: { $0 == 0 || $0 >= 0xEF }),
      isTooLong || unicodeScalars.contains(where: \.isUnsendable)
    else { return self }
    var scalars = unicodeScalars[...]
    if !isTooLong {
      while let first = scalars.first, first.value <= 0x20 { scalars.removeFirst() }
      while let last = scalars.last, last.value <= 0x20 { scalars.removeLast() }
      // Not empty, which is more than blank to SetActive.
      if scalars.isEmpty { return " " }
    }
    var escaped = ""
    for scalar in scalars {
      if scalar.isUnsendable {
        escaped += scalar.percentEncoded
      } else {
        escaped.unicodeScalars.append(scalar)
      }
      if escaped.utf8.count > Limits.length { break }
    }
    return escaped
  }
}

extension Unicode.Scalar {
  fileprivate var isUnsendable: Bool { value == 0 || isNoncharacter }

  fileprivate var percentEncoded: String {
    String(self).utf8.map { byte in
      (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
