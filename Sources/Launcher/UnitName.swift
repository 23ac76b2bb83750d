/// The name of the transient unit that an application runs in.
///
/// Source: "Desktop Environment Integration", <https://systemd.io/DESKTOP_ENVIRONMENTS/>. The launcher
/// segment must be alphanumeric for parsers of such names, and the random part goes behind `@`.
package enum UnitName {
  /// The longest unit name that systemd takes, in bytes.
  private static let limit = 255

  /// `app-sovereign-<escaped id>@<random>.service`.
  ///
  /// - Parameters:
  ///   - applicationID: A desktop-file id, with or without `.desktop`.
  ///   - random: What tells two units of one application apart.
  package static func make(applicationID: String, random: UInt64) -> String {
    let suffix = "@\(hexadecimal(random)).service"
    let room = limit - prefix.utf8.count - suffix.utf8.count
    let escaped = escape(stem(of: applicationID))
    guard escaped.utf8.count > room else { return prefix + escaped + suffix }
    // Unescaped bytes are cut, so that no escape sequence is torn.
    let hash = hexadecimal(fnv1a(applicationID))
    var cut = ""
    for byte in stem(of: applicationID).utf8 {
      let next = escape(byte, first: cut.isEmpty)
      guard cut.utf8.count + next.utf8.count + 1 + hash.utf8.count <= room else { break }
      cut += next
    }
    return prefix + cut + "_" + hash + suffix
  }

  /// The application id, without `.desktop`, that a unit's name carries: of a service as
  /// `app[-<launcher>]-<id>[@<random>].service`, of a scope as `app[-<launcher>]-<id>-<random>.scope`, of
  /// what dbus-broker started as `dbus-:<number>-<id>@<number>.service`.
  package static func applicationID(ofUnit name: String) -> String? {
    guard name.hasPrefix("app-") || name.hasPrefix("dbus-:") else { return nil }
    var parts: [Substring]
    if name.hasSuffix(".service") {
      let stem = name.dropLast(".service".count)
      let instance = stem.firstIndex(of: "@") ?? stem.endIndex
      parts = stem[..<instance].split(separator: "-", omittingEmptySubsequences: false)
    } else if name.hasSuffix(".scope") {
      parts = name.dropLast(".scope".count).split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count > 2 else { return nil }
      parts.removeLast()
    } else {
      return nil
    }
    guard (2...3).contains(parts.count), let id = parts.last else { return nil }
    return unescape(id)
  }

  private static let prefix = "app-sovereign-"

  private static func stem(of id: String) -> String {
    id.hasSuffix(".desktop") ? String(id.dropLast(".desktop".count)) : id
  }

  private static func escape(_ text: String) -> String {
    var escaped = ""
    for byte in text.utf8 { escaped += escape(byte, first: escaped.isEmpty) }
    return escaped
  }

  private static func escape(_ byte: UInt8, first: Bool) -> String {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"):
      return String(UnicodeScalar(byte))
    case UInt8(ascii: ".") where !first:
      return "."
    default:
      let digits = String(byte, radix: 16)
      return "\\x" + (digits.count == 1 ? "0" : "") + digits
    }
  }

  private static func unescape(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = Substring(text).utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x") {
        guard rest.count > 2, let value = UInt8(Substring(rest.dropFirst().prefix(2)), radix: 16)
        else { return nil }
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  private static func fnv1a(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
