/// A value of a type that this program sends or understands inside a D-Bus variant.
package enum Variant: Hashable, Sendable {
  case string(String)
  case bool(Bool)
  case int32(Int32)
  case int64(Int64)
  case uint32(UInt32)
  case strings([String])
  case stringDictionary([String: String])
  /// systemd's `ExecStartEx`.
  case commands([Command])
  /// A value of another type; it was skipped.
  case other(signature: String)

  /// One command line of a systemd unit, each argument taken literally.
  package struct Command: Hashable, Sendable {
    package let program: String
    package let arguments: [String]
    package let flags: [String]

    package init(program: String, arguments: [String], flags: [String]) {
      self.program = program
      self.arguments = arguments
      self.flags = flags
    }
  }

  package var signature: String {
    switch self {
    case .string: "s"
    case .bool: "b"
    case .int32: "i"
    case .int64: "x"
    case .uint32: "u"
    case .strings: "as"
    case .stringDictionary: "a{ss}"
    case .commands: "a(sasas)"
    case .other(let signature): signature
    }
  }
}
