package import Files
internal import Glibc

/// The session that applications are looked up in and started into, as it is at one moment.
package struct Session: Hashable, Sendable {
  /// The user manager's environment, else that of this process.
  package let environment: [String: String]
  /// Whether a user manager runs, which then starts the applications.
  package let hasManager: Bool
  /// What this process was started with, which need not be text.
  private let ownLines: [[UInt8]]?

  package init(environment: [String: String], hasManager: Bool) {
    self.environment = environment
    self.hasManager = hasManager
    ownLines = nil
  }

  /// - Parameter ownLines: As in `environ`, where there is no user manager.
  init(ownLines: [[UInt8]]) {
    environment = Self.variables(ownLines)
    hasManager = false
    self.ownLines = ownLines
  }

  /// The environment as it is: `NAME=value` each.
  var lines: [[UInt8]] {
    ownLines ?? environment.map { Array("\($0.key)=\($0.value)".utf8) }
  }

  package var directories: BaseDirectories { BaseDirectories(environment: environment) }

  /// The session as this process sees it by itself.
  package static var own: Session { Session(ownLines: ownLines) }

  /// The environment of this process, as text.
  package static var ownEnvironment: [String: String] { variables(ownLines) }

  private static var ownLines: [[UInt8]] {
    var lines: [[UInt8]] = []
    var next = environ
    while let line = next.pointee {
      lines.append(Array(UnsafeRawBufferPointer(start: line, count: strlen(line))))
      next += 1
    }
    return lines
  }

  /// The environment that a process of the user's was started with; `nil` if it cannot be seen.
  package static func environment(ofProcess process: UInt32) -> [String: String]? {
    let file = DurableFile(path: "/proc/\(process)/environ")
    guard let bytes = try? file.read(limit: 16 << 20) else { return nil }
    return variables(bytes.split(separator: 0))
  }

  /// The variables that `NAME=value` lines set; a line without `=` sets none.
  static func variables(_ lines: [some Collection<UInt8>]) -> [String: String] {
    var variables: [String: String] = [:]
    for line in lines {
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let name = String(decoding: line[..<equals], as: UTF8.self)
      variables[name] = String(decoding: line[equals...].dropFirst(), as: UTF8.self)
    }
    return variables
  }
}

extension Session {
  /// What the manager does not set, such as PATH on some systems, this process was started with; but for the
  /// display, which need not be the session's.
  ///
  /// - Parameter managerEnvironment: `nil` where there is no manager.
  package init(managerEnvironment: [String: String]?) {
    guard let managerEnvironment else {
      self = .own
      return
    }
    let own = Self.ownEnvironment.filter { !Display.variables.contains($0.key) }
    self.init(environment: own.merging(managerEnvironment) { $1 }, hasManager: true)
  }
}

extension UserManager {
  /// The session as the user manager has it now, else as this process has it.
  package func session(completion: @escaping (Session) -> Void) {
    environment { completion(Session(managerEnvironment: $0)) }
  }
}
