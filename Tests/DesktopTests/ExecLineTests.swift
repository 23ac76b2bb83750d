import Testing

@testable import Desktop

private let entry = {
  var entry = DesktopEntry(
    id: "a.desktop", path: "/usr/share/applications/a.desktop", name: "An “app” %u", exec: nil)
  entry.icon = "an icon"
  return entry
}()

private struct Expansion: Sendable, CustomTestStringConvertible {
  let exec: String
  let targets: ExecLine.Targets
  let lines: [[String]]
  let urls: [String]
  var testDescription: String { exec }

  init(
    _ exec: String, _ targets: ExecLine.Targets, _ lines: [[String]],
    urls: [String] = ["https://a.example/", "https://b.example/"]
  ) {
    (self.exec, self.targets, self.lines, self.urls) = (exec, targets, lines, urls)
  }
}

private let a = "https://a.example/"
private let b = "https://b.example/"

@Suite struct ExecLineTests {
  @Test(arguments: [
    Expansion("app %u", .oneURL, [["app", a], ["app", b]]),
    Expansion("app %U", .manyURLs, [["app", a, b]]),
    Expansion("app", .none, [["app", a], ["app", b]]),
    Expansion("app %U -x", .manyURLs, [["app", a, b, "-x"]]),
    Expansion("app --url=%u", .oneURL, [["app", "--url=" + a], ["app", "--url=" + b]]),
    Expansion("app %u", .oneURL, [["app"]], urls: []),
    Expansion("app %U", .manyURLs, [["app"]], urls: []),
    Expansion("app", .none, [["app"]], urls: []),
    Expansion("app %F", .files, [["app"]], urls: []),
    // What a code stands for is never looked at again, whatever is in it.
    Expansion(
      "app %c %k %u", .oneURL, [["app", "An “app” %u", entry.path, "%U \"x' $HOME;"]],
      urls: ["%U \"x' $HOME;"]),
    Expansion("app %i", .none, [["app", "--icon", "an icon"]], urls: []),
    Expansion("app 100%% %%u", .none, [["app", "100%", "%u"]], urls: []),
    Expansion("app %d %D %n %N %v %m x%dy", .none, [["app", "xy"]], urls: []),
    Expansion(
      #""an app" "a \" \` \$ \\ \x" 'b " \' """#, .none,
      [["an app", "a \" ` $ \\ \\x", "b \" \\", ""]], urls: []),
    Expansion(#"a\ b"c d"'e f' g"#, .none, [["a bc de f", "g"]], urls: []),
    Expansion("  app \t x\ny ", .none, [["app", "x", "y"]], urls: []),
    Expansion(#"app "%u""#, .oneURL, [["app", a]], urls: [a]),
    Expansion(#"app "%c: %k""#, .none, [["app", "An “app” %u: " + entry.path]], urls: []),
    Expansion(
      #"sh -c '"$(dirname "$*")"/start || ([ ! -x x ])' dummy %k"#, .none,
      [["sh", "-c", #""$(dirname "$*")"/start || ([ ! -x x ])"#, "dummy", entry.path]], urls: []),
    Expansion(
      "/usr/bin/flatpak run --branch=stable --file-forwarding org.x @@u %u @@", .oneURL,
      [
        [
          "/usr/bin/flatpak", "run", "--branch=stable", "--file-forwarding", "org.x", "@@u", a,
          "@@",
        ]
      ],
      urls: [a]),
    Expansion(
      "env BAMF=/x.desktop /snap/bin/firefox %u", .oneURL,
      [["env", "BAMF=/x.desktop", "/snap/bin/firefox", a]], urls: [a]),
    // What a script is given is no script.
    Expansion(
      #"sh -c 'exec firefox "$1"' sh %u"#, .oneURL,
      [["sh", "-c", #"exec firefox "$1""#, "sh", a]], urls: [a]),
    Expansion(
      #"bash -lc 'exec "$0" "$@"' firefox"#, .none,
      [["bash", "-lc", #"exec "$0" "$@""#, "firefox", a]], urls: [a]),
    Expansion("sh start -c %u", .oneURL, [["sh", "start", "-c", a]], urls: [a]),
    Expansion("python3 start.py -c %u", .oneURL, [["python3", "start.py", "-c", a]], urls: [a]),
    Expansion(
      "python3 -c'import x' %u", .oneURL, [["python3", "-cimport x", a]], urls: [a]),
    Expansion(
      "perl -e'exec @ARGV' firefox %u", .oneURL, [["perl", "-eexec @ARGV", "firefox", a]],
      urls: [a]),
    Expansion("app -c %u", .oneURL, [["app", "-c", a]], urls: [a]),
    // Nor is what a program is given that an interpreter runs.
    Expansion("env -i app -S %u", .oneURL, [["env", "-i", "app", "-S", a]], urls: [a]),
    Expansion(
      "env -iu X A=b app -S %u", .oneURL, [["env", "-iu", "X", "A=b", "app", "-S", a]], urls: [a]),
    Expansion(
      "env --ignore-environment --unset X -- app -S %u", .oneURL,
      [["env", "--ignore-environment", "--unset", "X", "--", "app", "-S", a]], urls: [a]),
    Expansion("env '-Sapp -S' %u", .oneURL, [["env", "-Sapp -S", a]], urls: [a]),
    Expansion("env -S 'nice app -c' %u", .oneURL, [["env", "-S", "nice app -c", a]], urls: [a]),
    Expansion("sh -e app -c %u", .oneURL, [["sh", "-e", "app", "-c", a]], urls: [a]),
    Expansion(
      "bash -eo pipefail app -c %u", .oneURL, [["bash", "-eo", "pipefail", "app", "-c", a]],
      urls: [a]),
    Expansion("bash --login app -c %u", .oneURL, [["bash", "--login", "app", "-c", a]], urls: [a]),
    Expansion("python3 -u app -c %u", .oneURL, [["python3", "-u", "app", "-c", a]], urls: [a]),
    Expansion(
      "python3 -Wc -X dev app -c %u", .oneURL, [["python3", "-Wc", "-X", "dev", "app", "-c", a]],
      urls: [a]),
    Expansion("python3 -m app -c %u", .oneURL, [["python3", "-m", "app", "-c", a]], urls: [a]),
    Expansion("python3 -c x -c %u", .oneURL, [["python3", "-c", "x", "-c", a]], urls: [a]),
    Expansion("perl -w app -e %u", .oneURL, [["perl", "-w", "app", "-e", a]], urls: [a]),
    Expansion("node -r x app -e %u", .oneURL, [["node", "-r", "x", "app", "-e", a]], urls: [a]),
    Expansion("lua5.4 -i app -e %u", .oneURL, [["lua5.4", "-i", "app", "-e", a]], urls: [a]),
    Expansion("php -n app -r %u", .oneURL, [["php", "-n", "app", "-r", a]], urls: [a]),
    // A mark that joins the quote to one grapheme is still a quote and a mark.
    Expansion("app \"\u{301}\" x", .none, [["app", "\u{301}", "x"]], urls: []),
    Expansion("app %u", .oneURL, [["app", "-x"], ["app", ""]], urls: ["-x", ""]),
  ])
  fileprivate func expands(_ row: Expansion) throws {
    let line = try ExecLine(row.exec)
    #expect(line.targets == row.targets)
    #expect(line.commandLines(urls: row.urls, entry: entry) == row.lines)
  }

  @Test(arguments: [
    ("", ExecLineError.empty), ("   ", .empty), ("\"\" %u", .empty), ("%d", .empty),
    ("a=b %u", .assignmentAsProgram("a=b")), ("app %x", .unknownCode("%x")),
    ("app %", .unknownCode("%")), ("app %é", .unknownCode("%\u{C3}")),
    ("app \"x", .unbalancedQuote), ("app 'x", .unbalancedQuote),
    ("app %u %u", .severalTargets), ("app %u %F", .severalTargets),
    ("app x%U", .misplacedCode("%U")), ("app %Fx", .misplacedCode("%F")),
    ("app x%i", .misplacedCode("%i")), ("%u", .misplacedCode("%u")),
    ("app%c x", .misplacedCode("%c")),
    // A shell would run the link.
    ("sh -c \"firefox %u\"", .misplacedCode("%u")), ("sh -c 'firefox %u'", .misplacedCode("%u")),
    ("sh -c %u", .misplacedCode("%u")), ("sh -c %U", .misplacedCode("%U")),
    ("sh -c %f", .misplacedCode("%f")), ("sh -c \"%u\"", .misplacedCode("%u")),
    (#"sh -c true\ %u"#, .misplacedCode("%u")), ("sh -c echo${IFS}%u", .misplacedCode("%u")),
    ("bash -lc %u", .misplacedCode("%u")), ("sh -c -- %u", .misplacedCode("%u")),
    ("bash -o pipefail -c %u", .misplacedCode("%u")), ("dash -c -e %u x", .misplacedCode("%u")),
    ("fish --command=%u", .misplacedCode("%u")), ("ksh93 -c -%u", .misplacedCode("%u")),
    ("env A=b nice -n 5 /bin/sh -c %u", .misplacedCode("%u")),
    ("busybox sh -c %u", .misplacedCode("%u")), ("env -S %u", .misplacedCode("%u")),
    ("env -iS wild%u", .misplacedCode("%u")), ("env -Swild%u", .misplacedCode("%u")),
    ("python3 -c %u", .misplacedCode("%u")), ("/usr/bin/python3.11 -Ic%u", .misplacedCode("%u")),
    ("perl -I lib -we %u", .misplacedCode("%u")), ("perl -E %u", .misplacedCode("%u")),
    ("perl -MFile::Temp -e%u", .misplacedCode("%u")), ("node --eval=%u", .misplacedCode("%u")),
    ("node --print %u", .misplacedCode("%u")), ("node -pe %u", .misplacedCode("%u")),
    ("node -e%u", .misplacedCode("%u")),
    ("node -e 1 -e %u", .misplacedCode("%u")), ("nodejs -p 1 -pe", .scriptMissing("nodejs")),
    ("su - me -c %u", .misplacedCode("%u")), ("su me -c %u", .misplacedCode("%u")),
    ("runuser -u me -- sh -c %u", .misplacedCode("%u")),
    ("env -iu X -S %u", .misplacedCode("%u")), ("env -S 'A=b sh -c' %u", .misplacedCode("%u")),
    ("env -vS 'perl -we' %u", .misplacedCode("%u")), ("env '-Ssh -c' %u", .misplacedCode("%u")),
    ("env -S '-iS \"sh -c\"' %u", .misplacedCode("%u")),
    ("env -S '-Ssh -c' %u", .misplacedCode("%u")),
    ("env -S '${SHELL} -c' %u", .misplacedCode("%u")),
    (#"env -S 's\h -c' %u"#, .misplacedCode("%u")),
    ("env --split-string='sh -c' %u", .misplacedCode("%u")),
    ("bash -e -c %u", .misplacedCode("%u")), ("bash --login -c %u", .misplacedCode("%u")),
    ("bash --rcfile x -c %u", .misplacedCode("%u")), ("tcsh -fc %u", .misplacedCode("%u")),
    ("python3 -W x -uc %u", .misplacedCode("%u")), ("perl -e 1 -e %u", .misplacedCode("%u")),
    ("perl -M%u -e 1", .misplacedCode("%u")), ("lua5.4 -i -e %u", .misplacedCode("%u")),
    ("php -B 1 -R %u", .misplacedCode("%u")), ("fish -C %u", .misplacedCode("%u")),
    ("env -S 'sh -c'", .scriptMissing("sh")), ("env -S", .scriptMissing("env")),
    ("env '-S${SHELL} -c'", .scriptMissing("env")), ("perl -e 1 -we", .scriptMissing("perl")),
    ("sh -c", .scriptMissing("sh")), ("nice bash -l -c", .scriptMissing("bash")),
  ])
  func refuses(exec: String, expected: ExecLineError) {
    #expect(throws: expected) { try ExecLine(exec) }
  }

  @Test func survivesRandomText() {
    let alphabet = Array("%uUfFickdxa\"'\\ \t=$é\u{301}")
    for _ in 0..<20_000 {
      let exec = String((0..<Int.random(in: 0...16)).compactMap { _ in alphabet.randomElement() })
      guard let line = try? ExecLine(exec) else { continue }
      for arguments in line.commandLines(urls: [a, b], entry: entry) {
        #expect(!arguments.isEmpty && arguments[0] == line.program, "\(exec)")
      }
    }
  }
}
