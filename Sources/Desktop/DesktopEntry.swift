internal import Files

/// An application as its desktop entry describes it.
///
/// Source: Desktop Entry Specification 1.5.
package struct DesktopEntry: Hashable, Sendable {
  /// The desktop-file id: `org.mozilla.firefox.desktop`.
  package let id: String
  /// Where the file is.
  package let path: String
  /// `Name`, in the user's language.
  package var name: String
  /// `Exec`, with the string escapes resolved and the quotes still in it.
  package var exec: String?
  package var tryExec: String?
  /// `Path`, the directory that the program starts in. A relative one would depend on where we were
  /// started.
  package var workingDirectory: String?
  package var icon: String?
  package var mimeTypes: [String] = []
  package var isDBusActivatable = false
  package var needsTerminal = false
  /// `X-Sovereign-Shell`: a shell that takes https URLs.
  package var isSovereignShell = false
  /// `SingleMainWindow`, and what GNOME called it before: at most one window, which takes the links.
  package var isSingleMainWindow = false
  /// The sandbox that it is exported from.
  package var sandbox: Sandbox?

  package enum Sandbox: Hashable, Sendable {
    /// `X-Flatpak`: the id of the Flatpak.
    case flatpak(String)
    /// `X-SnapInstanceName`: the name of the snap.
    case snap(String)
  }

  /// An entry that starts one command.
  init(id: String, path: String, name: String, exec: String?) {
    self.id = id
    self.path = path
    self.name = name
    self.exec = exec
  }

  static let suffix = ".desktop"

  /// Whether its programs are there, for the desktop: GIO takes no entry whose `Exec` it cannot cut into
  /// words, and looks for the first of them whatever the others are.
  func isRunnable(searchPath: String) -> Bool {
    var programs = [tryExec]
    if let exec {
      guard let program = ExecLine.program(of: exec) else { return false }
      programs.append(program)
    }
    return programs.allSatisfy { program in
      program.map { Executable.find($0, searchPath: searchPath) != nil } ?? true
    }
  }

  /// The first program that it names which is not there.
  func missingProgram(searchPath: String) -> String? {
    [tryExec, exec.flatMap { try? ExecLine($0) }?.program].lazy.compactMap { $0 }
      .first { Executable.find($0, searchPath: searchPath) == nil }
  }
}

extension DesktopEntry {
  /// Larger than any entry with all its translations.
  private static let limit = 1 << 20

  /// Reads the entry of an application.
  init(id: String, path: String, locales: [String]) throws(DesktopEntryError) {
    let group = "Desktop Entry"
    let file = try Self.keyFile(path)
    func text(_ key: String) -> String? {
      file.string(key, in: group).flatMap { $0.isEmpty ? nil : $0 }
    }
    func flag(_ key: String) -> Bool { file.boolean(key, in: group) ?? false }

    guard !flag("Hidden") else { throw .hidden(path: path) }
    guard text("Type") == "Application" else { throw .notApplication(path: path) }
    self.init(
      id: id, path: path, name: file.localizedString("Name", in: group, locales: locales) ?? id,
      exec: text("Exec"))
    tryExec = text("TryExec")
    workingDirectory = text("Path").flatMap { $0.hasPrefix("/") ? $0 : nil }
    icon = file.localizedString("Icon", in: group, locales: locales)
      .flatMap { $0.isEmpty ? nil : $0 }
    mimeTypes = file.stringList("MimeType", in: group) ?? []
    isDBusActivatable = flag("DBusActivatable")
    needsTerminal = flag("Terminal")
    isSovereignShell = flag("X-Sovereign-Shell")
    isSingleMainWindow = flag("SingleMainWindow") || flag("X-GNOME-SingleWindow")
    sandbox =
      text("X-Flatpak").map(Sandbox.flatpak) ?? text("X-SnapInstanceName").map(Sandbox.snap)
  }

  private static func keyFile(_ path: String) throws(DesktopEntryError) -> KeyFile {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try DurableFile(path: path).read(limit: limit)
    } catch {
      throw .unreadable(error)
    }
    do throws(KeyFileError) {
      return try KeyFile(parsing: bytes)
    } catch {
      throw .malformed(path: path, error)
    }
  }
}

extension DesktopEntry {
  /// Whether it says itself that a link reaches the one that runs. A shell that takes https URLs is
  /// one of ours, which does so.
  package var takesLinksWhileItRuns: Bool {
    busName != nil || isSingleMainWindow || isSovereignShell
  }

  /// The well-known name of an activatable application, if its id is one.
  package var busName: String? {
    guard isDBusActivatable, id.hasSuffix(Self.suffix) else { return nil }
    let name = String(id.dropLast(Self.suffix.count))
    let elements = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    let isValid =
      name.utf8.count <= 255 && elements.count > 1
      && elements.allSatisfy { element in
        guard let first = element.first, !first.isDigit else { return false }
        return element.allSatisfy(\.isInBusName)
      }
    return isValid ? name : nil
  }

  /// The object that an activatable application has under its name.
  static func objectPath(ofBusName name: String) -> String {
    "/" + name.map { $0 == "." ? "/" : $0 == "-" ? "_" : String($0) }.joined()
  }
}

extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  fileprivate var isInBusName: Bool {
    switch Unicode.Scalar(self) {
    case "A"..."Z", "a"..."z", "0"..."9", "_", "-": true
    default: false
    }
  }
}
