internal import CJansson

/// A value of a JSON text, for as long as the text's document lives. Jansson parses.
struct JSONValue {
  private let pointer: UnsafeMutablePointer<json_t>

  /// Parses a text and hands its value to `body`.
  ///
  /// A key that an object has twice, a lone surrogate and a number out of range are refused, too.
  static func parse<Result>(
    _ text: [UInt8], _ body: (JSONValue) throws(ShellStoreError) -> Result
  ) throws(ShellStoreError) -> Result {
    var error = json_error_t()
    let root = text.withUnsafeBytes { bytes in
      json_loadb(
        bytes.baseAddress, bytes.count, Int(JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL), &error)
    }
    // Jansson's own words repeat the text, and that is no matter for a log.
    guard let root else { throw .notJSON(line: Int(error.line)) }
    defer { json_decref(root) }
    return try body(JSONValue(pointer: root))
  }

  var isNull: Bool { pointer.pointee.type == JSON_NULL }

  var string: String? {
    guard let start = json_string_value(pointer) else { return nil }
    let bytes = UnsafeRawBufferPointer(start: start, count: json_string_length(pointer))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The number without its fraction, if it is one that fits.
  var integer: Int64? {
    switch pointer.pointee.type {
    case JSON_INTEGER: Int64(json_integer_value(pointer))
    case JSON_REAL: Int64(exactly: json_real_value(pointer).rounded(.towardZero))
    default: nil
    }
  }

  var elements: [JSONValue]? {
    guard pointer.pointee.type == JSON_ARRAY else { return nil }
    return (0..<json_array_size(pointer)).compactMap { index in
      json_array_get(pointer, index).map(JSONValue.init)
    }
  }

  /// The keys of an object, in the order of the text.
  var keys: [String]? {
    guard pointer.pointee.type == JSON_OBJECT else { return nil }
    var keys: [String] = []
    var next = json_object_iter(pointer)
    while let iterator = next {
      if let key = json_object_iter_key(iterator) { keys.append(String(cString: key)) }
      next = json_object_iter_next(pointer, iterator)
    }
    return keys
  }

  subscript(key: String) -> JSONValue? { json_object_get(pointer, key).map(JSONValue.init) }
}
