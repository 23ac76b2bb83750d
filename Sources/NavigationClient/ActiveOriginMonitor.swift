internal import Bus

/// Follows the active origin, for programs with a loop of their own.
///
/// A signal on a session bus can be forged: one that does not come from the owner of the service's
/// name is ignored. A service that ends and comes back is followed; none is started. Use it from one
/// thread.
///
/// Read the state after making the monitor, not before: no change is missed then.
public final class ActiveOriginMonitor {
  private let connection: Connection
  private let handler: (String) -> Void
  private var owner = ""
  private var matches: [Slot] = []
  /// Why the bus does not let it listen.
  private var refusal: BusError?

  /// Begins to listen; `handler` gets the active origin after every change of it, from `process`.
  public init(_ handler: @escaping (String) -> Void) throws(ClientError) {
    self.handler = handler
    do throws(BusError) {
      // Of its own: an answer that a call waits for would take signals off the descriptor.
      connection = try Connection.answering()
      try listen()
    } catch {
      throw ClientError(error)
    }
  }

  /// What the loop waits for: that it becomes readable. poll(2).
  public var fileDescriptor: Int32 {
    get throws(ClientError) {
      do throws(BusError) {
        return try connection.fileDescriptor
      } catch {
        throw ClientError(error)
      }
    }
  }

  /// Calls the handler for each change that has arrived, and does not wait for more.
  ///
  /// Call it before the loop first waits, and then whenever the descriptor is readable. It throws
  /// when the bus has gone, or does not let it listen.
  public func process() throws(ClientError) {
    do throws(BusError) {
      while try connection.process() {}
      if let refusal { throw refusal }
    } catch {
      throw ClientError(error)
    }
  }

  private func listen() throws(BusError) {
    let name = NavigationClient.name
    matches = [
      try connection.match(
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
          + "member='NameOwnerChanged',arg0='\(name)'"
      ) { [unowned self] signal in
        if let error = signal.error { refusal = error }
        guard signal.sender == "org.freedesktop.DBus",
          (try? signal.readString()) != nil, (try? signal.readString()) != nil
        else { return }
        owner = (try? signal.readString()) ?? ""
      },
      try connection.match(
        "type='signal',path='\(NavigationClient.path)',interface='\(name)',member='ActiveChanged'"
      ) { [unowned self] signal in
        if let error = signal.error { refusal = error }
        guard !owner.isEmpty, signal.sender == owner, let origin = try? signal.readString() else {
          return
        }
        handler(origin)
      },
    ]
    owner = try connection.owner(of: name)
  }
}

extension ActiveOriginMonitor {
  /// Calls `handler` with the active origin after every change of it, until it returns `false`; for
  /// programs without a loop.
  public static func run(_ handler: @escaping (String) -> Bool) throws(ClientError) {
    var isWanted = true
    let monitor = try ActiveOriginMonitor { isWanted = handler($0) }
    do throws(BusError) {
      while isWanted {
        try monitor.connection.wait()
        if let refusal = monitor.refusal { throw refusal }
      }
    } catch {
      throw ClientError(error)
    }
  }
}

extension Connection {
  fileprivate func owner(of name: String) throws(BusError) -> String {
    let call = try makeBusCall("GetNameOwner")
    try call.append(name)
    do throws(BusError) {
      return try self.call(call).readString()
    } catch {
      if error.isDestinationMissing { return "" }
      throw error
    }
  }
}
