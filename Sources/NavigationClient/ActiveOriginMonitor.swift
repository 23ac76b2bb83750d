internal import Bus

extension NavigationClient {
  /// Calls `handler` with the active origin after every change of it, until `handler` returns `false`.
  ///
  /// A signal on a session bus can be forged: one that does not come from the owner of the service's
  /// name is ignored. A service that ends and comes back is followed.
  public func monitorActiveOrigin(_ handler: @escaping (String) -> Bool) throws(ClientError) {
    var owner = ""
    var isWanted = true
    do throws(BusError) {
      let ownerChanges = try connection.match(
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
          + "member='NameOwnerChanged',arg0='\(Self.name)'"
      ) { signal in
        guard signal.sender == "org.freedesktop.DBus",
          (try? signal.readString()) != nil, (try? signal.readString()) != nil
        else { return }
        owner = (try? signal.readString()) ?? ""
      }
      let changes = try connection.match(
        "type='signal',path='\(Self.path)',interface='\(Self.name)',member='ActiveChanged'"
      ) { signal in
        guard !owner.isEmpty, signal.sender == owner, let origin = try? signal.readString() else {
          return
        }
        isWanted = handler(origin)
      }
      owner = try currentOwner()
      while isWanted { try connection.wait() }
      withExtendedLifetime((ownerChanges, changes)) {}
    } catch {
      throw ClientError(error)
    }
  }

  private func currentOwner() throws(BusError) -> String {
    let call = try makeBusCall("GetNameOwner")
    try call.append(Self.name)
    do throws(BusError) {
      return try connection.call(call).readString()
    } catch {
      if error.isDestinationMissing { return "" }
      throw error
    }
  }
}
