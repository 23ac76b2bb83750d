import Files
import Glibc

/// The copies of broken preference files, `navigation.conf.broken-20261130T051552.123Z`.
struct BrokenCopies {
  /// The file that was broken.
  let path: String

  /// How many are kept.
  private static let maximumCount = 5

  /// Keeps a copy, unless there is one of the same content, and removes all but the newest.
  ///
  /// - Returns: The path of the copy.
  func keep(_ bytes: [UInt8], now: Int64) throws(FileError) -> String {
    let copies = self.copies
    for copy in copies where (try? copy.read(limit: bytes.count)) == bytes { return copy.path }

    var time = now
    while copies.contains(where: { $0.path == name(at: time) }) { time += 1 }
    let copy = DurableFile(path: name(at: time))
    try copy.replace(with: bytes)
    for old in copies.dropLast(Self.maximumCount - 1) { try? old.remove() }
    return copy.path
  }

  /// The oldest first.
  fileprivate var copies: [DurableFile] {
    let pattern = name(at: 0)
    return fileNames(in: parent(of: path)).map { "\(parent(of: path))/\($0)" }
      .filter { candidate in
        candidate.utf8.count == pattern.utf8.count
          && zip(candidate.utf8, pattern.utf8).allSatisfy { byte, expected in
            byte == expected || isDigit(byte) && isDigit(expected)
          }
      }
      .sorted().map(DurableFile.init(path:))
  }

  private func name(at milliseconds: Int64) -> String {
    "\(path).broken-\(timestamp(milliseconds))"
  }
}

extension PreferencePaths {
  /// The copies of broken files that are kept, the oldest first.
  package var brokenCopies: [String] { BrokenCopies(path: file).copies.map(\.path) }
}

private func isDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

/// ISO 8601 basic format in UTC, so that names sort by time.
private func timestamp(_ milliseconds: Int64) -> String {
  var seconds = time_t(milliseconds / 1000)
  var parts = tm()
  gmtime_r(&seconds, &parts)
  func digits(_ number: some BinaryInteger, _ count: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
  let date =
    digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2)
  let time = digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2)
  return "\(date)T\(time).\(digits(milliseconds % 1000, 3))Z"
}
