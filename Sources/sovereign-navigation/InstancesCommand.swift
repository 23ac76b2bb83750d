internal import Navigation
internal import NavigationClient
internal import WebOrigin

enum InstancesCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    var operands = arguments.operands[...]
    let action = operands.popFirst()
    guard action == "add" || (!arguments.has(.label) && !arguments.has(.noVerify)) else {
      throw ToolError(.usage, "--label and --no-verify go with add")
    }
    guard action == nil || !arguments.has(.json) else {
      throw ToolError(.usage, "--json goes with neither add nor remove")
    }
    switch action {
    case nil: try list(asJSON: arguments.has(.json))
    case "add":
      try add(
        try only(operands, "URL"), label: try arguments.value(.label),
        isVerified: !arguments.has(.noVerify))
    case "remove": try remove(try only(operands, "origin"))
    case let other?:
      throw ToolError(.usage, "`\(other)` is neither add nor remove")
    }
    return .success
  }

  private static func only(
    _ operands: ArraySlice<String>, _ what: String
  ) throws(ToolError) -> String {
    guard operands.count == 1, let operand = operands.first, !operand.isEmpty else {
      throw ToolError(.usage, "exactly one \(what) must be given")
    }
    return operand
  }

  private static func add(
    _ url: String, label: String?, isVerified: Bool
  ) throws(ToolError) {
    let client = try Service.connect()
    var label = label
    // What is no address, the service refuses in its own words.
    if isVerified, let origin = (try? InstanceAddress(url))?.origin {
      let name = try InstanceQuestion.name(of: origin)
      let stored = try Service.call { () throws(ClientError) in try client.state() }.instances
      // What the user called it before stays.
      if !stored.contains(where: { $0.origin == origin.description }) { label = label ?? name }
    }
    let origin = try Service.call(about: url) { () throws(ClientError) in
      try client.addInstance(url, label: label ?? "")
    }
    Output.line(Output.printable(origin))
  }

  private static func remove(_ origin: String) throws(ToolError) {
    let client = try Service.connect()
    try Service.call(about: origin) { () throws(ClientError) in
      try client.removeInstance(origin)
    }
  }

  private static func list(asJSON: Bool) throws(ToolError) {
    let client = try Service.connect()
    let state = try Service.call { () throws(ClientError) in try client.state() }
    if asJSON {
      let instances = state.instances.map { instance in
        JSON.object([
          ("origin", .string(instance.origin)), ("label", .string(instance.label)),
          ("added-at", .number(instance.addedAt)),
          ("active", .bool(instance.origin == state.activeOrigin)),
          ("preset", .bool(instance.isPreset)),
        ])
      }
      return Output.line(JSON.array(instances).text)
    }
    for instance in state.instances {
      var columns = [Output.printable(instance.origin), Output.printable(instance.label)]
      if instance.origin == state.activeOrigin { columns.append("active") }
      if instance.isPreset { columns.append("preset") }
      Output.line(columns.joined(separator: "\t"))
    }
  }
}
