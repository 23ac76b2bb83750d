internal import Bus
internal import Navigation
internal import NavigationClient
internal import WebOrigin

enum DecideCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    if arguments.has(.offline) {
      try decideOffline(arguments)
    } else {
      guard !arguments.has(.active), !arguments.has(.instance) else {
        throw ToolError(.usage, "--active and --instance go with --offline")
      }
      try decideOnline(arguments)
    }
    return .success
  }

  private static func decideOffline(_ arguments: Arguments) throws(ToolError) {
    var policy = Policy()
    for address in arguments.all(.instance) {
      let origin = try origin(address)
      guard !policy.instances.contains(where: { $0.origin == origin }) else { continue }
      policy.instances.append(Instance(origin: origin, label: "", addedAt: 0))
    }
    if let active = try arguments.value(.active) { policy.active = try origin(active) }
    let decider = Decider(policy)
    let input = URLInput(arguments)
    var answers = Answers(arguments, isList: input.isList)
    try input.forEach { (url) throws(ToolError) in
      let destination = decider.destination(of: url)
      if answers.isJSON {
        answers.add(json: describe(String(decoding: url, as: UTF8.self), destination))
      } else {
        answers.add(destination.rawValue.utf8)
      }
    } pause: { () throws(ToolError) in
      answers.flush()
    }
    answers.finish()
  }

  private static func origin(_ address: String) throws(ToolError) -> Origin {
    do throws(InstanceAddressError) {
      return try InstanceAddress(address).origin
    } catch {
      throw ToolError(.usage, about: address, error.description)
    }
  }

  /// As much as one call carries.
  private static let batchCount = 4096
  private static let batchLength = 4 << 20

  private static func decideOnline(_ arguments: Arguments) throws(ToolError) {
    let client = try Service.connect()
    let input = URLInput(arguments)
    var answers = Answers(arguments, isList: input.isList)
    var batch: [(url: String, sent: String)] = []
    var length = 0

    func ask() throws(ToolError) {
      guard !batch.isEmpty else { return }
      let urls = batch.map(\.sent)
      let destinations = try Service.call { () throws(ClientError) in try client.decide(urls) }
      for ((url, _), destination) in zip(batch, destinations) {
        if answers.isJSON {
          answers.add(json: describe(url, destination))
        } else {
          answers.add(destination.rawValue.utf8)
        }
      }
      batch.removeAll(keepingCapacity: true)
      length = 0
    }

    try input.forEach { (bytes) throws(ToolError) in
      let url = String(decoding: bytes, as: UTF8.self)
      let sent = sendable(url)
      if batch.count == batchCount || length + sent.utf8.count > batchLength { try ask() }
      batch.append((url, sent))
      length += sent.utf8.count
    } pause: { () throws(ToolError) in
      try ask()
      answers.flush()
    }
    answers.finish()
  }

  /// A D-Bus string holds no NUL, and libsystemd takes no noncharacter. Escaped they mean the same,
  /// except for NUL at the ends, where the parser drops it and every other control character or space.
  static func sendable(_ url: String) -> String {
    guard url.unicodeScalars.contains(where: \.isUnsendable) else { return url }
    var scalars = url.unicodeScalars[...]
    while let first = scalars.first, first.value <= 0x20 { scalars.removeFirst() }
    while let last = scalars.last, last.value <= 0x20 { scalars.removeLast() }
    var escaped = ""
    for scalar in scalars {
      if scalar.isUnsendable {
        escaped += percentEncoded(scalar)
      } else {
        escaped.unicodeScalars.append(scalar)
      }
      // What is too long for a URL may not make the call too long as well.
      if escaped.utf8.count > URLOrigin.maximumLength { break }
    }
    return escaped
  }

  private static func percentEncoded(_ scalar: Unicode.Scalar) -> String {
    String(scalar).utf8.map { byte in
      (byte < 0x10 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }

  private static func describe(_ url: String, _ destination: Destination) -> JSON {
    .object([("url", .string(url)), ("destination", .string(destination.rawValue))])
  }
}

extension Unicode.Scalar {
  fileprivate var isUnsendable: Bool { value == 0 || isNoncharacter }
}
