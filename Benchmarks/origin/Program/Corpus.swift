internal import CPeers
internal import Foundation

/// Strings in one buffer, the same for everybody.
struct Corpus {
  let strings: string_list

  /// Reads what make-corpora wrote; the memory is never freed.
  init(contentsOf file: URL) throws {
    let data = try Data(contentsOf: file)
    var bytes: [UInt8] = []
    var offsets = [0]
    var index = data.startIndex
    while index < data.endIndex {
      let length = data[index..<(index + 4)].reversed().reduce(0) { $0 << 8 | Int($1) }
      bytes += data[(index + 4)..<(index + 4 + length)]
      bytes.append(0)
      offsets.append(bytes.count)
      index += 4 + length
    }
    strings = string_list(
      bytes: Self.copy(bytes), offsets: Self.copy(offsets), count: offsets.count - 1)
  }

  private static func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
    let copy = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
    for (index, element) in elements.enumerated() { (copy + index).initialize(to: element) }
    return UnsafePointer(copy)
  }

  var count: Int { strings.count }

  subscript(index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: strings.bytes + strings.offsets[index],
      count: strings.offsets[index + 1] - strings.offsets[index] - 1)
  }

  /// How many of the strings a closure accepts.
  @inline(__always)
  func count(where accepts: (UnsafeBufferPointer<UInt8>) -> Bool) -> Int {
    var count = 0
    for index in 0..<self.count where accepts(self[index]) { count += 1 }
    return count
  }
}
