internal import Glibc

/// A dbus-daemon of a test's own; it ends with this object at the latest.
package final class PrivateBus {
  package let address: String
  private let daemon: Child

  /// The address of the bus that is, or will be, started in a directory.
  package static func address(in directory: TemporaryDirectory) -> String {
    "unix:path=\(directory.path)/bus"
  }

  /// Starts it in a directory, with the activation files of another.
  package init(
    in directory: TemporaryDirectory, services: String, environment: [String: String]
  ) throws {
    let socket = directory.path + "/bus"
    let tool = #filePath.replacing("TestSupport/PrivateBus.swift", with: "tools/bus-config")
    let configuration = try Child([tool, socket, services], environment: environment)
    try writeFile(socket + ".conf", configuration.wait().output)
    address = Self.address(in: directory)
    daemon = try Child(
      [
        "dbus-daemon", "--config-file=\(socket).conf", "--nofork", "--nopidfile", "--print-address",
      ], environment: environment)
    // The socket is there before anybody listens; the address is printed after that.
    guard poll({ [daemon] in daemon.output.isEmpty ? nil : true }) != nil else {
      throw SessionError("dbus-daemon did not start")
    }
  }

  /// What the bus and the services that it started have written to standard error.
  var errors: String { String(decoding: daemon.errors, as: UTF8.self) }

  /// Ends it, as a logout does, and waits until it has ended.
  package func end() throws {
    daemon.signal(SIGTERM)
    _ = try daemon.wait()
  }

  /// Keeps it from answering.
  package func pause() {
    daemon.signal(SIGSTOP)
  }

  package func kill() {
    daemon.signal(SIGKILL)
  }
}
