internal import CGLib

/// A key file as the desktop specifications mean it, for reading.
///
/// Where a group or key comes twice, GKeyFile merges the groups and takes the last key.
package final class KeyFile {
  private let pointer: OpaquePointer

  /// Parses a whole file.
  package init(parsing bytes: [UInt8]) throws(KeyFileError) {
    guard let file = g_key_file_new() else { throw KeyFileError(reason: "out of memory") }
    pointer = file
    var error: UnsafeMutablePointer<GError>?
    let isLoaded = bytes.withUnsafeBytes { raw in
      // GLib takes a NULL pointer for no data at all and refuses it.
      let start = raw.bindMemory(to: CChar.self).baseAddress
      return start == nil
        ? 1 : g_key_file_load_from_data(file, start, gsize(raw.count), G_KEY_FILE_NONE, &error)
    }
    guard isLoaded != 0 else { throw KeyFileError(taking: error) }
  }

  deinit {
    g_key_file_unref(pointer)
  }

  /// The groups, in the order of the file.
  package var groups: [String] {
    Self.take(g_key_file_get_groups(pointer, nil))
  }

  /// The keys of a group, in the order of the file; localized ones as `Name[de]`.
  package func keys(in group: String) -> [String] {
    Self.take(g_key_file_get_keys(pointer, group, nil, nil))
  }

  package func contains(_ key: String, in group: String) -> Bool {
    g_key_file_has_key(pointer, group, key, nil) != 0
  }

  /// A value with its escapes resolved, or `nil` if it is missing, badly escaped or not UTF-8.
  package func string(_ key: String, in group: String) -> String? {
    Self.take(g_key_file_get_string(pointer, group, key, nil))
  }

  /// A value as it stands in the file.
  package func rawValue(_ key: String, in group: String) -> String? {
    Self.take(g_key_file_get_value(pointer, group, key, nil))
  }

  /// A value in the locale of the process, else the one without a locale.
  package func localizedString(_ key: String, in group: String) -> String? {
    Self.take(g_key_file_get_locale_string(pointer, group, key, nil, nil))
  }

  /// The elements of a list separated by semicolons; empty if the key is missing.
  package func strings(_ key: String, in group: String) -> [String] {
    Self.take(g_key_file_get_string_list(pointer, group, key, nil, nil))
  }

  /// `true` or `false`; `nil` if the key is missing or holds anything else.
  package func boolean(_ key: String, in group: String) -> Bool? {
    var error: UnsafeMutablePointer<GError>?
    let value = g_key_file_get_boolean(pointer, group, key, &error)
    guard error == nil else {
      g_clear_error(&error)
      return nil
    }
    return value != 0
  }

  /// A decimal number; `nil` if the key is missing or holds anything else.
  package func integer(_ key: String, in group: String) -> Int64? {
    var error: UnsafeMutablePointer<GError>?
    let value = g_key_file_get_int64(pointer, group, key, &error)
    guard error == nil else {
      g_clear_error(&error)
      return nil
    }
    return Int64(value)
  }

  private static func take(_ string: UnsafeMutablePointer<CChar>?) -> String? {
    guard let string else { return nil }
    defer { g_free(string) }
    return String(cString: string)
  }

  private static func take(
    _ list: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
  ) -> [String] {
    guard let list else { return [] }
    defer { g_strfreev(list) }
    var strings: [String] = []
    var next = list
    while let string = next.pointee {
      strings.append(String(cString: string))
      next += 1
    }
    return strings
  }
}

/// Why a file is no key file.
package struct KeyFileError: Error, Hashable, Sendable, CustomStringConvertible {
  package let reason: String
  package var description: String { reason }

  init(reason: String) {
    self.reason = reason
  }

  init(taking error: UnsafeMutablePointer<GError>?) {
    var error = error
    defer { g_clear_error(&error) }
    reason = error?.pointee.message.map { String(cString: $0) } ?? "it does not parse"
  }
}
