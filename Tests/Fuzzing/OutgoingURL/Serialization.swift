import WebOrigin

/// What the URL serializer writes for an http(s) URL, but for `.` and `..`, which are the same in
/// paths that are the same; `nil` for other URLs.
///
/// Source: <https://url.spec.whatwg.org/#url-serializing>
func serialize(_ url: String) -> String? {
  var url = url
  return url.withUTF8 { bytes in
    URLParser.parse(bytes) { parsed in
      guard case .tuple(let url) = parsed else { return nil }
      let rest = String(decoding: url.rest, as: UTF8.self)
      let (beforeFragment, fragment) = split(rest, "#")
      let (path, query) = split(beforeFragment, "?")
      var text = url.origin.scheme + "://"
      let userinfo = String(decoding: url.bytes[url.parts.userinfo], as: UTF8.self)
      let (name, password) = split(userinfo, ":")
      text += encode(name, also: userinfoSet)
      if let password, !password.isEmpty { text += ":" + encode(password, also: userinfoSet) }
      if !name.isEmpty || password?.isEmpty == false { text += "@" }
      text += String(decoding: url.host.name, as: UTF8.self)
      if let port = url.parts.port { text += ":\(port)" }
      let slashed = String(decoding: path.utf8.map { $0 == 0x5C ? 0x2F : $0 }, as: UTF8.self)
      text += slashed.isEmpty ? "/" : encode(slashed, also: " \"<>^`{}")
      if let query { text += "?" + encode(query, also: " \"<>'") }
      if let fragment { text += "#" + encode(fragment, also: " \"<>`") }
      return text
    }
  }
}

private let userinfoSet = " \"#<>?^`{}/:;=@[\\]|"

private func split(_ text: String, _ separator: Character) -> (String, String?) {
  let scalars = text.unicodeScalars
  guard let index = scalars.firstIndex(where: { Character($0) == separator }) else {
    return (text, nil)
  }
  return (String(scalars[..<index]), String(scalars[scalars.index(after: index)...]))
}

private func encode(_ text: String, also set: String) -> String {
  var encoded: [UInt8] = []
  for byte in text.utf8 {
    if byte < 0x20 || byte > 0x7E || set.utf8.contains(byte) {
      encoded += "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8
    } else {
      encoded.append(byte)
    }
  }
  return String(decoding: encoded, as: UTF8.self)
}
