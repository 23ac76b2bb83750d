import Bus
import Glibc
import TestSupport
import Testing

extension EndToEnd {
  /// Calls that are in flight when the service is told to end.
  @Suite struct ShutdownTests {
    @Test func everyCallIsAnsweredWhileTheServiceEndsAndComesBack() throws {
      let session = try TestSession()
      for round in 0..<20 {
        let pid = try session.servicePID()
        let callers = try Callers()
        for number in 0..<300 {
          let url = "https://\(number).example/"
          switch number % 30 {
          case 0: try callers.call("SetActive", url)
          case 1..<10: try callers.call("Explain", url)
          default: try callers.call("Decide", url)
          }
        }
        try callers.loop.run { callers.answers.count >= 10 * round }
        kill(pid, SIGTERM)
        try callers.loop.run { callers.answers.count == 300 }
        #expect(callers.answers.compactMap(\.self) == [], "round \(round)")
        #expect(try session.property("ActiveOrigin") == #"s "https://270.example""#)
        #expect(try session.servicePID() != pid, "round \(round)")
      }
    }
  }
}

/// Calls that do not wait for each other.
private final class Callers {
  let loop: EventLoop
  private let connection: Connection
  /// The errors of those that are answered; `nil` for each that is answered well.
  private(set) var answers: [BusError?] = []

  init() throws {
    loop = try EventLoop()
    connection = try Connection()
    try connection.attach(to: loop)
  }

  func call(_ member: String, _ url: String) throws(BusError) {
    let call = try connection.makeCall(
      to: "fs.sovereign.Navigation", path: "/fs/sovereign/Navigation",
      interface: "fs.sovereign.Navigation", member: member)
    try call.append(url)
    try connection.send(call) { [unowned self] reply in answers.append(reply.error) }
  }
}
