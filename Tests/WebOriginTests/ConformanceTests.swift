import Foundation
import TestSupport
import Testing

@testable import WebOrigin

/// Compares with other parsers over hostile URLs; every difference must have one of the reasons
/// that `Difference` lists.
@Suite(
  .enabled(
    if: Repository.python != nil,
    "no .build/conformance/venv, which make test makes with pip: the other parsers did not run"))
struct ConformanceTests {
  struct Parser: CustomTestStringConvertible {
    let name: String
    let count: Int

    var testDescription: String { "\(name), \(count) URLs" }
  }

  @Test(arguments: [
    Parser(name: "ada-url", count: 200_000), Parser(name: "pywhatwgurl", count: 20_000),
  ])
  func agreesWith(_ parser: Parser) throws {
    let seed = ProcessInfo.processInfo.environment["CONFORMANCE_SEED"] ?? "1"
    let output = try runOracle(["origins", parser.name, seed, String(parser.count)])
    let strings = Strings.read(output)
    #expect(strings.count == 2 * parser.count)

    var differences: [Difference: Int] = [:]
    var unicodeAge: Set<Unicode.Scalar> = []
    var unexplained = 0
    for index in stride(from: 0, to: strings.count, by: 2) {
      let (url, expected) = (strings[index], strings[index + 1])
      let origin = "\(URLOrigin(of: url))"
      guard origin != expected else { continue }
      if let difference = Difference(
        url, origin, expected, parser: parser.name, unicodeAge: &unicodeAge)
      {
        differences[difference, default: 0] += 1
      } else {
        unexplained += 1
        if unexplained <= 20 {
          Issue.record("\(url.debugDescription): \(origin), but \(parser.name) says \(expected)")
        }
      }
    }
    #expect(unexplained == 0)
    let summary = differences.map { "\($0.key) \($0.value)" }.sorted().joined(separator: ", ")
    print(
      "figures: \(parser.testDescription), seed \(seed): \(summary); unexplained \(unexplained)")
  }

  @Test func handedOverURLsParseAlike() throws {
    let strings = Strings.read(try runOracle(["origins", "ada-url", "2", "100000"]))
    var pairs = Data()
    var pages = Data()
    var count = 0
    for index in stride(from: 0, to: strings.count, by: 2) {
      let url = strings[index]
      expectSameAfterHandingOver(url)
      // Where ICU and ada read different hosts, they do so before anything is handed over.
      guard "\(URLOrigin(of: url))" == strings[index + 1], let handedOver = outgoing(url) else {
        continue
      }
      pairs.append(Strings.write([url, handedOver]))
      if handedOver.hasPrefix("http:") || handedOver.hasPrefix("https:") {
        pages.append(Strings.write([handedOver]))
      }
      count += 1
    }
    #expect(count > 20_000)
    let different = String(decoding: try runOracle(["compare"], input: pairs), as: UTF8.self)
    #expect(different == "0\n")
    let misleading = String(decoding: try runOracle(["mislead"], input: pages), as: UTF8.self)
    #expect(misleading == "0\n")
    print("figures: ada-url, \(count) URLs as handed over: parsed differently \(different)")
  }

  private func runOracle(_ arguments: [String], input: Data? = nil) throws -> Data {
    let python = try #require(Repository.python)
    let oracle = Repository.root.appending(path: "Tests/conformance/oracle.py")
    let result = try Child(
      [python.path, oracle.path] + arguments,
      environment: ProcessInfo.processInfo.environment, input: Array(input ?? Data())
    ).wait(limit: .seconds(600))
    try #require(result.status == 0, "\(result.errorText)")
    return Data(result.output)
  }
}

/// Why two parsers may differ; nothing else is expected.
enum Difference: String {
  /// ICU 72 maps U+1E9E to `ss`, newer data to itself; the decision treats it as ambiguous.
  case capitalSharpS
  /// A code point that only newer Unicode data allow.
  case unicodeAge
  /// ICU applies the BiDi rule to all labels if one is right to left.
  case bidirectionalLabels
  /// ICU refuses to encode labels over 1000 code units of UTF-16.
  case longLabel
  /// pywhatwgurl refuses non-ASCII hosts of about that length as a whole.
  case longHostForPython
  /// We refuse non-ASCII hosts over 4096 bytes.
  case longHost

  init?(
    _ url: String, _ origin: String, _ expected: String, parser: String,
    unicodeAge: inout Set<Unicode.Scalar>
  ) {
    let decoded = url.removingPercentEncodingLossily
    let scalars = decoded.unicodeScalars
    // What else there may be counts for the name that is meant.
    let origin =
      scalars.contains("\u{1E9E}") ? "\(URLOrigin(of: url.mappingCapitalSharpS))" : origin
    if origin == expected {
      self = .capitalSharpS
      return
    }
    guard scalars.contains(where: { !$0.isASCII }) else { return nil }
    let mapped = decoded.precomposedStringWithCompatibilityMapping.lowercased()
    let labels = mapped.split(whereSeparator: { "./@:\\?#。".contains($0) })
    let hasLongLabel = labels.contains { $0.utf16.count > 1000 }
    if expected == "failure", parser == "pywhatwgurl", mapped.utf16.count > 1000 {
      self = .longHostForPython
      return
    }
    // Otherwise we may only be stricter.
    let isStricter =
      origin == "failure" || origin == "null" && url.lowercased().contains("blob:")
    guard isStricter else { return nil }

    if decoded.hasPrefix("https://a"), decoded.hasSuffix("a.example/"),
      decoded.unicodeScalars.count == 20
    {
      unicodeAge.insert(scalars[scalars.index(scalars.startIndex, offsetBy: 9)])
    }
    if scalars.contains(where: unicodeAge.contains) {
      self = .unicodeAge
    } else if hasLongLabel {
      self = decoded.utf8.count > Host.maximumLengthForICU ? .longHost : .longLabel
    } else if scalars.contains(where: \.isRightToLeft) {
      self = .bidirectionalLabels
    } else {
      return nil
    }
  }
}

extension String {
  /// With ß for U+1E9E, as the newer data map it.
  fileprivate var mappingCapitalSharpS: String {
    let clean = unicodeScalars.filter { !["\t", "\n", "\r"].contains($0) }
    let mapped = clean.map { $0 == "\u{1E9E}" ? "ß" : String($0) }.joined()
    return mapped.replacing(/(?i)%e1%ba%9e/, with: "ß")
  }

  fileprivate var removingPercentEncodingLossily: String {
    var decoded: [UInt8] = []
    var bytes = utf8.filter { $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }[...]
    while let byte = bytes.popFirst() {
      if byte == UInt8(ascii: "%"),
        let value = UInt8(String(decoding: bytes.prefix(2), as: UTF8.self), radix: 16)
      {
        decoded.append(value)
        bytes = bytes.dropFirst(2)
      } else {
        decoded.append(byte)
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }
}

extension Unicode.Scalar {
  fileprivate var isRightToLeft: Bool {
    switch value {
    case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }
}

/// The oracle's strings: four bytes of length, little endian, then UTF-8.
private enum Strings {
  static func read(_ data: Data) -> [String] {
    var strings: [String] = []
    data.withUnsafeBytes { bytes in
      var offset = 0
      while offset + 4 <= bytes.count {
        let length = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        let end = min(offset + 4 + length, bytes.count)
        strings.append(String(decoding: bytes[(offset + 4)..<end], as: UTF8.self))
        offset = end
      }
    }
    return strings
  }

  static func write(_ strings: [String]) -> Data {
    var data = Data()
    for string in strings {
      withUnsafeBytes(of: UInt32(string.utf8.count).littleEndian) { data.append(contentsOf: $0) }
      data.append(contentsOf: string.utf8)
    }
    return data
  }
}
