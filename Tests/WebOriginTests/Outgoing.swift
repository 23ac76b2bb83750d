import Testing

@testable import WebOrigin

/// What would be handed over for any valid URL.
func outgoing(_ url: String) -> String? {
  var url = url
  return url.withUTF8 { bytes in
    URLParser.parse(bytes) { parsed in
      switch parsed {
      case .failure: nil
      case .tuple(let url): url.outgoing
      case .opaque(let url): url.outgoing
      }
    }
  }
}

func expectSameAfterHandingOver(_ url: String) {
  guard let handedOver = outgoing(url) else { return }
  let same = "\(URLOrigin(of: handedOver))" == "\(URLOrigin(of: url))"
  let isStable = outgoing(handedOver) == handedOver
  let isPrintable = handedOver.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
  if !(same && isStable && isPrintable) {
    Issue.record("\(url.debugDescription) is handed over as \(handedOver.debugDescription)")
  }
}
