internal import Files

/// A file of settings that is nearly a key file.
///
/// KDE's have keys such as `a[$e]` and groups such as `[a][b]`, and Xfce's have no group at all; all
/// of these are errors to GKeyFile.
struct LooseSettings {
  private let lines: [Substring]

  init?(_ path: String) {
    guard let bytes = try? DurableFile(path: path).read(limit: 1 << 20) else { return nil }
    lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
  }

  /// The value of a key in a group, or before the first group; `nil` if it is empty or missing.
  func value(of key: String, in group: String?) -> String? {
    var current: String?
    for line in lines {
      let line = line.trimmed
      if line.hasPrefix("["), line.hasSuffix("]") {
        current = String(line.dropFirst().dropLast())
        continue
      }
      guard current == group, let equals = line.firstIndex(of: "=") else { continue }
      // `[$i]` locks a key and `[$e]` has it expanded.
      let name = line[..<equals].prefix { $0 != "[" }.trimmed
      let value = line[line.index(after: equals)...].trimmed
      if name == key, !value.isEmpty { return String(value) }
    }
    return nil
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var trimmed = drop(while: \.isWhitespace)
    while trimmed.last?.isWhitespace ?? false { trimmed.removeLast() }
    return trimmed
  }
}
