package import Bus
package import Files
internal import Glibc

/// The session that applications are looked up in and started into, as it is at one moment.
package struct Session: Hashable, Sendable {
  /// The user manager's environment, else that of this process.
  package let environment: [String: String]
  /// Whether a user manager runs, which then starts the applications.
  package let hasManager: Bool

  package init(environment: [String: String], hasManager: Bool) {
    self.environment = environment
    self.hasManager = hasManager
  }

  package var directories: BaseDirectories { BaseDirectories(environment: environment) }

  /// The session as this process sees it by itself.
  package static var own: Session { Session(environment: ownEnvironment, hasManager: false) }

  /// The environment of this process.
  package static var ownEnvironment: [String: String] {
    var lines: [String] = []
    var next = environ
    while let line = next.pointee {
      lines.append(String(cString: line))
      next += 1
    }
    return variables(lines)
  }

  /// The environment that a process of the user's was started with; `nil` if it cannot be seen.
  package static func environment(ofProcess process: UInt32) -> [String: String]? {
    let file = DurableFile(path: "/proc/\(process)/environ")
    guard let bytes = try? file.read(limit: 16 << 20) else { return nil }
    return variables(bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
  }

  /// The variables that `NAME=value` lines set; a line without `=` sets none.
  static func variables(_ lines: [String]) -> [String: String] {
    var variables: [String: String] = [:]
    for line in lines {
      guard let equals = line.firstIndex(of: "=") else { continue }
      variables[String(line[..<equals])] = String(line[line.index(after: equals)...])
    }
    return variables
  }
}

extension Session {
  /// What the manager does not set, such as PATH on some systems, this process was started with.
  ///
  /// - Parameter managerEnvironment: `nil` where there is no manager.
  package init(managerEnvironment: [String: String]?) {
    self.init(
      environment: Self.ownEnvironment.merging(managerEnvironment ?? [:]) { $1 },
      hasManager: managerEnvironment != nil)
  }

  /// The session as the user manager on the bus has it now, else as this process has it.
  package static func current(_ connection: Connection?) -> Session {
    Session(managerEnvironment: connection.flatMap(UserManager.environment))
  }
}

extension UserManager {
  /// The session as the user manager has it now, else as this process has it.
  package func session(completion: @escaping (Session) -> Void) {
    environment { completion(Session(managerEnvironment: $0)) }
  }
}
