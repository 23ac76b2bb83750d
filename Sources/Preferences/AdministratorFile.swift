import Files
import Glibc

/// An administrator's preference file: defaults and locks for every user.
struct AdministratorFile {
  let path: String
  private var state = GoodState(isAdministrators: true)
  private(set) var content = Content.absent
  private var problems: [Problem] = []

  init(path: String) {
    self.path = path
  }

  var settings: Settings.Administrator {
    .init(path: path, layer: state.layer, problem: isUnknown ? problems.first : nil)
  }

  /// Whether it is there and has said nothing so far that could be read.
  private var isUnknown: Bool { content != .absent && state.text.isEmpty }

  var diagnostics: [Diagnostic] { problems.map { Diagnostic(path: path, problem: $0) } }

  /// Looks at the file.
  ///
  /// - Returns: Whether it is another one than at the last look.
  mutating func look() -> Bool {
    var found = Content(of: DurableFile(path: path))
    // What said something before may be half written, or out of sight for a moment.
    if state.text.isEmpty, isWhereNothingCanBe(found) || saysNothing(found) { found = .absent }
    guard found != content else { return false }
    content = found
    (state, problems) = state.after(found)
    return true
  }

  /// `XDG_CONFIG_DIRS` may name what is no directory, or one that is not for this user.
  private func isWhereNothingCanBe(_ found: Content) -> Bool {
    switch found {
    case .dangling:
      return access(parent(of: parent(of: path)), F_OK) != 0
    case .unreadable:
      var status = stat()
      guard lstat(path, &status) != 0 else { return false }
      // Where there are no descriptors, only this says that there is no file.
      if errno == ENOENT { return !DurableFile(path: path).isBehindDanglingLink }
      return [ENOTDIR, EACCES, ENAMETOOLONG].contains(errno)
    default:
      return false
    }
  }

  /// Whether everything in it is switched off by making it a comment.
  private func saysNothing(_ found: Content) -> Bool {
    guard case .bytes(let bytes) = found, !bytes.isEmpty, let file = try? KeyFile(parsing: bytes)
    else { return false }
    return file.groups.isEmpty
  }
}

extension [AdministratorFile] {
  /// Looks at all of them.
  ///
  /// - Returns: Whether one is another than at the last look.
  mutating func look() -> Bool {
    var isChanged = false
    for index in indices where self[index].look() { isChanged = true }
    return isChanged
  }

  var settings: [Settings.Administrator] { map(\.settings) }
  var diagnostics: [Diagnostic] { flatMap(\.diagnostics) }
}
