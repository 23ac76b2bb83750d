/// A scheme as far as the URL parser tells them apart.
package enum Scheme: UInt8, Sendable {
  case http
  case https
  case ws
  case wss
  case ftp
  case file
  case blob
  /// Any other; not special.
  case other

  /// Reads a scheme, in any letter case, without its colon.
  init(_ name: UnsafeBufferPointer<UInt8>) {
    self =
      if name.equalsIgnoringCase("https") {
        .https
      } else if name.equalsIgnoringCase("http") {
        .http
      } else if name.equalsIgnoringCase("wss") {
        .wss
      } else if name.equalsIgnoringCase("ws") {
        .ws
      } else if name.equalsIgnoringCase("ftp") {
        .ftp
      } else if name.equalsIgnoringCase("file") {
        .file
      } else if name.equalsIgnoringCase("blob") {
        .blob
      } else {
        .other
      }
  }

  /// Source: <https://url.spec.whatwg.org/#special-scheme>.
  var isSpecial: Bool {
    switch self {
    case .http, .https, .ws, .wss, .ftp, .file: true
    case .blob, .other: false
    }
  }

  package var isHTTP: Bool { self == .https || self == .http }

  package var defaultPort: UInt16? {
    switch self {
    case .http, .ws: 80
    case .https, .wss: 443
    case .ftp: 21
    case .file, .blob, .other: nil
    }
  }

  /// The name of a scheme that has tuple origins.
  var name: String {
    switch self {
    case .http: "http"
    case .https: "https"
    case .ws: "ws"
    case .wss: "wss"
    case .ftp: "ftp"
    case .file: "file"
    case .blob: "blob"
    case .other: ""
    }
  }
}
