internal import Glibc

/// A bus that takes every connection and says nothing, like a daemon that was stopped.
package final class SilentBus {
  package let address: String
  private let socket: Int32

  package init(in directory: TemporaryDirectory) throws {
    let path = directory.path + "/silent"
    address = "unix:path=\(path)"
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &name.sun_path) { buffer in
      buffer.copyBytes(from: path.utf8.prefix(buffer.count - 1))
    }
    let result = withUnsafePointer(to: &name) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0, listen(socket, 16) == 0 else {
      throw SystemError("bind \(path)", errno: errno)
    }
  }

  deinit { close(socket) }

  /// How many connections were made since this was last asked.
  package var connections: Int {
    var count = 0
    while case let connection = accept(socket, nil, nil), connection >= 0 {
      close(connection)
      count += 1
    }
    return count
  }
}
