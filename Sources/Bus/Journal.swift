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

  private static let readsStandardError = getenv("JOURNAL_STREAM") != nil

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
    var vectors = lines.map { line in
      let count = line.utf8.count
      return iovec(iov_base: strdup(line), iov_len: count)
    }
    defer { for vector in vectors { free(vector.iov_base) } }
    if sd_journal_sendv(&vectors, CInt(vectors.count)) < 0 { write("\(message)\n") }
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
