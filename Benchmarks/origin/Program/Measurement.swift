internal import Foundation

/// The times of all contenders on one corpus.
struct Measurement {
  private let contenders: [Contender]
  private let count: Int
  private var accepted: [Int]
  /// In nanoseconds a URL, a row for each round.
  private var times: [[Double]] = []

  /// Lets all take turns, each round in another order.
  init(_ contenders: [Contender], count: Int, rounds: Int) {
    self.contenders = contenders
    self.count = count
    accepted = contenders.map { _ in 0 }
    // The first round only warms the caches.
    for round in 0...rounds {
      var row = contenders.map { _ in 0.0 }
      for turn in contenders.indices {
        let index = (turn + round) % contenders.count
        let start = Self.now()
        accepted[index] = contenders[index].pass()
        row[index] = (Self.now() - start) / Double(count)
      }
      if round > 0 { times.append(row) }
    }
  }

  /// How many times as long one takes as the other: the median of what each round says.
  func ratio(of kind: Contender.Kind, to other: Contender.Kind) -> Double? {
    contenders.firstIndex { $0.kind == other }.flatMap { ratio(of: kind, to: $0) }
  }

  private func ratio(of kind: Contender.Kind, to other: Int) -> Double? {
    contenders.firstIndex { $0.kind == kind }.map { index in
      Self.median(times.map { $0[index] / $0[other] })
    }
  }

  func printTable(allocations: [Int]) {
    printRow("", ["ns/URL", "× parse+origin", "× can_parse", "allocations", "accepted"])
    for (index, contender) in contenders.enumerated() {
      printRow(
        contender.kind.rawValue,
        [
          format(Self.median(times.map { $0[index] })),
          format(ratio(of: .adaOrigin, to: index) ?? .nan),
          format(ratio(of: .adaCanParse, to: index) ?? .nan),
          format(Double(allocations[index]) / Double(count)),
          String(accepted[index]),
        ])
    }
  }

  private func printRow(_ name: String, _ cells: [String]) {
    print("  \(padded(name, 24))" + cells.map { padded($0, -15) }.joined())
  }

  private static func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
  }

  /// The processor's time: what else runs there would interrupt the slow ones alone, whose passes
  /// take longer than a turn.
  private static func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}

func format(_ value: Double) -> String {
  padded(String(format: "%.2f", value), -7)
}

/// With spaces behind it, or before it if the width is negative.
func padded(_ text: String, _ width: Int) -> String {
  let spaces = String(repeating: " ", count: max(0, abs(width) - text.count))
  return width < 0 ? spaces + text : text + spaces
}
