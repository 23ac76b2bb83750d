internal import Glibc

/// Where a user's and the system's files are, from a set of environment variables.
///
/// Source: XDG Base Directory Specification 0.8. Variables that are unset, empty or hold a relative
/// path take the specification's default.
package struct BaseDirectories: Hashable, Sendable {
  /// The variables they were taken from.
  package let environment: [String: String]

  package init(environment: [String: String]) {
    self.environment = environment
  }

  package var home: String { absolute("HOME") ?? "/" }
  package var configHome: String { absolute("XDG_CONFIG_HOME") ?? home + "/.config" }
  package var dataHome: String { absolute("XDG_DATA_HOME") ?? home + "/.local/share" }
  package var stateHome: String { absolute("XDG_STATE_HOME") ?? home + "/.local/state" }
  package var configDirectories: [String] { list("XDG_CONFIG_DIRS") ?? ["/etc/xdg"] }
  package var dataDirectories: [String] {
    list("XDG_DATA_DIRS") ?? ["/usr/local/share", "/usr/share"]
  }

  private func absolute(_ name: String) -> String? {
    guard let value = environment[name], value.utf8.first == UInt8(ascii: "/") else { return nil }
    return value
  }

  private func list(_ name: String) -> [String]? {
    let paths = (environment[name] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
    return paths.isEmpty ? nil : paths.map(String.init)
  }
}

extension BaseDirectories {
  /// Why it is not known where this process's files are, in words; `nil` if it is known.
  ///
  /// Paths are text here, and of what is not UTF-8 the text is another path.
  package static var ownProblem: String? {
    // Without the configuration directories, an administrator's locks would not be found.
    let names = ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_DIRS"]
    for name in names {
      guard let value = getenv(name), String(validatingCString: value) == nil else { continue }
      return "\(name) is not UTF-8: \(String(cString: value)); nothing is read or written there"
    }
    return nil
  }
}
