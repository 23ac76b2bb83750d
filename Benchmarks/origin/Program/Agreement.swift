internal import CPeers
internal import Foundation
internal import WebOrigin

/// Where our origins and ada's differ on a corpus.
struct Agreement {
  /// For the reasons that the conformance tests list: only ada takes a URL that is not ASCII, or it
  /// has U+1E9E.
  private(set) var explained = 0
  private(set) var unexplained: [String] = []

  init(on urls: Corpus) {
    var theirs = [CChar](repeating: 0, count: 1 << 16)
    for index in 0..<urls.count {
      var ours: [UInt8] = []
      URLOrigin.appendDescription(of: urls[index], to: &ours)
      let length = peer_ada_origin_of(
        urls[index].baseAddress, urls[index].count, &theirs, theirs.count)
      let isSame = theirs.prefix(length).elementsEqual(ours.lazy.map(CChar.init(bitPattern:)))
      if isSame { continue }
      let url = String(decoding: urls[index], as: UTF8.self)
      let decoded = url.removingPercentEncoding ?? url
      let isASCII = decoded.utf8.allSatisfy { $0 < 0x80 }
      let isRefused = ["failure", "null"].contains(String(decoding: ours, as: UTF8.self))
      if !isASCII, isRefused || decoded.unicodeScalars.contains("\u{1E9E}") {
        explained += 1
      } else {
        unexplained.append(url)
      }
    }
  }
}
