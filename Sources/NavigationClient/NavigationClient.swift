internal import Bus
public import Navigation

/// A connection to the service `fs.sovereign.Navigation` on the session bus.
///
/// Calls wait for the answer, for 5 s at most and longer only where an application is being started;
/// the service itself is started first where it does not run yet. Use it from one thread. In a
/// navigation callback decide with `Policy.decide` instead, from the origin that you hold: a blocking
/// call has no place there.
public final class NavigationClient {
  private let connection: Connection

  private static let patience: UInt64 = 5_000_000
  /// Starting an application may take the service 5 s to activate it and 5 s to hand the link over.
  private static let launchPatience: UInt64 = 15_000_000

  package static let name = "fs.sovereign.Navigation"
  static let path = "/fs/sovereign/Navigation"

  /// Connects to the session bus, which has 5 s to answer. The service is started by the first call.
  public init() throws(ClientError) {
    do throws(BusError) {
      connection = try Connection.answering()
    } catch {
      throw .unreachable(error.message)
    }
  }

  /// `Decide`: where a URL belongs. Unknown words count as `blocked`.
  public func decide(_ url: String) throws(ClientError) -> Destination {
    let reply = try call("Decide") { (call) throws(BusError) in
      try call.append(url.sendableURL)
    }
    return Destination(rawValue: try read { () throws(BusError) in try reply.readString() })
      ?? .blocked
  }

  /// `DecideMany`: where many URLs belong, in their order; in several calls where there are more than
  /// 4096, or more than 4 MiB together.
  public func decide(_ urls: [String]) throws(ClientError) -> [Destination] {
    var destinations: [Destination] = []
    var part: [String] = []
    var length = 0
    for url in urls.lazy.map(\.sendableURL) {
      if part.count == Limits.urls || length + url.utf8.count > Limits.totalLength {
        destinations += try decide(together: part)
        part.removeAll(keepingCapacity: true)
        length = 0
      }
      part.append(url)
      length += url.utf8.count
    }
    return part.isEmpty ? destinations : destinations + (try decide(together: part))
  }

  private func decide(together urls: [String]) throws(ClientError) -> [Destination] {
    let reply = try call("DecideMany") { (call) throws(BusError) in try call.append(urls) }
    let words = try read { () throws(BusError) in try reply.readStrings() }
    guard words.count == urls.count else {
      throw .unreachable("it gave \(words.count) answers for \(urls.count) URLs")
    }
    return words.map { Destination(rawValue: $0) ?? .blocked }
  }

  /// `Explain`: why, and what `Open` would do.
  public func explain(_ url: String) throws(ClientError) -> Explanation {
    let reply = try call("Explain") { (call) throws(BusError) in
      try call.append(url.sendableURL)
    }
    return try read { () throws(BusError) in try Explanation(reading: reply) }
  }

  /// `Open`: decides and starts the application.
  ///
  /// - Returns: Where the URL was opened.
  public func open(
    _ url: String, _ options: OpenOptions = OpenOptions()
  ) throws(ClientError)
    -> Destination
  {
    try checkThatServiceAnswers()
    let reply = try call("Open", timeout: Self.launchPatience) { (call) throws(BusError) in
      try call.append(url.sendableURL)
      try call.append(options: options.values)
    }
    return Destination(rawValue: try read { () throws(BusError) in try reply.readString() })
      ?? .blocked
  }

  /// Starts an application with nothing to open: without an `action` the browser, else the shell.
  public func activate(
    _ action: DesktopAction? = nil, _ options: OpenOptions = OpenOptions()
  ) throws(ClientError) {
    try checkThatServiceAnswers()
    _ = try call(
      action == nil ? "Activate" : "ActivateAction", interface: "org.freedesktop.Application",
      timeout: Self.launchPatience
    ) { (call) throws(BusError) in
      if let action {
        try call.append(action.rawValue)
        try call.appendContainer("a", "v") {}
      }
      try call.append(options: options.values)
    }
  }

  /// `SetActive`: makes an instance the active one; the empty string clears.
  ///
  /// - Returns: The canonical origin. Take the origin from here, not from what was typed.
  public func setActive(_ url: String) throws(ClientError) -> String {
    let reply = try call("SetActive") { (call) throws(BusError) in
      try call.append(url.sendableURL)
    }
    return try read { () throws(BusError) in try reply.readString() }
  }

  /// `AddInstance`: stores an instance; without a label it is called by its host and port.
  ///
  /// - Parameter addedAt: When it was added, in milliseconds since the Unix epoch; now if `nil`.
  /// - Returns: The canonical origin.
  public func addInstance(
    _ url: String, label: String = "", activate: Bool = true, addedAt: Int64? = nil
  ) throws(ClientError) -> String {
    let reply = try call("AddInstance") { (call) throws(BusError) in
      try call.append(url.sendableURL)
      try call.append(label)
      try call.append(
        options: [("activate", .bool(activate))]
          + (addedAt.map { [("added-at", .int64($0))] } ?? []))
    }
    return try read { () throws(BusError) in try reply.readString() }
  }

  /// `RemoveInstance`: forgets a stored instance.
  public func removeInstance(_ origin: String) throws(ClientError) {
    _ = try call("RemoveInstance") { (call) throws(BusError) in
      try call.append(origin.sendableURL)
    }
  }

  /// `SetOption`: sets an option, or restores its default with the empty string.
  public func setOption(_ name: String, to value: String) throws(ClientError) {
    _ = try call("SetOption") { (call) throws(BusError) in
      try call.append(name)
      try call.append(value)
    }
  }

  /// `Register`: makes the service the desktop's handler of http, https and sovereign: links.
  public func register() throws(ClientError) {
    _ = try call("Register") { _ in }
  }

  /// `Unregister`: puts back what the desktop opened them with before.
  public func unregister() throws(ClientError) {
    _ = try call("Unregister") { _ in }
  }

  /// The state of the service, all properties at one moment.
  public func state() throws(ClientError) -> ServiceState {
    let reply = try call("GetAll", interface: "org.freedesktop.DBus.Properties") {
      (call) throws(BusError) in
      try call.append(Self.name)
    }
    return try read { () throws(BusError) in try ServiceState(reading: reply) }
  }

  /// Where the service process is.
  ///
  /// - Returns: Its process id, or `nil` if it does not run.
  public func processID() throws(ClientError) -> Int32? {
    do throws(BusError) {
      let call = try connection.makeBusCall("GetConnectionUnixProcessID")
      try call.append(Self.name)
      return Int32(bitPattern: try connection.call(call, timeout: Self.patience).readUInt32())
    } catch {
      if error.isDestinationMissing { return nil }
      throw ClientError(error)
    }
  }

  private func call(
    _ member: String, interface: String = NavigationClient.name, timeout: UInt64 = patience,
    _ body: (borrowing Message) throws(BusError) -> Void
  ) throws(ClientError) -> Message {
    try start()
    do throws(BusError) {
      let call = try connection.makeCall(
        to: Self.name, path: Self.path, interface: interface, member: member)
      try body(call)
      return try connection.call(call, timeout: timeout)
    } catch {
      // It was there a moment ago.
      if error.isDisconnection { throw .lost(error.message) }
      throw ClientError(error)
    }
  }

  /// A unit that fails to start would leave a plain call hanging, so the start gets its own limit.
  private func start() throws(ClientError) {
    do throws(BusError) {
      let question = try connection.makeBusCall("NameHasOwner")
      try question.append(Self.name)
      guard try !connection.call(question, timeout: Self.patience).readBool() else { return }
      let call = try connection.makeBusCall("StartServiceByName")
      try call.append(Self.name)
      try call.append(UInt32(0))
      _ = try connection.call(call, timeout: Self.patience)
    } catch {
      throw .unreachable(error.message)
    }
  }

  /// Asked before a link is handed over: what was sent to a service that hangs would open late, and
  /// could not be opened another way meanwhile.
  private func checkThatServiceAnswers() throws(ClientError) {
    do throws(ClientError) {
      _ = try call("Ping", interface: "org.freedesktop.DBus.Peer") { _ in }
    } catch {
      switch error {
      case .timedOut: throw .unreachable("it does not answer")
      case .lost(let reason): throw .unreachable(reason)
      default: throw error
      }
    }
  }

  /// Reads an answer: the call was carried out, or so it seems.
  private func read<Result>(
    _ body: () throws(BusError) -> Result
  ) throws(ClientError) -> Result {
    do throws(BusError) {
      return try body()
    } catch {
      throw .lost("its answer cannot be read: \(error.message)")
    }
  }
}
