internal import Files

/// One `mimeapps.list`, as it is on disk.
struct AssociationList {
  /// What a list is called that counts on every desktop.
  static let plainName = "mimeapps.list"

  static func name(forDesktop desktop: String) -> String { "\(desktop)-\(plainName)" }

  enum Group: String, CaseIterable {
    case defaults = "Default Applications"
    case added = "Added Associations"
    case removed = "Removed Associations"
  }

  /// Of one type in one list. Each is looked for in every directory of applications, which takes a file
  /// of a megabyte a second and more for each link; every browser that a distribution has makes some
  /// forty.
  static let mostOfOneType = 100

  let path: String
  private let ids: [Group: [String: [String]]]

  /// - Parameter groups: Those that count in this file.
  init(path: String, groups: [Group]) {
    self.path = path
    guard let file = KeyFile(readingIfPossible: path) else {
      ids = [:]
      return
    }
    var ids: [Group: [String: [String]]] = [:]
    for group in groups {
      for type in file.keys(in: group.rawValue) where type.hasPrefix(Associations.schemePrefix) {
        ids[group, default: [:]][type] = file.stringList(type, in: group.rawValue)
      }
    }
    self.ids = ids
  }

  /// The ids that a group of the file names for a type: the first hundred, and all that it removes.
  func ids(_ group: Group, for type: String) -> [Associations.Source] {
    let named = (ids[group]?[type] ?? []).filter { !$0.isEmpty }
    let limit = group == .removed ? named.count : Self.mostOfOneType
    return named.prefix(limit).map { .init(id: $0, file: path) }
  }
}
