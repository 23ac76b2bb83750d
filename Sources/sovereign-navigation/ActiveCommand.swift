internal import NavigationClient

enum ActiveCommand {
  static func run(_ arguments: Arguments) throws(ToolError) -> ExitStatus {
    let url = try arguments.single("URL")
    guard url == nil || !arguments.has(.clear) else {
      throw ToolError(.usage, "a URL and --clear exclude each other")
    }
    // The empty string clears; that is what --clear is for.
    guard url?.isEmpty != true else {
      throw ToolError(.usage, "the URL is empty; --clear leaves no instance active")
    }
    let client = try Service.connect()
    let origin: String
    if arguments.has(.clear) {
      origin = try Service.call { () throws(ClientError) in try client.setActive("") }
    } else if let url {
      origin = try Service.call(about: url) { () throws(ClientError) in
        try client.setActive(url)
      }
    } else {
      origin = try Service.call { () throws(ClientError) in try client.state().activeOrigin }
    }
    if arguments.has(.json) {
      Output.line(JSON.object([("active-origin", .string(origin))]).text)
    } else if !arguments.has(.clear) {
      Output.line(Output.printable(origin))
    }
    return .success
  }
}
