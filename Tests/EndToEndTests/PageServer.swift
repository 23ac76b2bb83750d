import Glibc
import Synchronization
import TestSupport

/// A web server on loopback that gives every request the same answer, and notes what was asked.
///
/// By default that is a page which asks for `/seen?` and its own address, fragment included,
/// percent-encoded.
final class PageServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let response: [UInt8]?
  private let seen = Mutex<[String]>([])

  /// The targets of all requests so far, as they were on the wire.
  var targets: [String] { seen.withLock { $0 } }

  /// - Parameter response: All bytes of the answer; with `nil`, there is none, and nothing is closed
  ///   before the other side closes.
  init(response: [UInt8]? = PageServer.page) throws {
    self.response = response
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutableBytes(of: &address) { bytes -> Int32 in
      guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else {
        return -1
      }
      guard bind(listener, pointer, size) == 0, listen(listener, 16) == 0 else { return -1 }
      return getsockname(listener, pointer, &size)
    }
    guard result == 0 else { throw SystemError("listen on loopback") }
    port = UInt16(bigEndian: address.sin_port)

    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { server in
        if let server { Unmanaged<PageServer>.fromOpaque(server).takeRetainedValue().serve() }
        return nil
      }, Unmanaged.passRetained(self).toOpaque())
    pthread_detach(thread)
  }

  /// Stops serving, and lets go of the object.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  deinit { close(listener) }

  private func serve() {
    while case let connection = accept(listener, nil, nil), connection >= 0 {
      answer(connection)
      close(connection)
    }
  }

  private func answer(_ connection: Int32) {
    // A browser also opens connections ahead of time, on which it asks nothing.
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(
      connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var request: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while request.suffix(4) != Array("\r\n\r\n".utf8)[...] {
      let count = recv(connection, &chunk, chunk.count, 0)
      guard count > 0 else { return }
      request += chunk[..<count]
    }
    let line = String(decoding: request.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    seen.withLock { $0.append(line.split(separator: " ").dropFirst().first.map(String.init) ?? "") }
    guard let response else {
      while recv(connection, &chunk, chunk.count, 0) > 0 || errno == EAGAIN {}
      return
    }
    var rest = response[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private static let page = response(
    "200 OK", type: "text/html",
    "<script>fetch('/seen?' + encodeURIComponent(location.href))</script>")

  static func response(
    _ status: String, type: String = "application/json", header: String = "", _ body: String
  ) -> [UInt8] {
    Array(
      ("HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
        + "\(header)Connection: close\r\n\r\n\(body)").utf8)
  }
}
