internal import CGLib

/// A key file, read as GLib reads it: the format of the Desktop Entry Specification.
///
/// Groups of one name are merged and the last of several equal keys counts. The bytes must be UTF-8
/// without NUL, and lines may end in CR LF. Values are kept undecoded, so that one bad value spoils
/// only itself. The corresponding C type is `GKeyFile`.
package struct KeyFile: ~Copyable {
  private let pointer: OpaquePointer

  package init(parsing bytes: [UInt8]) throws(KeyFileError) {
    pointer = try KeyFile.load(bytes[...])
  }

  /// Reads a file that is ours alone, where an editor may have put a byte order mark in front. GLib
  /// refuses those, and so does the desktop.
  package init(parsingWithMark bytes: [UInt8]) throws(KeyFileError) {
    pointer = try KeyFile.load(KeyFileLine.withoutByteOrderMark(bytes))
  }

  deinit {
    g_key_file_unref(pointer)
  }

  /// The names of all groups, in the order of their first appearance.
  package var groups: [String] {
    var count: gsize = 0
    return KeyFile.adopt(g_key_file_get_groups(pointer, &count), count)
  }

  /// The names of all keys of `group`, translated ones included.
  package func keys(in group: String) -> [String] {
    var count: gsize = 0
    return KeyFile.adopt(g_key_file_get_keys(pointer, group, &count, nil), count)
  }

  package func hasGroup(_ group: String) -> Bool {
    g_key_file_has_group(pointer, group) != 0
  }

  /// The value with its escapes resolved, or `nil` if there is none or it is not UTF-8.
  ///
  /// An escape the specification does not know stays as it is: entries in the wild write `\"` in
  /// `Exec`.
  package func string(_ key: String, in group: String) -> String? {
    // g_key_file_get_string() does so in GLib 2.74, and gives no such value in 2.84.
    rawValue(key, in: group).map(KeyFile.resolvingEscapes)
  }

  /// The value as it is written, trailing white space included.
  package func rawValue(_ key: String, in group: String) -> String? {
    KeyFile.adopt(g_key_file_get_value(pointer, group, key, nil))
  }

  /// The value in the first of `locales` that has one, else the untranslated one.
  ///
  /// `locales` are those of the `LANGUAGE` list or of `LC_MESSAGES`, the most wanted first; each
  /// stands for its less specific forms too.
  package func localizedString(_ key: String, in group: String, locales: [String]) -> String? {
    for locale in locales {
      guard let list = g_get_locale_variants(locale) else { continue }
      defer { g_strfreev(list) }
      var next = list
      while let variant = next.pointee {
        if let value = string("\(key)[\(String(cString: variant))]", in: group) { return value }
        next += 1
      }
    }
    return string(key, in: group)
  }

  /// The elements of a list separated by semicolons, each with its escapes resolved.
  package func stringList(_ key: String, in group: String) -> [String]? {
    var count: gsize = 0
    guard let list = g_key_file_get_string_list(pointer, group, key, &count, nil) else {
      return nil
    }
    return KeyFile.adopt(list, count)
  }

  /// The value, if it is `true` or `false` (or `1` or `0`, as old files have it).
  package func boolean(_ key: String, in group: String) -> Bool? {
    var error: UnsafeMutablePointer<GError>?
    let value = g_key_file_get_boolean(pointer, group, key, &error) != 0
    defer { g_clear_error(&error) }
    return error == nil ? value : nil
  }

  /// The value, if it is a decimal number that fits.
  package func int64(_ key: String, in group: String) -> Int64? {
    // g_key_file_get_int64() clamps what does not fit.
    guard let value = rawValue(key, in: group) else { return nil }
    var digits = value.utf8[...]
    while let last = digits.last, KeyFileLine.isSpace(last) { digits.removeLast() }
    return Int64(String(digits) ?? "")
  }

  private static func resolvingEscapes(in value: String) -> String {
    guard value.utf8.contains(UInt8(ascii: "\\")) else { return value }
    var bytes: [UInt8] = []
    var rest = value.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "s"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "n"): bytes.append(UInt8(ascii: "\n"))
      case UInt8(ascii: "t"): bytes.append(UInt8(ascii: "\t"))
      case UInt8(ascii: "r"): bytes.append(UInt8(ascii: "\r"))
      case byte: bytes.append(byte)
      case let unknown?: bytes += [byte, unknown]
      case nil: break
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func load(_ text: ArraySlice<UInt8>) throws(KeyFileError) -> OpaquePointer {
    // GLib stops at a NUL in some places and not in others.
    guard !text.contains(0) else { throw KeyFileError(reason: "it contains a NUL byte") }
    let pointer: OpaquePointer = g_key_file_new()
    var error: UnsafeMutablePointer<GError>?
    let isLoaded = text.withUnsafeBytes { buffer in
      // An empty file is a valid one, and GLib does not take a null pointer for it.
      guard let base = buffer.baseAddress else { return true }
      return g_key_file_load_from_data(
        pointer, base.assumingMemoryBound(to: CChar.self), gsize(buffer.count),
        G_KEY_FILE_KEEP_TRANSLATIONS, &error) != 0
    }
    guard isLoaded else {
      defer { g_clear_error(&error) }
      g_key_file_unref(pointer)
      throw KeyFileError(reason: reason(UInt32(bitPattern: error?.pointee.code ?? -1), text))
    }
    return pointer
  }

  /// Why GLib does not load a text, without its message, which repeats the line.
  private static func reason(_ code: UInt32, _ text: ArraySlice<UInt8>) -> String {
    guard code != G_KEY_FILE_ERROR_UNKNOWN_ENCODING.rawValue else {
      return "it says that it is not in UTF-8"
    }
    let isHeadless = code == G_KEY_FILE_ERROR_GROUP_NOT_FOUND.rawValue
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      guard let first = line.first(where: { !KeyFileLine.isSpace($0) }), first != UInt8(ascii: "#")
      else { continue }
      if isHeadless { return "line \(index + 1) is in no group" }
      if !isValid(line) {
        return "line \(index + 1) is neither a group, a key with a value nor a comment"
      }
    }
    return "one of its lines is neither a group, a key with a value nor a comment"
  }

  /// Whether GLib takes a line where a group is before it.
  private static func isValid(_ line: ArraySlice<UInt8>) -> Bool {
    let pointer: OpaquePointer = g_key_file_new()
    defer { g_key_file_unref(pointer) }
    var error: UnsafeMutablePointer<GError>?
    defer { g_clear_error(&error) }
    let text = Array("[g]\n".utf8) + line
    _ = text.withUnsafeBytes { buffer in
      g_key_file_load_from_data(
        pointer, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), gsize(buffer.count),
        G_KEY_FILE_KEEP_TRANSLATIONS, &error)
    }
    return error?.pointee.code != gint(bitPattern: G_KEY_FILE_ERROR_PARSE.rawValue)
  }

  private static func adopt(_ string: UnsafeMutablePointer<CChar>?) -> String? {
    guard let string else { return nil }
    defer { g_free(string) }
    return String(validatingCString: string)
  }

  private static func adopt(
    _ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, _ count: gsize
  ) -> [String] {
    guard let list else { return [] }
    defer { g_strfreev(list) }
    return (0..<Int(count)).compactMap { index in list[index].map { String(cString: $0) } }
  }
}
