internal import NavigationClient

enum MonitorCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    guard arguments.operands.isEmpty else { throw ToolError(.usage, "it takes no arguments") }
    try Service.call { () throws(ClientError) in
      try ActiveOriginMonitor.run { origin in
        Output.line(Output.printable(origin))
        return true
      }
    }
    return .success
  }
}
