/// The origin of a URL, as the URL Standard of July 2026 gives it for a string without a base URL.
///
/// | string | origin |
/// |---|---|
/// | `HTTPS://user@My.Sovereign.Example:443/a?b` | `https://my.sovereign.example` |
/// | `https:\\evil.example\@my.sovereign.example` | `https://evil.example` |
/// | `http://0x7f.1`, `wss://[::0]:8443` | `http://127.0.0.1`, `wss://[::]:8443` |
/// | `https://bücher.example` | `https://xn--bcher-kva.example` |
/// | `blob:https://my.sovereign.example/1` | `https://my.sovereign.example` |
/// | `mailto:a@b.example`, `file:///etc/passwd`, `data:,` | opaque |
/// | `my.sovereign.example`, `https://`, `https://exa mple/`, `https://a:65536/` | failure |
///
/// Source: <https://url.spec.whatwg.org/#concept-url-origin>
public enum URLOrigin: Sendable {
  /// The URL has a tuple origin: http, https, ws, wss, ftp, and blob of http or https.
  case tuple(Origin)
  /// The URL is valid, and its origin equals nothing, not even itself.
  case opaque
  /// The string is no URL.
  case failure

  /// The longest string, in bytes, that counts as a URL: 2 MiB, as in Chromium.
  public static let maximumLength = 2 << 20

  /// Parses a string; one longer than ``maximumLength`` is a failure.
  public init(of url: String) {
    var url = url
    self = url.withUTF8(URLOrigin.init(of:))
  }

  /// Parses bytes, of which those that are not UTF-8 count as U+FFFD: as a host they are a failure.
  public init(of url: UnsafeBufferPointer<UInt8>) {
    guard url.count <= Self.maximumLength else {
      self = .failure
      return
    }
    if let plain = PlainURL(url) {
      self = .tuple(plain.origin(in: url))
      return
    }
    self = URLParser.parse(url) { $0.origin }
  }
}

extension URLOrigin {
  /// Appends the description of the origin of a URL; for lists of millions.
  package static func appendDescription(
    of url: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]
  ) {
    guard url.count <= maximumLength else {
      text += failure.description.utf8
      return
    }
    if let plain = PlainURL(url) { return plain.appendOrigin(in: url, to: &text) }
    URLParser.parse(url) { parsed in
      if case .tuple(let url) = parsed {
        url.appendOrigin(to: &text)
      } else {
        text += parsed.origin.description.utf8
      }
    }
  }
}

extension URLOrigin: CustomStringConvertible {
  /// The serialized origin, `null` if it is opaque, or `failure`.
  public var description: String {
    switch self {
    case .tuple(let origin): origin.description
    case .opaque: "null"
    case .failure: "failure"
    }
  }
}

extension ParsedURL {
  package var origin: URLOrigin {
    switch self {
    case .failure: .failure
    case .tuple(let url): .tuple(url.origin)
    case .opaque(let url) where url.scheme == .blob:
      URLParser.originInside(url).map(URLOrigin.tuple) ?? .opaque
    case .opaque: .opaque
    }
  }
}
