package import Bus
internal import CSystemd

/// Makes a call of the service that carries a file descriptor, as a program that may send some.
///
/// - Returns: The error that answers it.
package func callWithDescriptor(_ member: String) throws -> BusError? {
  var pointer: OpaquePointer?
  var result = sd_bus_open_user(&pointer)
  guard result >= 0, let pointer else { throw SystemError("sd_bus_open_user", errno: -result) }
  let connection = Connection(adopting: pointer)
  let call = try connection.makeCall(
    to: "fs.sovereign.Navigation", path: "/fs/sovereign/Navigation",
    interface: "fs.sovereign.Navigation", member: member)
  var descriptor: Int32 = 0
  result = sd_bus_message_append_basic(
    call.pointer, CChar(bitPattern: UInt8(ascii: "h")), &descriptor)
  guard result >= 0 else { throw SystemError("sd_bus_message_append_basic", errno: -result) }
  do throws(BusError) {
    _ = try connection.call(call)
    return nil
  } catch {
    return error
  }
}
