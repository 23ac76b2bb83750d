/// Text that systemd writes into the file of a transient unit as it comes, `Description` and
/// `WorkingDirectory`; all else that it is sent it escapes. When the manager is reloaded it reads the file
/// again: there, LF and CR begin another setting, and a backslash at the end takes in the next line.
enum UnitText {
  /// Whether the file gives back the text itself.
  static func isKept(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { !isControl($0) } && text.utf8.last != UInt8(ascii: "\\")
  }

  /// The text with a space for each control character, and one behind a backslash at its end.
  static func line(_ text: String) -> String {
    var line = ""
    for scalar in text.unicodeScalars {
      line.unicodeScalars.append(isControl(scalar) ? " " : scalar)
    }
    return line.utf8.last == UInt8(ascii: "\\") ? line + " " : line
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .control
  }
}
