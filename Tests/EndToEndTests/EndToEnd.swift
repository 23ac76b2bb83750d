import Glibc
import TestSupport
import Testing

/// Tests of the installed programs. One at a time: each has a bus and a home of its own, or the whole
/// throw-away session.
@Suite(.serialized, .enabled(if: Installation.prefix != nil, "\(Installation.whyNot)"))
enum EndToEnd {
  static let instance = "https://my.sovereign.example"
  static let foreign = "https://other.example"

  /// Whether a process ends within two seconds.
  static func hasEnded(_ pid: pid_t) -> Bool {
    poll(limit: .seconds(2)) {
      (try? readFile("/proc/\(pid)/cmdline"))?.isEmpty == false ? nil : true
    } != nil
  }

  /// How many of its children a process has not reaped.
  static func zombies(of parent: pid_t) throws -> Int {
    try entries(of: "/proc").count { name in
      // Behind the name, which may hold anything; proc(5).
      guard pid_t(name) != nil, let stat = try? readFile("/proc/\(name)/stat"),
        let end = stat.lastIndex(of: UInt8(ascii: ")"))
      else { return false }
      let fields = String(decoding: stat[(end + 1)...], as: UTF8.self).split(separator: " ")
      return fields[0] == "Z" && fields[1] == "\(parent)"
    }
  }
}

/// The directory that a file is in.
func parent(of path: String) -> String {
  String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex))
}

extension TestSession {
  /// A session with an active instance, and recording applications as shell and as browser.
  static func withApplications(
    shellKeys: [String] = ["X-Sovereign-Shell=true"]
  ) throws -> (session: TestSession, shell: RecordingApplication, browser: RecordingApplication) {
    let session = try TestSession()
    let shell = try session.installApplication(
      "test-shell", keys: ["MimeType=x-scheme-handler/sovereign;"] + shellKeys)
    let browser = try session.installApplication(
      "test-browser", keys: ["MimeType=x-scheme-handler/http;x-scheme-handler/https;"])
    try session.makeUsTheDefault()
    _ = try session.call("SetOption", "ss", "Browser", browser.id)
    _ = try session.call("SetOption", "ss", "Shell", shell.id)
    _ = try session.call("SetActive", "s", EndToEnd.instance)
    return (session, shell, browser)
  }

  /// Waits until a property has a value, which is as `busctl` prints it.
  func expect(
    _ property: String, toBecome value: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      poll { (try? self.property(property)) == value ? true : nil } != nil,
      "\(property) does not become \(value)", sourceLocation: sourceLocation)
  }

  func expectToBecomeActive(
    _ origin: String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    expect("ActiveOrigin", toBecome: "s \"\(origin)\"", sourceLocation: sourceLocation)
  }
}
