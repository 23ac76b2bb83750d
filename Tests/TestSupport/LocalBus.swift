package import Bus
internal import CSystemd

/// A bus of one test's own, which is nobody's session bus: such tests run side by side.
package final class LocalBus {
  private let directory: TemporaryDirectory
  private let bus: PrivateBus

  /// - Parameter matchRules: How many each connection may have.
  package init(matchRules: Int = 50_000) throws {
    directory = try TemporaryDirectory()
    bus = try PrivateBus(
      in: directory, services: directory.path,
      environment: ["PATH": "/usr/bin:/bin", "MATCH_RULES": "\(matchRules)"])
  }

  package var address: String { bus.address }

  /// Keeps it from answering.
  package func pause() { bus.pause() }

  /// Makes `command` what the bus runs to start the owner of `name`.
  package func addService(_ name: String, command: String) throws {
    try writeFile(
      "\(directory.path)/\(name).service", "[D-BUS Service]\nName=\(name)\nExec=\(command)\n")
  }

  package func connect() throws -> Connection {
    var pointer: OpaquePointer?
    var result = sd_bus_new(&pointer)
    guard result >= 0, let pointer else { throw SystemError("sd_bus_new", errno: -result) }
    let connection = Connection(adopting: pointer)
    result = sd_bus_set_address(pointer, address)
    guard result >= 0 else { throw SystemError("sd_bus_set_address", errno: -result) }
    sd_bus_set_bus_client(pointer, 1)
    result = sd_bus_start(pointer)
    guard result >= 0 else { throw SystemError("sd_bus_start", errno: -result) }
    return connection
  }
}
