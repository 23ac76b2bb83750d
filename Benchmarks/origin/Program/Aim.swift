internal import Foundation

/// How two contenders are to compare on a corpus.
struct Aim {
  private enum Limit {
    case atLeast(Double)
    case atMost(Double)
    case none
  }

  private let slow: Contender.Kind
  private let fast: Contender.Kind
  private let limit: Limit

  static let forASCII = [
    Aim(slow: .adaOrigin, fast: .decide, limit: .atLeast(8)),
    Aim(slow: .adaCanParse, fast: .decide, limit: .atLeast(3)),
    Aim(slow: .adaOrigin, fast: .origin, limit: .atLeast(3)),
    Aim(slow: .decide, fast: .floor, limit: .none),
  ]
  static let forIDN = [Aim(slow: .decide, fast: .icu, limit: .atMost(1.2))]

  /// One line: the figure, the limit, and whether it holds.
  func report(_ measurement: Measurement, on corpus: String) -> String {
    let figure = measurement.ratio(of: slow, to: fast) ?? .nan
    let verdict =
      switch limit {
      case .atLeast(let limit): "  at least \(limit): \(words(figure >= limit))"
      case .atMost(let limit): "  at most \(limit): \(words(figure <= limit))"
      case .none: ""
      }
    let what = "\(slow.rawValue) / \(fast.rawValue)"
    return "  \(padded(corpus, 16))\(padded(what, 34))\(format(figure))\(verdict)"
  }

  private func words(_ holds: Bool) -> String { holds ? "holds" : "does not hold" }
}
