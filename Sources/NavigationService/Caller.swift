internal import Bus
internal import Glibc
internal import Launcher

/// Who sent a call.
struct Caller: Hashable {
  /// The unique name on the bus.
  let uniqueName: String
  /// The unit of the user manager that it runs in, if it runs in one.
  let unit: String?
  /// Its process, and the leader of that one's session, unless it has gone already.
  var process: Int32?
  var session: Int32?

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

  /// Its process, and those that it was started by in turn, as far as they still wait for it.
  var ancestors: [Int32] {
    var ancestors: [Int32] = []
    var next = process
    // A process may end, and its number be another's, while its descendants are looked at.
    while let process = next, process > 1, ancestors.count < 32 {
      ancestors.append(process)
      next = Self.parent(of: process)
    }
    return ancestors
  }

  /// proc(5): the second field behind the name, which may hold anything.
  private static func parent(of process: Int32) -> Int32? {
    let file = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = read(file, &bytes, bytes.count)
    guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
    return fields.count > 1 ? Int32(String(decoding: fields[1], as: UTF8.self)) : nil
  }

  /// Asks the bus for the process behind a name and looks its unit up. Where the caller has gone
  /// already, it has none.
  static func identify(
    _ name: String, on connection: Connection, completion: @escaping (Caller) -> Void
  ) {
    do throws(BusError) {
      let call = try connection.makeBusCall("GetConnectionUnixProcessID")
      try call.append(name)
      try connection.send(call, timeout: 5_000_000) { reply in
        let isAnswer = reply.error == nil && (try? reply.checkBusSentIt()) != nil
        let process = isAnswer ? (try? reply.readUInt32()).map { Int32(bitPattern: $0) } : nil
        completion(
          Caller(
            uniqueName: name, unit: process.flatMap(ProcessUnit.userUnit(ofProcess:)),
            process: process, session: process.flatMap(ProcessUnit.session(ofProcess:))))
      }
    } catch {
      completion(Caller(uniqueName: name, unit: nil))
    }
  }
}
