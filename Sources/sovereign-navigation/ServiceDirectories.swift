internal import Bus
internal import Files
internal import Launcher
internal import NavigationClient

extension BaseDirectories {
  /// Where the service has what is the user's: one that runs, else one that would be started now.
  ///
  /// - Parameter manager: The environment of the user manager, which would start it; `nil` without one.
  init(ofServiceOn connection: Connection?, manager: [String: String]?) {
    let own = Session.ownEnvironment
    self.init(
      environment: connection.flatMap(Self.environmentOfService)
        ?? manager?.merging(own.filter { $0.key == "HOME" }) { managers, _ in managers } ?? own)
  }

  /// What the service was started with; `nil` if it does not run, or another program has its name.
  private static func environmentOfService(_ connection: Connection) -> [String: String]? {
    guard let call = try? connection.makeBusCall("GetConnectionUnixProcessID"),
      (try? call.append(NavigationClient.name)) != nil,
      let process = try? connection.call(call, timeout: 5_000_000).readUInt32(),
      let owner = Int32(exactly: process).map(ServiceLook.Owner.init(process:)),
      owner.program?.hasSuffix("/sovereign-navigationd") == true
    else { return nil }
    return Session.environment(ofProcess: process)
  }
}
