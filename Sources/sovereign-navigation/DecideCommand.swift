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
      // As long as the service is sent it: a byte that is not UTF-8 becomes three.
      let destination =
        url.count <= Limits.length / 3
        ? decider.destination(of: url)
        : decider.decide(String(decoding: url, as: UTF8.self)).destination
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

  private static func decideOnline(_ arguments: Arguments) throws(ToolError) {
    let client = try Service.connect()
    let input = URLInput(arguments)
    var answers = Answers(arguments, isList: input.isList)
    var batch: [String] = []
    var length = 0

    func ask() throws(ToolError) {
      guard !batch.isEmpty else { return }
      let urls = batch
      let destinations = try Service.call { () throws(ClientError) in try client.decide(urls) }
      for (url, destination) in zip(batch, destinations) {
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
      if batch.count == Limits.urls || length + url.utf8.count > Limits.totalLength { try ask() }
      batch.append(url)
      length += url.utf8.count
    } pause: { () throws(ToolError) in
      try ask()
      answers.flush()
    }
    answers.finish()
  }

  private static func describe(_ url: String, _ destination: Destination) -> JSON {
    .object([("url", .string(url)), ("destination", .string(destination.rawValue))])
  }
}
