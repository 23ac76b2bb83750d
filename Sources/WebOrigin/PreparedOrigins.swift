/// Origins in the form in which URLs are compared with them, thousands of times for one preparation.
package struct PreparedOrigins: Sendable {
  private let origins: [Origin]
  /// For each origin; trivial, so that looking at one retains nothing.
  private let prepared: [PlainOrigin]
  /// The serialized origins, one behind the other, and where each one ends.
  private let serialized: [UInt8]
  private let ends: [Int]

  package init(_ origins: [Origin]) {
    self.origins = origins
    var serialized: [UInt8] = []
    ends = origins.map { origin in
      // A host that engines read differently is for the full parser to find.
      let isWeb = origin.scheme == "https" || origin.scheme == "http"
      if isWeb, !origin.host.utf8.contains(UInt8(ascii: "*")) { serialized += "\(origin)".utf8 }
      return serialized.count
    }
    self.serialized = serialized
    prepared = origins.map { origin in
      let text = Array("\(origin.scheme)://\(origin.host)".utf8)
      let padding = Array(repeating: UInt8(0), count: max(0, 8 - text.count))
      return (text + padding).withUnsafeBufferPointer {
        PlainOrigin($0, length: $0.count, port: PortDigits(origin.effectivePort ?? 0))
      }
    }
  }

  /// For a plain URL 0 if none of the origins is its own, else one more than the first one's index.
  ///
  /// `nil` for any other URL, and for a match that is too long to be seen here:
  /// ``slot(ofSerialized:)``, ``URLParser`` and ``firstIndex(of:)`` are for those.
  package func slot(of url: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let plain = PlainURL(url) else { return nil }
    let origin = PlainOrigin(url, length: plain.hostEnd, port: plain.port)
    var slot = 0
    prepared.withUnsafeBufferPointer { prepared in
      // Backwards, so that the first match has the last word, and a match is no branch.
      for index in (0..<prepared.count).reversed() {
        slot = prepared[index] == origin ? index &+ 1 : slot
      }
    }
    return plain.hostEnd > PlainOrigin.longest && slot > 0 ? nil : slot
  }

  /// For a URL that begins with one of the origins as it is serialized one more than that one's
  /// index, else `nil`.
  ///
  /// Links to an instance at an IP address are not plain, those to one with a long name are seen
  /// only in part; but nearly all are written so.
  @inline(never)
  package func slot(ofSerialized url: UnsafeBufferPointer<UInt8>) -> Int? {
    serialized.withUnsafeBufferPointer { serialized in
      var start = 0
      for (index, end) in ends.enumerated() {
        if url.begins(with: serialized, from: start, to: end) { return index + 1 }
        start = end
      }
      return nil
    }
  }

  /// The first of the origins that is the URL's.
  package func firstIndex(of url: TupleURL) -> Int? {
    origins.firstIndex { origin in
      origin.port == url.parts.port && origin.host.utf8.elementsEqual(url.host.name)
        && origin.scheme == url.parts.scheme.name
    }
  }
}
