internal import Bus

/// Why a URL belongs where it does, and what `Open` would do.
public struct Explanation: Hashable, Sendable {
  private let values: [String: String]
  /// The settings that administrators have fixed, each with the file that says so.
  public let locks: [String: String]

  init(reading reply: borrowing Message) throws(BusError) {
    let options = try reply.readOptions()
    values = options.compactMapValues { value in
      if case .string(let string) = value { string } else { nil }
    }
    if case .stringDictionary(let files)? = options["locked"] { locks = files } else { locks = [:] }
  }

  /// A text under its key; the keys are documented with the interface.
  public subscript(key: String) -> String? { values[key] }
}
