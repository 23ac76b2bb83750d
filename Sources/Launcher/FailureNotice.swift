package import Bus
package import Navigation
internal import WebOrigin

/// Tells the user on the desktop that something was not opened, where nothing else would.
///
/// Notifications are kept, and seen by others than the user: of a link they name the host alone.
package struct FailureNotice: Hashable, Sendable {
  let summary: String
  let body: String

  /// - Parameters:
  ///   - link: `nil` where an application was to start with nothing to open.
  ///   - reason: Why, without any part of the link.
  package init(of link: Decision?, reason: String) {
    let host = link?.origin?.host ?? link?.instance?.origin.host
    summary =
      if link == nil {
        "The application did not start"
      } else if let host {
        "The link to \(host) was not opened"
      } else {
        "The link was not opened"
      }
    body = reason
  }

  /// The call that shows it. org.freedesktop.Notifications, Desktop Notifications Specification 1.2.
  package func makeCall(on connection: Connection) throws(BusError) -> Message {
    let name = "org.freedesktop.Notifications"
    let call = try connection.makeCall(
      to: name, path: "/org/freedesktop/Notifications", interface: name, member: "Notify")
    try call.append("Sovereign Navigation")
    try call.append(0 as UInt32)
    try call.append("fs.sovereign.Navigation")
    try call.append(summary)
    try call.append(Self.escape(body))
    try call.append([] as [String])
    try call.append(options: [("desktop-entry", .string("fs.sovereign.Navigation"))])
    try call.append(-1 as Int32)
    return call
  }

  /// A body may be read as markup.
  private static func escape(_ text: String) -> String {
    text.map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      default: String(character)
      }
    }.joined()
  }
}
