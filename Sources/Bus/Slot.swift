internal import CSystemd

/// The subscription behind a callback: it ends when this value does.
package final class Slot {
  private let pointer: OpaquePointer

  init(adopting pointer: OpaquePointer) {
    self.pointer = pointer
  }

  /// Leaves the callback to the connection, which keeps it until it has run.
  func float() {
    sd_bus_slot_set_floating(pointer, 1)
  }

  deinit {
    sd_bus_slot_unref(pointer)
  }
}

/// A closure that libsystemd carries as user data.
final class Callback<Input, Output> where Input: ~Copyable {
  let run: (borrowing Input) -> Output

  init(_ run: @escaping (borrowing Input) -> Output) {
    self.run = run
  }

  static func from(_ userdata: UnsafeMutableRawPointer?) -> Callback? {
    userdata.map { Unmanaged<Callback>.fromOpaque($0).takeUnretainedValue() }
  }

  /// A reference that `release` gives back.
  var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }
}

/// What libsystemd made of a callback; one that it did not take is given back.
func kept(
  _ pointer: OpaquePointer?, _ result: CInt, _ userdata: UnsafeMutableRawPointer, _ what: String
) throws(BusError) -> OpaquePointer {
  guard result >= 0, let pointer else {
    releaseCallback(userdata)
    throw BusError(negativeErrno: result, doing: what)
  }
  return pointer
}

/// Gives back what `Callback.retained` took; a C function that fits every destroy callback.
func releaseCallback(_ userdata: UnsafeMutableRawPointer?) {
  guard let userdata else { return }
  Unmanaged<AnyObject>.fromOpaque(userdata).release()
}
