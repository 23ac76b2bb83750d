/// Origins in the form in which URLs are compared with them, thousands of times for one preparation.
package struct PreparedOrigins: Sendable {
  private struct Entry {
    /// Scheme, port and length of the host in one integer.
    let key: UInt64
    /// Where the host begins in `hosts`.
    let start: Int
  }

  private let entries: [Entry]
  /// All hosts one after the other, with bit 0x20 set in every byte.
  ///
  /// No two bytes that can stand in a host become equal so, but for the two cases of a letter.
  private let hosts: [UInt8]

  package init(_ origins: [Origin]) {
    var entries: [Entry] = []
    var hosts: [UInt8] = []
    for origin in origins {
      var name = origin.scheme
      let scheme = name.withUTF8(Scheme.init)
      let host = origin.host.utf8
      let key = Self.key(scheme, origin.port ?? scheme.defaultPort ?? 0, host.count)
      entries.append(Entry(key: key, start: hosts.count))
      hosts += host.map { $0 | 0x20 }
    }
    self.entries = entries
    self.hosts = hosts
  }

  private static func key(_ scheme: Scheme, _ port: UInt16, _ length: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: length) << 24 | UInt64(port) << 8 | UInt64(scheme.rawValue)
  }

  /// The first of the origins that is the URL's.
  package func firstIndex(of url: PlainURL, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = bytes.baseAddress else { return nil }
    let length = url.hostEnd - url.hostStart
    let key = Self.key(url.scheme, url.port, length)
    return firstIndex(key: key, host: base + url.hostStart, length: length)
  }

  /// The first of the origins that is the URL's.
  package func firstIndex(of url: TupleURL) -> Int? {
    guard let base = url.host.name.baseAddress else { return nil }
    let length = url.host.name.count
    let port = url.parts.port ?? url.parts.scheme.defaultPort ?? 0
    let key = Self.key(url.parts.scheme, port, length)
    return firstIndex(key: key, host: base, length: length)
  }

  private func firstIndex(key: UInt64, host: UnsafePointer<UInt8>, length: Int) -> Int? {
    entries.withUnsafeBufferPointer { entries in
      for index in 0..<entries.count where entries[index].key == key {
        let isSame = hosts.withUnsafeBufferPointer { hosts in
          Self.equal(host, UnsafeBufferPointer(rebasing: hosts[entries[index].start...]), length)
        }
        if isSame { return index }
      }
      return nil
    }
  }

  /// Compares eight bytes at a time, the last eight over again where the length is no multiple.
  private static func equal(
    _ host: UnsafePointer<UInt8>, _ prepared: UnsafeBufferPointer<UInt8>, _ length: Int
  ) -> Bool {
    guard let own = prepared.baseAddress else { return false }
    guard length >= 8 else {
      for index in 0..<length where host[index] | 0x20 != own[index] { return false }
      return true
    }
    let hostWords = UnsafeRawPointer(host)
    let ownWords = UnsafeRawPointer(own)
    var index = 0
    while true {
      let word = hostWords.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let ownWord = ownWords.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      if word | 0x2020_2020_2020_2020 != ownWord { return false }
      if index == length - 8 { return true }
      index = min(index + 8, length - 8)
    }
  }
}
