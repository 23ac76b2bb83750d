internal import CSystemd
internal import Glibc

/// What went wrong on the bus: a D-Bus error name and a sentence for a person.
package struct BusError: Error, Hashable, CustomStringConvertible {
  /// The D-Bus error name, such as `org.freedesktop.DBus.Error.ServiceUnknown`.
  package let name: String
  /// What happened, in words.
  package let message: String

  package init(name: String, message: String) {
    self.name = name
    self.message = message
  }

  package var description: String { "\(message) (\(name))" }
}

extension BusError {
  package static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
  package static let noReply = "org.freedesktop.DBus.Error.NoReply"

  /// Names that a bus answers with when nobody owns the destination and nothing can start it.
  package var isDestinationMissing: Bool {
    name == "org.freedesktop.DBus.Error.ServiceUnknown"
      || name == "org.freedesktop.DBus.Error.NameHasNoOwner"
  }

  /// Whether libsystemd gave up waiting, rather than the peer.
  package var isTimeout: Bool {
    name == Self.timeout || (name == Self.noReply && message == "Method call timed out")
  }

  /// Whether the connection broke off, which leaves open what became of what was sent.
  package var isDisconnection: Bool {
    // What libsystemd makes of ECONNRESET and the like, of EPIPE and of ENOTCONN.
    name == "org.freedesktop.DBus.Error.Disconnected" || name == "System.Error.EPIPE"
      || name == "System.Error.ENOTCONN"
  }

  /// Of a file that may not be looked at.
  package var isAccessDenied: Bool { name == "org.freedesktop.DBus.Error.AccessDenied" }

  /// What a reply counts as that comes from neither the peer that was asked nor the bus: libsystemd takes
  /// anybody's that names the call, and the numbers of calls can be guessed.
  package static let forged = BusError(name: noReply, message: "another peer answered instead")

  package static let noncharacter = BusError(
    name: invalidArguments,
    message: "a string holds a Unicode noncharacter such as U+FFFE; percent-encode it")

  private static let timeout = "org.freedesktop.DBus.Error.Timeout"

  /// The error for a negative errno, as libsystemd returns it.
  package init(negativeErrno code: CInt, doing what: String) {
    var error = sd_bus_error()
    defer { sd_bus_error_free(&error) }
    sd_bus_error_set_errno(&error, code)
    self.init(
      name: error.name.map { String(cString: $0) } ?? "org.freedesktop.DBus.Error.Failed",
      message: "\(what): \(String(cString: strerror(-code)))")
  }

  /// Writes the error to where libsystemd keeps one, an `sd_bus_error`. sd_bus_error_set(3).
  ///
  /// - Returns: The negative errno that belongs to it.
  @discardableResult
  package func write(to place: UnsafeMutableRawPointer?) -> CInt {
    // A reply with a noncharacter is not sent, and nobody is told.
    sd_bus_error_set(
      place?.assumingMemoryBound(to: sd_bus_error.self), name,
      message.replacingNoncharacters(with: "\u{FFFD}"))
  }

  init(copying error: borrowing sd_bus_error) {
    self.init(
      name: error.name.map { String(cString: $0) } ?? "org.freedesktop.DBus.Error.Failed",
      message: error.message.map { String(cString: $0) } ?? "the peer gave no reason")
  }
}

/// Turns libsystemd's convention, a negative errno on failure, into a thrown error.
@discardableResult
func check(_ result: CInt, _ what: @autoclosure () -> String) throws(BusError) -> CInt {
  guard result >= 0 else { throw BusError(negativeErrno: result, doing: what()) }
  return result
}
