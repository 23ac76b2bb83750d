/// The known name that somebody probably meant, or `nil` if none is near enough.
///
/// Near is at most a third of the letters wrong, left out, added or exchanged; case does not count.
func nearest(to name: String, among known: [String]) -> String? {
  let wanted = Array(name.lowercased().unicodeScalars.prefix(64))
  return
    known
    .map { (name: $0, distance: distance(wanted, Array($0.lowercased().unicodeScalars))) }
    .filter { $0.distance <= max(1, $0.name.unicodeScalars.count / 3) }
    .min { $0.distance < $1.distance }?
    .name
}

/// The optimal string alignment distance.
private func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
  var beforePrevious: [Int] = []
  var previous = Array(0...right.count)
  for (i, a) in left.enumerated() {
    var row = [i + 1]
    for (j, b) in right.enumerated() {
      var best = min(previous[j] + (a == b ? 0 : 1), previous[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a == right[j - 1], left[i - 1] == b {
        best = min(best, beforePrevious[j - 1] + 1)
      }
      row.append(best)
    }
    beforePrevious = previous
    previous = row
  }
  return previous[right.count]
}
