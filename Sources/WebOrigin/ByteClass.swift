/// What a byte means to the parser while it looks for the end of an authority.
struct ByteClass: OptionSet {
  let rawValue: UInt16

  /// A slash, backslash, question mark or number sign.
  static let endsAuthority = ByteClass(rawValue: 1 << 0)
  /// C0 controls and space: some are stripped or dropped, the others are forbidden in a host.
  static let blank = ByteClass(rawValue: 1 << 1)
  /// Other code points that are forbidden in a domain: `< > ^ |` and DEL.
  static let forbidden = ByteClass(rawValue: 1 << 2)
  static let at = ByteClass(rawValue: 1 << 3)
  static let colon = ByteClass(rawValue: 1 << 4)
  static let bracket = ByteClass(rawValue: 1 << 5)
  static let percent = ByteClass(rawValue: 1 << 6)
  static let nonASCII = ByteClass(rawValue: 1 << 7)
  static let asterisk = ByteClass(rawValue: 1 << 8)

  /// Source: <https://url.spec.whatwg.org/#forbidden-domain-code-point>.
  static let forbiddenInDomain: ByteClass = [
    .endsAuthority, .blank, .forbidden, .at, .colon, .bracket, .percent,
  ]

  /// What an authority ends at or is divided by.
  static let separators: ByteClass = [.endsAuthority, .at, .colon, .bracket]
}

extension ByteClass {
  init(of byte: UInt8) {
    self.init(rawValue: Self.table[Int(byte)])
  }

  /// Never freed and never written to again.
  nonisolated(unsafe) static let table: UnsafePointer<UInt16> = {
    let table = UnsafeMutablePointer<UInt16>.allocate(capacity: 256)
    for byte in 0...UInt8.max {
      table[Int(byte)] = classify(byte).rawValue
    }
    return UnsafePointer(table)
  }()

  private static func classify(_ byte: UInt8) -> ByteClass {
    switch Unicode.Scalar(byte) {
    case "\0"..." ": .blank
    case "/", "\\", "?", "#": .endsAuthority
    case "<", ">", "^", "|", "\u{7F}": .forbidden
    case "@": .at
    case ":": .colon
    case "[", "]": .bracket
    case "%": .percent
    case "*": .asterisk
    case "\u{80}"...: .nonASCII
    default: []
    }
  }
}
