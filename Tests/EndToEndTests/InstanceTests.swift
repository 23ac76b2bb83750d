import Glibc
import TestSupport
import Testing

extension EndToEnd {
  /// `instances add`, which asks the instance first.
  @Suite struct InstanceTests {
    private static let home =
      #"{"status":"ok","product":"sovereign","instanceName":" Home ","platformVersion":"1"}"#

    private func add(
      _ session: TestSession, _ arguments: [String], variables: [String: String] = [:]
    ) throws -> CommandResult {
      try session.run(["sovereign-navigation", "instances", "add"] + arguments, adding: variables)
    }

    private func labels(_ session: TestSession) throws -> [String] {
      try session.run(["sovereign-navigation", "instances"]).text.split(separator: "\n")
        .compactMap { $0.split(separator: "\t").dropFirst().first.map(String.init) }
    }

    @Test func isCalledWhatItCallsItself() throws {
      let session = try TestSession()
      let server = try PageServer(response: PageServer.response("200 OK", Self.home))
      defer { server.stop() }
      let origin = "http://127.0.0.1:\(server.port)"
      let added = try add(session, [origin + "/x?y"])
      #expect(added.text == origin && added.status == 0, "\(added)")
      #expect(server.targets == ["/api/instance"])
      #expect(try labels(session) == ["Home"])
      #expect(try session.property("ActiveOrigin") == "s \"\(origin)\"")

      // What the user calls it comes first, and stays.
      #expect(try add(session, [origin, "--label", "Mine"]).status == 0)
      #expect(try add(session, [origin]).status == 0)
      #expect(server.targets.count == 3)
      #expect(try labels(session) == ["Mine"])
    }

    @Test func aNameThatIsNoLabelIsNone() throws {
      let session = try TestSession()
      for name in [String(repeating: "x", count: 257), #"a\u0007"#, "", "  "] {
        let answer = Self.home.replacing(" Home ", with: name)
        let server = try PageServer(response: PageServer.response("200 OK", answer))
        defer { server.stop() }
        let origin = "http://127.0.0.1:\(server.port)"
        let added = try add(session, [origin])
        #expect(added.text == origin, "\(added)")
        #expect(try labels(session).last == "127.0.0.1:\(server.port)")
      }
    }

    private struct Refusal {
      let response: [UInt8]?
      let says: String

      init(_ response: [UInt8]?, _ says: String = "what answers there is no instance of Sovereign")
      {
        self.response = response
        self.says = says
      }
    }

    @Test func whatIsNoInstanceIsRefused() throws {
      let session = try TestSession()
      let good = Self.home
      let padding = String(repeating: " ", count: 64 << 10)
      let refusals: [Refusal] = [
        .init(PageServer.response("200 OK", type: "text/html", "<html>")),
        .init(PageServer.response("404 Not Found", good)),
        .init(PageServer.response("200 OK", "")),
        .init(PageServer.response("200 OK", "[]")),
        .init(PageServer.response("200 OK", good + good)),
        .init(PageServer.response("200 OK", #"{"status":"ok","product":"sovereign"}"#)),
        .init(PageServer.response("200 OK", good.replacing("sovereign", with: "Sovereign"))),
        .init(PageServer.response("200 OK", good.replacing(#""sovereign""#, with: "1"))),
        .init(
          PageServer.response("200 OK", good.replacing("ok", with: "starting")),
          "the instance says that it is not ready"),
        .init(PageServer.response("200 OK", good + padding)),
        // Without a length.
        .init(Array("HTTP/1.1 200 OK\r\n\r\n\(good)\(padding)".utf8)),
        .init(
          PageServer.response("302 Found", header: "Location: https://evil.example/x\r\n", good),
          "it leads on to https://evil.example; add that, if it is yours"),
        .init(PageServer.response("302 Found", header: "Location: /x\r\n", good)),
        .init(
          Array("nonsense\r\n\r\n".utf8),
          "the instance cannot be asked whether it is one: "
            + "Received HTTP/0.9 when not allowed"),
        .init(
          nil,
          "the instance cannot be asked whether it is one: "
            + "Operation timed out after 5"),
      ]
      for refusal in refusals {
        let server = try PageServer(response: refusal.response)
        defer { server.stop() }
        let origin = "http://127.0.0.1:\(server.port)"
        let result = try add(session, [origin])
        #expect(
          result.errorText.hasPrefix("sovereign-navigation: \(origin): \(refusal.says)"),
          "\(result)")
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(server.targets == ["/api/instance"])
      }
      #expect(try labels(session) == [])
    }

    @Test func aCertificateThatNobodyKnowsIsAnError() throws {
      let session = try TestSession()
      let directory = try TemporaryDirectory()
      let made = try session.run([
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", directory.path + "/key", "-out", directory.path + "/certificate", "-days", "1",
        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
      ])
      #expect(made.status == 0, "\(made)")
      let server = try session.start([
        "python3", "-uc",
        """
        import http.server, ssl, sys
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                # It closes the connection without saying so in TLS, which would be an error without a length.
                body = sys.argv[2].encode()
                self.send_response(200); self.send_header('Content-Length', str(len(body)))
                self.end_headers(); self.wfile.write(body)
        server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1] + '/certificate', sys.argv[1] + '/key')
        server.socket = context.wrap_socket(server.socket, server_side=True)
        print(server.server_port)
        server.serve_forever()
        """, directory.path, Self.home,
      ])
      defer { server.signal(SIGKILL) }
      let port = try #require(
        poll {
          server.output.last == 0x0A
            ? String(decoding: server.output.dropLast(), as: UTF8.self) : nil
        })
      let origin = "https://127.0.0.1:\(port)"
      let result = try add(session, [origin])
      #expect(result.status == 1)
      #expect(
        result.errorText.hasPrefix(
          "sovereign-navigation: \(origin): the instance cannot be asked whether it is one: "
            + "SSL certificate problem: self"), "\(result)")
      let trusted = try add(
        session, [origin], variables: ["CURL_CA_BUNDLE": directory.path + "/certificate"])
      #expect(trusted.text == origin, "\(trusted)")
      #expect(try labels(session) == ["Home"])
    }

    @Test func withoutAskingNothingIsNeeded() throws {
      let session = try TestSession()
      let origin = "http://127.0.0.1:1"
      let nobody = try add(session, [origin])
      #expect(nobody.status == 1 && nobody.errorText.contains("Failed to connect"), "\(nobody)")
      #expect(try add(session, [origin, "--no-verify"]).text == origin)
      #expect(try labels(session) == ["127.0.0.1:1"])

      let prefix = Installation.prefix ?? ""
      let result = try session.run(
        [prefix + "/bin/sovereign-navigation", "instances", "add", "https://a.example"],
        adding: ["PATH": prefix + "/bin"])
      #expect(result.status == 1)
      #expect(
        result.errorText == "sovereign-navigation: curl: No such file or directory; "
          + "install it, or add the instance with --no-verify")
    }
  }
}
