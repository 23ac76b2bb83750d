internal import NavigationClient

enum MonitorCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    guard arguments.operands.isEmpty else { throw ToolError(.usage, "it takes no arguments") }
    let client = try Service.connect()
    try Service.call { () throws(ClientError) in
      try client.monitorActiveOrigin { origin in
        Output.line(origin)
        return true
      }
    }
    return .success
  }
}
