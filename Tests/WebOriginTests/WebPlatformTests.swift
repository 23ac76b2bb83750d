import Foundation
import Testing

@testable import WebOrigin

@Suite struct WebPlatformTests {
  private struct Case: Decodable {
    let input: String
    let base: String?
    let href: String?
    let origin: String?
    let failure: Bool?
  }

  /// Strings in the array are comments.
  private struct Entry: Decodable {
    let value: Case?

    init(from decoder: any Decoder) throws {
      value = try? Case(from: decoder)
    }
  }

  private static func cases() throws -> [Case] {
    let data = try Data(contentsOf: Repository.webPlatformTests)
    return try JSONDecoder().decode([Entry].self, from: data).compactMap(\.value)
  }

  @Test func agreesOnEveryCase() throws {
    var compared = 0
    for test in try Self.cases() {
      if test.failure == true {
        #expect("\(URLOrigin(of: test.input))" == "failure", "\(test.input)")
        compared += 1
        continue
      }
      // Only a URL without a base is ours to parse; every other case gives its result instead.
      let urls = [test.base == nil ? test.input : nil, test.href].compactMap(\.self)
      for url in urls {
        let origin = "\(URLOrigin(of: url))"
        if let expected = test.origin {
          #expect(origin == expected, "\(url)")
        } else {
          #expect(origin != "failure", "\(url)")
        }
      }
      if test.origin != nil { compared += 1 }
    }
    #expect(compared == 678)
    print("figures: the URL Standard's own cases with an origin or a failure: \(compared)")
  }

  @Test func outgoingURLsParseAlike() throws {
    for test in try Self.cases() where test.failure != true {
      expectSameAfterHandingOver(test.base == nil ? test.input : test.href ?? "")
    }
  }
}
