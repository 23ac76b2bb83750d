import Bus
import TestSupport

/// A program on the session's bus that calls the service.
struct Client {
  private let session: TestSession
  private let connection: Connection

  init(_ session: TestSession) throws(BusError) {
    self.session = session
    connection = try Connection()
  }

  func call(
    _ member: String, _ body: (borrowing Message) throws(BusError) -> Void = { _ in }
  ) throws(BusError) -> Message {
    let call = try connection.makeCall(
      to: "fs.sovereign.Navigation", path: "/fs/sovereign/Navigation",
      interface: "fs.sovereign.Navigation", member: member)
    try body(call)
    return try connection.call(call)
  }

  /// As a desktop calls the handler of web links.
  func openAll(_ urls: [String]) throws(BusError) {
    let call = try connection.makeCall(
      to: "fs.sovereign.Navigation", path: "/fs/sovereign/Navigation",
      interface: "org.freedesktop.Application", member: "Open")
    try call.append(urls)
    try call.append(options: [])
    let reply = try connection.call(call)
    if let error = reply.error { throw error }
  }

  func decide(_ url: String) throws(BusError) -> String {
    try call("Decide") { call throws(BusError) in try call.append(url) }.readString()
  }

  func decideMany(_ urls: [String]) throws(BusError) -> [String] {
    try call("DecideMany") { call throws(BusError) in try call.append(urls) }.readStrings()
  }

  func setActive(_ url: String) throws(BusError) -> String {
    try call("SetActive") { call throws(BusError) in try call.append(url) }.readString()
  }

  func open(_ url: String, options: [(String, Variant)] = []) throws(BusError) -> String {
    try call("Open") { call throws(BusError) in
      try call.append(url)
      try call.append(options: options)
    }.readString()
  }
}
