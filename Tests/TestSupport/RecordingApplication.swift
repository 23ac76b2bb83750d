package import Glibc

/// An installed application that notes how it was started, and ends.
package struct RecordingApplication {
  /// The desktop-file id.
  package let id: String
  package var program: String { records + "/program" }
  private let records: String
  /// Lives as long as this, and its processes with it.
  private let session: TestSession

  package struct Launch: Hashable, Sendable {
    package let pid: pid_t
    package let arguments: [String]
    /// Its control group, in systemd's hierarchy.
    package let controlGroup: String
    package let environment: [String]
  }

  /// Waits until it has been started `count` times; `nil` if it is not within `limit`.
  package func launches(_ count: Int, limit: Duration = .seconds(10)) throws -> [Launch]? {
    try poll(limit: limit) {
      let all = try launches
      return all.count >= count ? all : nil
    }
  }

  /// All launches so far, the earliest first.
  package var launches: [Launch] {
    get throws {
      try entries(of: records).filter { $0.hasSuffix(".arguments") }.map { name in
        let base = "\(records)/\(name.dropLast(".arguments".count))"
        return Launch(
          pid: name.split(separator: ".").dropFirst().first.flatMap { pid_t($0) } ?? 0,
          arguments: strings(try readFile(base + ".arguments")),
          controlGroup: String(decoding: try readFile(base + ".cgroup"), as: UTF8.self)
            .split(separator: "\n").first { $0.hasPrefix("0::") }.map { String($0.dropFirst(3)) }
            ?? "",
          environment: strings(try readFile(base + ".environ")))
      }
    }
  }

  private func strings(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }

  fileprivate init(id: String, records: String, session: TestSession) {
    self.id = id
    self.records = records
    self.session = session
  }
}

extension TestSession {
  /// Installs a recording application whose desktop-file id is `name` with `.desktop`.
  ///
  /// Its `Exec` line ends with `fieldCode`, its entry has `keys` as further lines, and after it has
  /// noted its arguments its program runs `then`, in shell.
  package func installApplication(
    _ name: String, fieldCode: String = "%u", keys: [String] = [], then: String = ""
  ) throws -> RecordingApplication {
    let records = "\(home)/.local/share/test/\(name)"
    try makeDirectories(records)
    try writeFile(
      records + "/program",
      """
      #!/bin/sh
      record='\(records)'/$(date +%s%N).$$
      cp /proc/$$/environ "$record.environ"
      cp /proc/$$/cgroup "$record.cgroup"
      for argument; do printf '%s\\0' "$argument"; done >"$record.part"
      mv "$record.part" "$record.arguments"
      \(then)

      """, mode: 0o755)
    let lines =
      [
        "[Desktop Entry]", "Type=Application", "Name=\(name)",
        "Exec=\"\(records)/program\" \(fieldCode)",
      ] + keys
    try writeFile(
      "\(home)/.local/share/applications/\(name).desktop", lines.joined(separator: "\n") + "\n")
    return RecordingApplication(id: name + ".desktop", records: records, session: self)
  }

  /// Makes our entry the default for web links, as the user would with the desktop's settings.
  package func makeUsTheDefault() throws {
    try writeFile(
      home + "/.config/mimeapps.list",
      """
      [Default Applications]
      x-scheme-handler/http=fs.sovereign.Navigation.desktop
      x-scheme-handler/https=fs.sovereign.Navigation.desktop
      x-scheme-handler/sovereign=fs.sovereign.Navigation.desktop

      """)
  }
}
