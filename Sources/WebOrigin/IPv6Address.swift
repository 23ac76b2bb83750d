/// The IPv6 parser and serializer of the URL Standard.
struct IPv6Address {
  private var pieces = InlineArray<8, UInt16>(repeating: 0)

  static func parse<Result>(inBrackets input: Bytes, _ body: (Host?) -> Result) -> Result {
    guard let address = IPv6Address(inBrackets: input) else { return body(nil) }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 41) { text in
      let count = address.serialize(into: text)
      return body(
        Host(name: Bytes(start: text.baseAddress, count: count), isAmbiguous: false))
    }
  }

  init?(inBrackets input: Bytes) {
    guard input.count > 2, input.last == UInt8(ascii: "]") else { return nil }
    self.init(input[part: 1..<(input.count - 1)])
  }

  /// Source: <https://url.spec.whatwg.org/#concept-ipv6-parser>.
  private init?(_ input: Bytes) {
    let colon = UInt8(ascii: ":")
    var pieceIndex = 0
    var compress: Int?
    var pointer = 0

    if input[0] == colon {
      guard input.count > 1, input[1] == colon else { return nil }
      pointer = 2
      pieceIndex = 1
      compress = 1
    }
    while pointer < input.count {
      guard pieceIndex < 8 else { return nil }
      if input[pointer] == colon {
        guard compress == nil else { return nil }
        pointer += 1
        pieceIndex += 1
        compress = pieceIndex
        continue
      }
      var value: UInt16 = 0
      var length = 0
      while length < 4, pointer < input.count, let digit = input[pointer].hexadecimalValue {
        value = value << 4 | UInt16(digit)
        pointer += 1
        length += 1
      }
      if pointer < input.count, input[pointer] == UInt8(ascii: ".") {
        guard length > 0, pieceIndex <= 6,
          let embedded = Self.embeddedIPv4(input[part: (pointer - length)..<input.count])
        else { return nil }
        pieces[pieceIndex] = UInt16(truncatingIfNeeded: embedded >> 16)
        pieces[pieceIndex + 1] = UInt16(truncatingIfNeeded: embedded)
        pieceIndex += 2
        break
      }
      if pointer < input.count {
        guard input[pointer] == colon, pointer + 1 < input.count else { return nil }
        pointer += 1
      }
      pieces[pieceIndex] = value
      pieceIndex += 1
    }

    if let compress {
      var from = pieceIndex - 1
      var to = 7
      while to > from, from >= compress {
        pieces[to] = pieces[from]
        pieces[from] = 0
        from -= 1
        to -= 1
      }
    } else if pieceIndex != 8 {
      return nil
    }
  }

  /// Four decimal numbers without leading zeros, up to the end.
  private static func embeddedIPv4(_ input: Bytes) -> UInt32? {
    var address: UInt32 = 0
    var parts = 0
    var pointer = 0
    while pointer < input.count {
      if parts > 0 {
        guard parts < 4, input[pointer] == UInt8(ascii: ".") else { return nil }
        pointer += 1
      }
      var value: UInt32?
      while pointer < input.count, input[pointer].isASCIIDigit {
        guard value != 0 else { return nil }
        let sum = (value ?? 0) * 10 + UInt32(input[pointer] - 0x30)
        guard sum <= 255 else { return nil }
        value = sum
        pointer += 1
      }
      guard let value else { return nil }
      address = address << 8 | value
      parts += 1
    }
    return parts == 4 ? address : nil
  }

  /// Source: <https://url.spec.whatwg.org/#concept-ipv6-serializer>.
  private func serialize(into text: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var count = 0
    func write(_ byte: UInt8) {
      text[count] = byte
      count += 1
    }
    let compressed = longestZeroRun

    write(UInt8(ascii: "["))
    var index = 0
    while index < 8 {
      if let compressed, index == compressed.lowerBound {
        write(UInt8(ascii: ":"))
        if index == 0 { write(UInt8(ascii: ":")) }
        index = compressed.upperBound
        continue
      }
      var isLeading = true
      for shift in stride(from: UInt16(12), through: 0, by: -4) {
        let digit = UInt8(truncatingIfNeeded: pieces[index] >> shift) & 0xF
        if digit == 0, isLeading, shift > 0 { continue }
        isLeading = false
        write(digit < 10 ? 0x30 + digit : 0x57 + digit)
      }
      if index < 7 { write(UInt8(ascii: ":")) }
      index += 1
    }
    write(UInt8(ascii: "]"))
    return count
  }

  /// The first of the longest runs of zero pieces, if it is longer than one.
  private var longestZeroRun: Range<Int>? {
    var longest = 0..<1
    var start = 0
    for index in 0..<8 {
      if pieces[index] != 0 {
        start = index + 1
      } else if index + 1 - start > longest.count {
        longest = start..<(index + 1)
      }
    }
    return longest.count > 1 ? longest : nil
  }
}
