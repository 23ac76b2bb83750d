extension String {
  /// The text with `replacement` in the place of each Unicode noncharacter, such as U+FFFE.
  package func replacingNoncharacters(with replacement: String) -> String {
    // In UTF-8 none begins with a lower byte.
    guard utf8.contains(where: { $0 >= 0xEF }),
      unicodeScalars.contains(where: \.isNoncharacter)
    else { return self }
    return unicodeScalars.map { $0.isNoncharacter ? replacement : String($0) }.joined()
  }
}

extension Unicode.Scalar {
  /// Whether it is one of the 66 that stand for nothing; the Unicode Standard, 23.7.
  package var isNoncharacter: Bool {
    (0xFDD0...0xFDEF).contains(value) || value & 0xFFFE == 0xFFFE
  }
}
