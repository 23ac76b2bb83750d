/// What the URL parser says about a string, as far as origins go.
package enum ParsedURL {
  case failure
  /// A special URL other than `file:`: its origin is a tuple.
  case tuple(TupleURL)
  /// A valid URL whose origin is opaque, or that of the URL inside of it.
  case opaque(OpaqueURL)
}

/// The parts of a URL that has a tuple origin, as long as the closure runs that was given it.
package struct TupleURL {
  /// What the parser sees: stripped at both ends, without TAB, LF and CR.
  package let bytes: UnsafeBufferPointer<UInt8>
  package let parts: URLParts
  package let host: Host

  package var origin: Origin {
    Origin(
      scheme: parts.scheme.name, host: String(decoding: host.name, as: UTF8.self),
      port: parts.port)
  }

  /// Appends the serialized origin.
  func appendOrigin(to text: inout [UInt8]) {
    text += parts.scheme.name.utf8
    text += "://".utf8
    text.append(contentsOf: host.name)
    if let port = parts.port {
      text.append(UInt8(ascii: ":"))
      text += PortDigits(port).digits.lazy.map { $0 | 0x30 }
    }
  }
}

/// A valid URL without a tuple origin, as long as the closure runs that was given it.
package struct OpaqueURL {
  /// What the parser sees: stripped at both ends, without TAB, LF and CR.
  package let bytes: UnsafeBufferPointer<UInt8>
  package let scheme: Scheme
  /// Where the scheme's colon is.
  package let colon: Int
}

/// Where the parts of a special URL with an authority lie; `rest` is the path, query and fragment.
package struct URLParts {
  package let scheme: Scheme
  package let userinfo: Range<Int>
  package let host: Range<Int>
  /// The port, or `nil` where it is the scheme's default.
  package let port: UInt16?
  package let rest: Int
}
