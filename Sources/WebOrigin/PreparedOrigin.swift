/// An origin in the form that is compared with parsed URLs, thousands of times for one preparation.
package struct PreparedOrigin: Sendable {
  private let scheme: Scheme
  private let host: [UInt8]
  private let port: UInt16?

  package init(_ origin: Origin) {
    var name = origin.scheme
    scheme = name.withUTF8(Scheme.init)
    host = Array(origin.host.utf8)
    port = origin.port
  }

  /// Whether a URL has this origin; its host may be in any letter case.
  package func isOrigin(of parts: URLParts, host: UnsafeBufferPointer<UInt8>) -> Bool {
    guard host.count == self.host.count, parts.scheme == scheme, parts.port == port else {
      return false
    }
    return self.host.withUnsafeBufferPointer { own in
      for index in 0..<own.count where own[index] != host[index].lowercased {
        return false
      }
      return true
    }
  }
}
