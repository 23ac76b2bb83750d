import Glibc

/// Applications installed in a home of their own.
package struct InstalledApplications {
  private let directory: TemporaryDirectory
  private let searchPath: String

  package init() throws {
    directory = try TemporaryDirectory()
    searchPath = directory.path + "/bin"
    try makeDirectories(directory.path + "/data/applications")
    try makeDirectories(searchPath)
  }

  /// Installs an entry, with a program that runs `script`.
  package func install(
    _ id: String, schemes: [String], fieldCode: String = "%u", keys: [String] = [],
    script: String = ""
  ) throws {
    try writeFile("\(searchPath)/\(id)", "#!/bin/sh\n\(script)\n", mode: 0o755)
    let types = schemes.map { "x-scheme-handler/\($0);" }.joined()
    try writeFile(
      "\(directory.path)/data/applications/\(id).desktop",
      ([
        "[Desktop Entry]", "Type=Application", "Name=\(id)", "Exec=\(id) \(fieldCode)",
        "MimeType=\(types)",
      ] + keys).joined(separator: "\n") + "\n")
  }

  /// Takes an application's program away, and leaves the entry.
  package func removeProgram(_ id: String) { unlink("\(searchPath)/\(id)") }

  package var configuration: String { directory.path + "/config" }

  package var environment: [String: String] {
    [
      "HOME": directory.path, "PATH": searchPath + ":/usr/bin:/bin",
      "XDG_CONFIG_HOME": configuration, "XDG_CONFIG_DIRS": directory.path + "/etc",
      "XDG_DATA_HOME": directory.path + "/data", "XDG_DATA_DIRS": directory.path + "/share",
    ]
  }
}
