import Files
import Foundation
import TestSupport

@testable import Desktop

/// A home directory of a test, with a data directory `share` and programs in `bin`, removed with the
/// value.
final class Home {
  let path: String
  var desktops = ""
  var configuration = "config"

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "home-\(UUID())").path
    for directory in ["config", "data/applications", "share/applications", "xdg", "bin"] {
      try FileManager.default.createDirectory(
        atPath: "\(path)/\(directory)", withIntermediateDirectories: true)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var environment: [String: String] {
    [
      "HOME": path, "PATH": "\(path)/bin", "LANG": "de_DE.UTF-8",
      "XDG_CONFIG_HOME": "\(path)/\(configuration)", "XDG_CONFIG_DIRS": "\(path)/xdg",
      "XDG_DATA_HOME": "\(path)/data", "XDG_DATA_DIRS": "\(path)/share",
      "XDG_CURRENT_DESKTOP": desktops,
    ]
  }

  func choices(
    browser: String? = nil, previous: String? = nil, shell: String? = nil
  ) -> ApplicationChoices {
    ApplicationChoices(
      BaseDirectories(environment: environment), browser: browser, previousBrowser: previous,
      shell: shell)
  }

  func write(_ name: String, _ text: String) throws {
    try DurableFile(path: "\(path)/\(name)").replace(with: Array(text.utf8))
  }

  func program(_ name: String) throws {
    try write("bin/\(name)", "#!/bin/sh\n")
    chmod("\(path)/bin/\(name)", 0o755)
  }

  func link(_ name: String, to target: String) { symlink(target, "\(path)/bin/\(name)") }

  /// An entry that claims http and https, and the program it runs.
  func application(
    _ id: String, exec: String? = nil, in directory: String = "share",
    types: [String] = ["x-scheme-handler/http", "x-scheme-handler/https"], more: String = ""
  ) throws {
    let program = String(id.dropLast(8))
    if exec == nil { try self.program(program) }
    let claims = types.isEmpty ? "" : "MimeType=\(types.joined(separator: ";"));\n"
    try write(
      "\(directory)/applications/\(id)",
      "[Desktop Entry]\nType=Application\nName=\(program)\nExec=\(exec ?? program + " %u")\n"
        + claims + more)
  }

  /// What a real program of the desktop prints.
  func run(_ program: String, _ arguments: String...) throws -> String {
    // The real program needs the real ones besides the test's.
    let variables = [
      "PATH": "\(path)/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen",
    ]
    let child = try Child(
      [program] + arguments, environment: environment.merging(variables) { $1 })
    return try child.wait(limit: hangLimit).text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
