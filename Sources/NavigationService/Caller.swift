internal import Bus
internal import Launcher

/// Who sent a call.
struct Caller: Hashable {
  /// The unique name on the bus.
  let uniqueName: String
  /// The unit of the user manager that it runs in, if it runs in one.
  let unit: String?

  /// The desktop-file id, without `.desktop`, that the unit's name carries.
  var applicationID: String? { unit.flatMap(UnitName.applicationID(ofUnit:)) }

  /// Whether the caller belongs to the application with this desktop-file id.
  func belongs(to desktopFileID: String) -> Bool {
    guard let unit else { return false }
    // A long id is cut in the name of the unit that we start.
    let ours = UnitName.make(applicationID: desktopFileID, random: 0)
    return applicationID.map { $0 + ".desktop" == desktopFileID } ?? false
      || unit.prefix { $0 != "@" } == ours.prefix { $0 != "@" }
  }

  /// Asks the bus for the process behind `uniqueName` and looks its unit up. Where the caller has
  /// gone already, it has no unit.
  static func identify(
    _ uniqueName: String, on connection: Connection, completion: @escaping (Caller) -> Void
  ) {
    do throws(BusError) {
      let call = try connection.makeBusCall("GetConnectionUnixProcessID")
      try call.append(uniqueName)
      try connection.send(call, timeout: 5_000_000) { reply in
        let process = reply.error == nil ? try? reply.readUInt32() : nil
        completion(
          Caller(
            uniqueName: uniqueName,
            unit: process.flatMap { ProcessUnit.userUnit(ofProcess: Int32(bitPattern: $0)) }))
      }
    } catch {
      completion(Caller(uniqueName: uniqueName, unit: nil))
    }
  }
}
