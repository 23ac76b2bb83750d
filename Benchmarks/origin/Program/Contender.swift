internal import CPeers
internal import Foundation
internal import Navigation
internal import WebOrigin

/// One way to go over the URLs.
struct Contender {
  enum Kind: String {
    case decide
    case origin
    case originString = "origin, as a string"
    case adaOrigin = "ada parse+get_origin"
    case adaCanParse = "ada can_parse"
    case curl = "curl_url_set"
    case glib = "g_uri_split_network"
    case foundation = "Foundation URL, host()"
    case icu = "ICU, given the hosts"
    case floor
  }

  let kind: Kind
  /// Goes over the corpus once and returns how many strings it accepted.
  let pass: () -> Int

  private init(_ kind: Kind, _ pass: @escaping () -> Int) {
    self.kind = kind
    self.pass = pass
  }

  /// All that can be measured on the corpus; ICU where its hosts are given, decoded.
  static func all(on urls: Corpus, hosts: Corpus?) -> [Contender] {
    let active = "https://my.sovereign.example:8443"
    let decider = Decider(Policy(active: Origin(serialization: active)))
    var text: [UInt8] = []
    text.reserveCapacity(1 << 16)
    // Making the strings is not Foundation's work.
    let strings = (0..<urls.count).map { String(decoding: urls[$0], as: UTF8.self) }

    var contenders = [
      Contender(.decide) {
        // `!=` would compare the words.
        urls.count { if case .blocked = decider.destination(of: $0) { false } else { true } }
      },
      Contender(.origin) {
        urls.count { url in
          text.removeAll(keepingCapacity: true)
          URLOrigin.appendDescription(of: url, to: &text)
          // Of all answers only `failure` begins so.
          return text[0] != UInt8(ascii: "f") || text[1] != UInt8(ascii: "a")
        }
      },
      Contender(.originString) { urls.count { URLOrigin(of: $0).description != "failure" } },
      Contender(.adaOrigin) { peer_ada_origin(urls.strings) },
      Contender(.adaCanParse) { peer_ada_can_parse(urls.strings) },
      Contender(.curl) { peer_curl(urls.strings) },
      Contender(.glib) { peer_glib(urls.strings) },
      Contender(.foundation) { strings.count { URL(string: $0)?.host() != nil } },
      Contender(.floor) { peer_floor(urls.strings, active) },
    ]
    if let hosts { contenders.append(Contender(.icu) { peer_icu(hosts.strings) }) }
    return contenders
  }
}
