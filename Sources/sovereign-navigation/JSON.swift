/// A JSON value, for writing; RFC 8259.
indirect enum JSON {
  case string(String)
  case number(Int64)
  case bool(Bool)
  case null
  case array([JSON])
  /// Members stay in order.
  case object([(String, JSON)])

  init(_ strings: [String: String]) {
    self = .object(strings.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
  }

  var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  func append(to text: inout [UInt8]) {
    switch self {
    case .string(let string): Self.quote(string, to: &text)
    case .number(let number): text += String(number).utf8
    case .bool(let bool): text += (bool ? "true" : "false").utf8
    case .null: text += "null".utf8
    case .array(let elements):
      text.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        element.append(to: &text)
      }
      text.append(UInt8(ascii: "]"))
    case .object(let members):
      text.append(UInt8(ascii: "{"))
      for (index, (key, value)) in members.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        Self.quote(key, to: &text)
        text.append(UInt8(ascii: ":"))
        value.append(to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
  }

  private static func quote(_ string: String, to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    var string = string
    string.withUTF8 { bytes in
      var index = 0
      while index < bytes.count {
        switch Unicode.Scalar(bytes[index]) {
        case "\"", "\\": text += [UInt8(ascii: "\\"), bytes[index]]
        case "\n": text += "\\n".utf8
        case "\r": text += "\\r".utf8
        case "\t": text += "\\t".utf8
        // A terminal acts on control characters, C1 among them; JSON allows them to be escaped.
        case ..<" ", "\u{7F}": escape(bytes[index], to: &text)
        case "\u{C2}" where bytes[index + 1] < 0xA0:
          index += 1
          escape(bytes[index], to: &text)
        default: text.append(bytes[index])
        }
        index += 1
      }
    }
    text.append(UInt8(ascii: "\""))
  }

  private static func escape(_ code: UInt8, to text: inout [UInt8]) {
    text += (code < 0x10 ? "\\u000" : "\\u00").utf8
    text += String(code, radix: 16).utf8
  }
}
