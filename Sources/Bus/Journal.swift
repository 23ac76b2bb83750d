internal import CSystemd
internal import Glibc

/// Log lines: to the journal where it reads our standard error, otherwise to standard error itself.
///
/// What is logged of a URL is its origin, never a path, query or fragment.
package enum Journal {
  /// Levels of syslog(3).
  package enum Priority: Int32, Sendable {
    case error = 3
    case warning = 4
    case info = 6
  }

  private static let readsStandardError =
    getenv("JOURNAL_STREAM").map { isStream(STDERR_FILENO, String(cString: $0)) } ?? false

  /// Whether a descriptor is the stream that systemd names, by its device and inode; systemd.exec(5).
  /// Programs inherit the variable, and may have been given another standard error.
  static func isStream(_ descriptor: Int32, _ name: String) -> Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && name == "\(status.st_dev):\(status.st_ino)"
  }

  /// Writes one line. `fields` are journal fields such as `MESSAGE_ID`, in upper case.
  package static func log(
    _ priority: Priority, _ message: String, fields: [(String, String)] = []
  ) {
    guard readsStandardError else {
      write("\(message)\n")
      return
    }
    let lines =
      ["MESSAGE=\(message)", "PRIORITY=\(priority.rawValue)"] + fields.map { "\($0)=\($1)" }
    let copies = lines.map(copy)
    defer { for copy in copies { copy.deallocate() } }
    var vectors = copies.map { iovec(iov_base: $0.baseAddress, iov_len: $0.count) }
    if sd_journal_sendv(&vectors, CInt(vectors.count)) < 0 { write("\(message)\n") }
  }

  /// The line's bytes, of which any may be NUL.
  static func copy(_ line: String) -> UnsafeMutableRawBufferPointer {
    let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: line.utf8.count, alignment: 1)
    bytes.copyBytes(from: line.utf8)
    return bytes
  }

  private static func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)[...]
      while !rest.isEmpty, takesMore {
        // A pipe that says so takes as much as this at once; pipe(7).
        let next = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(PIPE_BUF)))
        let count = Glibc.write(STDERR_FILENO, next.baseAddress, next.count)
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// Whether a write would not wait. Others share what our standard error is: `O_NONBLOCK` would be theirs
  /// too.
  private static var takesMore: Bool {
    var request = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    return poll(&request, 1, 0) == 1 && request.revents & Int16(POLLOUT) != 0
  }
}
