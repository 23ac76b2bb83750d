internal import Glibc

/// Where the user's session bus is.
enum SessionBus {
  /// Its address, from the environment as sd_bus_open_user(3) takes it.
  ///
  /// - Parameter doing: What cannot be done where no variable tells it.
  static func address(_ doing: String) throws(BusError) -> String {
    if let address = getenv("DBUS_SESSION_BUS_ADDRESS") { return String(cString: address) }
    guard let directory = getenv("XDG_RUNTIME_DIR") else {
      throw BusError(negativeErrno: -ENOMEDIUM, doing: doing)
    }
    return "unix:path=" + escape(directory) + "/bus"
  }

  /// As a value in an address, of bytes. D-Bus Specification, "Server Addresses".
  private static func escape(_ value: UnsafePointer<CChar>) -> String {
    var escaped = ""
    for byte in UnsafeBufferPointer(start: value, count: strlen(value)).map(UInt8.init(bitPattern:))
    {
      if isalnum(Int32(byte)) != 0 || "_-/.".utf8.contains(byte) {
        escaped.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        escaped += byte < 16 ? "%0" : "%"
        escaped += String(byte, radix: 16)
      }
    }
    return escaped
  }
}
