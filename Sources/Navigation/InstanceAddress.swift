public import WebOrigin

/// The address of an instance as a person types it.
///
/// Accepted: `my.sovereign.example`, `my.sovereign.example:8443`, `localhost:3000`,
/// ` https://My.Sovereign.Example/plugins/console?x=1 `. Refused: `javascript:alert(1)`,
/// `ftp://my.sovereign.example`, `https://user:pw@my.sovereign.example`, blanks.
public struct InstanceAddress: Hashable, Sendable {
  /// The origin the address names; its scheme is `https` or `http`.
  public let origin: Origin

  /// The longest host that a name server can know, with its final dot.
  private static let maximumHostLength = 254

  /// Reads an address: without a scheme it is https; path, query and fragment are dropped.
  public init(_ text: String) throws(InstanceAddressError) {
    guard text.utf8.count <= URLOrigin.maximumLength else { throw .tooLong }
    var bytes = text.utf8.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }
    while bytes.last?.isC0ControlOrSpace == true { bytes.removeLast() }
    bytes = Array(bytes.drop(while: \.isC0ControlOrSpace))
    guard !bytes.isEmpty else { throw .malformed(text) }

    if let scheme = Self.scheme(of: bytes) {
      guard scheme == "https" || scheme == "http" else {
        let rest = bytes[scheme.utf8.count...].dropFirst()
        throw rest.contains(UInt8(ascii: "@")) && !rest.starts(with: "//".utf8)
          ? .schemeOrUser(scheme) : .unsupportedScheme(scheme)
      }
    } else {
      bytes = "https://".utf8 + bytes
    }
    let result: Result<Origin, InstanceAddressError> = bytes.withUnsafeBufferPointer { bytes in
      URLParser.parse(bytes) { parsed in
        guard case .tuple(let url) = parsed else { return .failure(.malformed(text)) }
        let userinfo = url.bytes[url.parts.userinfo]
        guard userinfo.isEmpty || userinfo.elementsEqual(":".utf8) else {
          return .failure(.credentials)
        }
        if url.host.isAmbiguous { return .failure(.ambiguousHost(text)) }
        if url.host.name.count > Self.maximumHostLength { return .failure(.tooLong) }
        return .success(url.origin)
      }
    }
    origin = try result.get()
  }

  /// The scheme in lower case, unless the colon is followed by what must be a port.
  private static func scheme(of bytes: [UInt8]) -> String? {
    guard let first = bytes.first, first.isASCIILetter,
      let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[..<colon].allSatisfy(\.continuesScheme)
    else { return nil }
    let rest = bytes[(colon + 1)...]
    let digits = rest.prefix(while: \.isASCIIDigit)
    if (1...5).contains(digits.count) {
      switch rest.dropFirst(digits.count).first.map(Unicode.Scalar.init) {
      case nil, "/", "?", "#", "\\": return nil
      default: break
      }
    }
    return String(decoding: bytes[..<colon].map(\.lowercased), as: UTF8.self)
  }
}

/// Why a text is not the address of an instance.
public enum InstanceAddressError: Error, Hashable, Sendable {
  /// The text, which is no URL even with `https://` in front.
  case malformed(String)
  /// The scheme, which is neither `https` nor `http`.
  case unsupportedScheme(String)
  /// What stands before the colon: a scheme by its place, and a user's name by the `@` behind it.
  case schemeOrUser(String)
  /// There is a user name or a password in it.
  case credentials
  /// The text, in which engines read different hosts.
  case ambiguousHost(String)
  /// Longer than a URL or a host name can be.
  case tooLong
}

extension InstanceAddressError: CustomStringConvertible {
  /// A sentence that says what is wrong and what to do.
  public var description: String {
    switch self {
    case .malformed(let text):
      "\(quoted(text)) is not a web address; give one like https://my.sovereign.example"
    case .unsupportedScheme(let scheme):
      "an instance cannot be reached by \(quoted(scheme)); give an address that begins with https://"
    case .schemeOrUser(let text):
      "an instance cannot be reached by \(quoted(text)), and its address must not contain a user name "
        + "or password; leave out what stands before the @"
    case .credentials:
      "the address of an instance must not contain a user name or password; leave out what stands "
        + "before the @"
    case .ambiguousHost(let text):
      "web engines disagree on which host \(quoted(text)) names; give the host in its ASCII form, "
        + "without *"
    case .tooLong:
      "the address is longer than a host name can be; give one like https://my.sovereign.example"
    }
  }
}

/// A text from outside as it may stand in a message: on one line, and not too long.
private func quoted(_ text: String) -> String {
  let shown = text.unicodeScalars.prefix(80).map { scalar in
    scalar.properties.generalCategory == .control ? "\u{FFFD}" : Character(scalar)
  }
  return "`\(String(shown))\(text.unicodeScalars.count > 80 ? "…" : "")`"
}
