import Glibc
import TestSupport
import Testing

@testable import sovereign_navigation

/// The program as a script runs it.
struct CommandLineTests {
  // MARK: Lines

  private static let chunk = 256 << 10
  private static let limit = 2 << 20

  @Test(arguments: [
    ("", []),
    ("https://a", ["https://a"]),
    ("https://a\n", ["https://a"]),
    ("\n", ["failure"]),
    ("\n\nhttps://a\n\n", ["failure", "failure", "https://a", "failure"]),
    ("https://a\r\nhttps://b\r\n", ["https://a", "https://b"]),
    ("https://a\0\nhttps://b", ["https://a", "https://b"]),
    ("https://é/\n", ["https://xn--9ca"]),
  ]) func readsLines(_ input: String, _ expected: [String]) throws {
    let result = try Tool.result(of: ["origin"], input: Array(input.utf8))
    #expect(result.output == Array(expected.map { $0 + "\n" }.joined().utf8), "\(result)")
    #expect(result.status == 0)
  }

  @Test func readsWhatEndsWithNUL() throws {
    let result = try Tool.result(of: ["origin", "-0"], input: Array("https://a\0\0b\nc\0d:e".utf8))
    #expect(result.output == Array("https://a\0failure\0failure\0null\0".utf8), "\(result)")
  }

  @Test func readsLinesThatAreNotUTF8() throws {
    let line: [UInt8] = Array("https://a/".utf8) + [0xFF, 0xC3, 0x0A]
    let result = try Tool.result(of: ["origin", "--json"], input: line)
    #expect(
      result.text
        == #"[{"url":"https://a/\#u{FFFD}\#u{FFFD}","result":"tuple","origin":"https://a"}]"#)
  }

  /// Lines that end just before, at and behind the end of what one read gives.
  @Test(arguments: [-2, -1, 0, 1, 2]) func joinsPiecesOfLines(_ offset: Int) throws {
    let first = line("https://first.example/", length: Self.chunk + offset)
    let input = first + [0x0A] + Array("https://second.example\n\nhttps://third.example".utf8)
    let result = try Tool.result(of: ["origin"], input: input)
    #expect(
      result.text == "https://first.example\nhttps://second.example\nfailure\nhttps://third.example"
    )
  }

  @Test func aLineLongerThanAURLIsNone() throws {
    let input =
      line("https://a/", length: Self.limit) + [0x0A] + line("https://b/", length: Self.limit + 1)
      + [0x0A] + line("https://c/", length: 3 * Self.limit) + Array("\nhttps://d".utf8)
    #expect(
      try Tool.result(of: ["origin"], input: input).text
        == "https://a\nfailure\nfailure\nhttps://d")
    #expect(
      try Tool.result(of: ["decide", "--offline"], input: input).text
        == "browser\nblocked\nblocked\nbrowser")
  }

  private func line(_ start: String, length: Int) -> [UInt8] {
    Array(start.utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: length - start.utf8.count)
  }

  // MARK: Answers

  @Test func jsonIsOneObjectOrAnArray() throws {
    let object = #"{"url":"https://a","destination":"browser"}"#
    let decide = ["decide", "--offline", "--json"]
    #expect(try Tool.result(of: decide + ["https://a"]).text == object)
    #expect(
      try Tool.result(of: decide + ["https://a", "https://a"]).text == "[\(object),\n\(object)]")
    #expect(try Tool.result(of: decide, input: Array("https://a".utf8)).text == "[\(object)]")
    #expect(try Tool.result(of: decide).text == "[]")
  }

  @Test func decidesOfflineFromItsOptions() throws {
    let result = try Tool.result(
      of: [
        "decide", "--offline", "--active", "my.sovereign.example", "--instance",
        "other.example:444",
        "--", "https://my.sovereign.example/x", "sovereign://other.example/", "https://a", "--json",
      ])
    #expect(result.text == "shell\nshell\nbrowser\nblocked", "\(result)")
  }

  @Test func saysWhoOpensWebLinksWithoutABus() throws {
    let nowhere = ["XDG_DATA_DIRS": "/nowhere", "XDG_CONFIG_DIRS": "/nowhere"]
    let check = try Tool.result(of: ["register", "--check"], environment: nowhere)
    #expect(
      check.text
        == "https: no application is the default\nhttp: no application is the default")
    #expect(check.status == 1)
    let json = try Tool.result(of: ["register", "--json", "--check"], environment: nowhere)
    let rows = ["https", "http"].map { #"{"scheme":"\#($0)","handler":null,"source":null}"# }
    #expect(json.text == #"{"default":false,"handlers":[\#(rows.joined(separator: ","))]}"#)
    #expect(try Tool.result(of: ["register"]).status == 3)
    for arguments in [["register", "x"], ["register", "--json"], ["unregister", "x"]] {
      #expect(try Tool.result(of: arguments).status == 2, "\(arguments)")
    }
    // Nothing is there to be put back.
    #expect(try Tool.result(of: ["unregister"], environment: nowhere).status == 0)
  }

  @Test func saysThatItsAnswersCannotBeWritten() throws {
    for arguments in [["origin", "https://a"], ["--version"], ["help"]] {
      let result = try Tool.shell(#""$0" "$@" >/dev/full"#, arguments)
      #expect(result.status == 1)
      #expect(
        result.errorText
          == "sovereign-navigation: standard output: it cannot be written to: "
          + "No space left on device")
    }
    #expect(try Tool.shell(#""$0" "$@" >&-"#, ["origin", "https://a"]).status == 1)
    // The status outlives a diagnostic that nobody can read.
    #expect(try Tool.shell(#""$0" "$@" 2>/dev/full"#, ["nonsense"]).status == 2)
    #expect(try Tool.shell(#""$0" "$@" 2>&-"#, ["nonsense"]).status == 2)
  }

  @Test func endsWithItsReader() throws {
    let result = try Tool.shell(
      #"set -o pipefail; yes https://a | "$0" "$@" | head -1; echo "${PIPESTATUS[1]}""#, ["origin"])
    #expect(result.text == "https://a\n\(128 + SIGPIPE)")
  }

  @Test func answersWhatHasArrived() throws {
    let result = try Tool.shell(
      #"""
      coproc "$0" "$@"
      for url in https://a x:y nonsense; do
        echo "$url" >&"${COPROC[1]}"; read -r -t 5 -u "${COPROC[0]}" answer; echo "$answer"
      done
      """#, ["origin"])
    #expect(result.text == "https://a\nnull\nfailure")
  }

  // MARK: Wrong usage

  @Test(arguments: [
    ([], "no command given; try sovereign-navigation --help"),
    ([""], "``: no such command; try sovereign-navigation --help"),
    (["nonsense"], "nonsense: no such command; try sovereign-navigation --help"),
    (["no\nn"], "no\u{FFFD}n: no such command; try sovereign-navigation --help"),
    (["help", "nonsense"], "nonsense: no such command; try sovereign-navigation --help"),
    (["decide", "--active=a", "b"], "decide: --active and --instance go with --offline"),
    (["explain"], "explain: no URL is given"),
    (["active", "a", "b"], "active: more than one URL is given"),
    (["active", "a", "--clear"], "active: a URL and --clear exclude each other"),
    (["active", ""], "active: the URL is empty; --clear leaves no instance active"),
    (["browser", ""], "browser: the id is empty; --reset restores the default"),
    (["shell", "a", "--reset"], "shell: an id and --reset exclude each other"),
    (["instances", "nonsense"], "instances: `nonsense` is neither add nor remove"),
    (["instances", "add"], "instances: exactly one URL must be given"),
    (["instances", "remove", ""], "instances: exactly one origin must be given"),
    (["instances", "--label=x"], "instances: --label and --no-verify go with add"),
    (["instances", "add", "a", "--json"], "instances: --json goes with neither add nor remove"),
    (["browser", "a", "--json"], "browser: --json goes with neither an id nor --reset"),
    (["shell", "--reset", "--json"], "shell: --json goes with neither an id nor --reset"),
    (["--version", "foo"], "--version: it takes no arguments"),
    (["help", "decide", "foo"], "help: more than one command is given"),
    (["--help", "decide", "foo"], "--help: more than one command is given"),
    (["import", "a", "b"], "import: more than one file is given"),
    (["monitor", "x"], "monitor: it takes no arguments"),
    (["status", "x"], "status: it takes no arguments"),
    (["open", "--json"], "open: --json is no option of open; try sovereign-navigation help open"),
    (
      ["decide", "--offline", "--active=ftp://a"],
      "ftp://a: an instance cannot be reached by `ftp`; give an address that begins with https://"
    ),
    (
      ["decide", "--offline", "--active=user:pw@a"],
      "user:pw@a: an instance cannot be reached by `user`, and its address must not contain a user "
        + "name or password; leave out what stands before the @"
    ),
    (
      ["decide", "--offline", "--active= "],
      "` `: ` ` is not a web address; give one like https://my.sovereign.example"
    ),
  ]) func refusesWrongUsage(_ arguments: [String], _ message: String) throws {
    let result = try Tool.result(of: arguments)
    #expect(result.status == ExitStatus.usage.rawValue)
    #expect(result.errorText == "sovereign-navigation: " + message)
    #expect(result.output.isEmpty)
  }

  @Test(arguments: Command.allCases) func helpsAnywhere(_ command: Command) throws {
    for arguments in [
      ["help", command.rawValue], ["-h", command.rawValue], [command.rawValue, "-h"],
      ["help", command.rawValue, "--help"],
      [command.rawValue, "x", "--json", "--help"],
    ] {
      let result = try Tool.result(of: arguments)
      #expect(result.text == command.help)
      #expect(result.status == 0)
    }
  }

  // MARK: Without a service

  @Test(arguments: [
    ["decide", "https://a"], ["explain", "https://a"], ["active"], ["active", "a"],
    ["active", "--clear"], ["instances"], ["instances", "add", "a"], ["instances", "remove", "a"],
    // A label may be anything.
    ["instances", "add", "a", "--label", "-h"], ["instances", "add", "a", "--label", "--help"],
    ["browser", "a.desktop"], ["shell", "--reset"], ["status"], ["monitor"],
  ]) func saysThatTheServiceCannotBeReached(_ arguments: [String]) throws {
    let result = try Tool.result(of: arguments)
    #expect(result.status == ExitStatus.unreachable.rawValue)
    #expect(
      result.errorText
        == "sovereign-navigation: \(arguments[0]): the service cannot be reached: "
        + "the session bus cannot be reached: No such file or directory; "
        + "sovereign-navigation doctor says what to do")
    #expect(result.output.isEmpty)
  }

  @Test(arguments: [
    (nil, "FILE: it does not exist; name the file in which the shell stores its instances"),
    ("", "FILE: it is not JSON, or only a part of it; see line 1"),
    ("[]", "FILE: the file must be an object"),
    (
      #"{"instances":[],"current":null}"#,
      "FILE: the file must have the keys `instances`, `activeUrl`, and has `instances`, `current`"
    ),
    (
      #"{"instances":[{}],"activeUrl":null}"#,
      "FILE: instance 1 must have the keys `url`, `label`, `addedAt`, and has none"
    ),
    // One that can be used needs the service.
    (
      #"{"instances":[],"activeUrl":null}"#,
      "import: the service cannot be reached: "
        + "the session bus cannot be reached: No such file or directory; "
        + "sovereign-navigation doctor says what to do"
    ),
  ]) func saysWhyAStoreIsNotImported(_ text: String?, _ message: String) throws {
    let home = try TemporaryDirectory()
    let directory = home.path + "/.local/share/fs.sovereign.desktop"
    let file = directory + "/instances.json"
    try makeDirectories(directory)
    if let text { try writeFile(file, text) }
    for arguments in [["import"], ["import", file]] {
      let result = try Tool.result(of: arguments, environment: ["HOME": home.path])
      #expect(result.errorText == "sovereign-navigation: " + message.replacing("FILE", with: file))
      #expect(result.status == (message.contains("session bus") ? 3 : 1))
      #expect(result.output.isEmpty)
    }
  }

  @Test func saysThatANameIsNotUTF8() throws {
    let directory = try TemporaryDirectory()
    let result = try Tool.shell(
      #"cd "$1" && echo '[]' >$'\xFF' && "$0" import $'\xFF'"#, [directory.path])
    #expect(
      result.errorText
        == "sovereign-navigation: \u{FFFD}: it does not exist, or its name is not UTF-8; rename it, or "
        + "name the file in which the shell stores its instances")
    #expect(result.status == 1)
  }

  @Test func readsAgainWhatTheShellIsStillWriting() throws {
    let directory = try TemporaryDirectory()
    let file = directory.path + "/instances.json"
    try writeFile(file, #"{"instances":[],"#)
    _ = try ImportCommand.read(file) {
      try? writeFile(file, #"{"instances":[],"activeUrl":null}"#)
    }
    try writeFile(file, "")
    var pauses = 0
    #expect(throws: ToolError.self) { try ImportCommand.read(file) { pauses += 1 } }
    #expect(pauses == 1)
  }

  @Test func opensWithoutABus() throws {
    let home = try TemporaryDirectory()
    let applications = home.path + "/.local/share/applications"
    try makeDirectories(applications)
    try writeFile(
      applications + "/recorder.desktop",
      """
      [Desktop Entry]
      Type=Application
      Name=Recorder
      Exec=\(home.path)/recorder %u
      MimeType=x-scheme-handler/https;

      """)
    try writeFile(
      applications + "/mimeinfo.cache",
      "[MIME Cache]\nx-scheme-handler/https=recorder.desktop;\n")
    try writeFile(
      home.path + "/recorder",
      """
      #!/bin/sh
      printf '%s|%s\\n' "$1" "$XDG_ACTIVATION_TOKEN" >>'\(home.path)/record'

      """, mode: 0o755)
    let result = try Tool.result(
      of: ["open", "--", "--json", "https://a.example/?x=${HOME}", "https://b.example"],
      environment: ["HOME": home.path, "XDG_DATA_DIRS": "/nowhere", "XDG_ACTIVATION_TOKEN": "once"])
    // What cannot be opened does not keep the rest from being opened.
    #expect(result.status == ExitStatus.failure.rawValue)
    #expect(
      result.errorText
        == "sovereign-navigation: --json: the link is not a URL; check it for mistakes")
    let record = poll {
      let lines = (try? readFile(home.path + "/record")).map {
        String(decoding: $0, as: UTF8.self).split(separator: "\n").sorted()
      }
      return lines?.count == 2 ? lines : nil
    }
    #expect(record == ["https://a.example/?x=${HOME}|once", "https://b.example|"])
  }
}

extension Tool {
  /// Runs the program that was built with this test.
  static func result(
    of arguments: [String], input: [UInt8] = [], environment: [String: String] = [:]
  ) throws -> CommandResult {
    try Child(
      [Installation.built("sovereign-navigation")] + arguments,
      environment: Self.environment.merging(environment) { $1 }, input: input
    ).wait()
  }

  /// Runs a bash script with the program as `$0`.
  static func shell(_ script: String, _ arguments: [String]) throws -> CommandResult {
    try Child(
      ["bash", "-c", script, Installation.built("sovereign-navigation")] + arguments,
      environment: environment
    ).wait()
  }

  private static let environment = [
    "HOME": "/nowhere", "LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus",
  ]
}
