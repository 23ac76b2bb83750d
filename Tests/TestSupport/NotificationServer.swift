internal import Bus
internal import Synchronization

/// A notification server on the session bus that keeps what it is to show.
package final class NotificationServer {
  package static let name = "org.freedesktop.Notifications"
  private static let path = "/org/freedesktop/Notifications"

  package struct Notification: Hashable, Sendable {
    package let application: String
    package let icon: String
    package let summary: String
    package let body: String
    package let desktopEntry: String
  }

  private let record = Record()
  private let service: FakeService

  package init() throws {
    service = try FakeService(Self.name, at: Self.path) { [record] call throws(BusError) in
      guard call.isCall(of: "Notify", in: "org.freedesktop.Notifications") else {
        return try call.makeReturn().send()
      }
      let application = try call.readString()
      _ = try call.readUInt32()
      let icon = try call.readString()
      let summary = try call.readString()
      let body = try call.readString()
      _ = try call.readStrings()
      guard case .string(let entry)? = try call.readOptions()["desktop-entry"] else {
        throw BusError(name: BusError.invalidArguments, message: "no desktop-entry")
      }
      _ = try call.readInt32()
      let notification = Notification(
        application: application, icon: icon, summary: summary, body: body, desktopEntry: entry)
      let number = record.add(notification)
      let reply = try call.makeReturn()
      try reply.append(number)
      try reply.send()
    }
  }

  /// All that was sent to it before this call: the bus keeps the order.
  package var notifications: [Notification] {
    get throws {
      let connection = try Connection()
      let call = try connection.makeCall(
        to: Self.name, path: Self.path, interface: Self.name, member: "GetCapabilities")
      _ = try connection.call(call)
      return record.all
    }
  }

  package func end() throws { try service.end() }

  private final class Record: Sendable {
    private let shown = Mutex<[Notification]>([])

    var all: [Notification] { shown.withLock(\.self) }

    func add(_ notification: Notification) -> UInt32 {
      shown.withLock { shown in
        shown.append(notification)
        return UInt32(shown.count)
      }
    }
  }
}
