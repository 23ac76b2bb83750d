import Foundation
import TestSupport

/// What GIO says about a type.
struct GIOAnswer: Decodable, Hashable {
  struct Application: Decodable, Hashable {
    let id: String
    let path: String
  }

  let `default`: Application?
  /// Most preferred first.
  let associated: [String]

  /// One answer for each type on each desktop that an environment describes.
  static func all(
    of types: [String], _ environments: [[String: String]]
  ) throws -> [[String: GIOAnswer]] {
    let encoder = JSONEncoder()
    let lines = try environments.map { try encoder.encode($0) }
    let tool = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "tools/gio-answers")
    // On standard error it says which lists have groups that they should not have.
    let answers = try Child(
      [tool.path] + types, environment: ProcessInfo.processInfo.environment,
      input: Array(lines.joined(separator: Data("\n".utf8)))
    ).wait(limit: .seconds(600)).output
    return try answers.split(separator: UInt8(ascii: "\n")).map {
      try JSONDecoder().decode([String: GIOAnswer].self, from: Data($0))
    }
  }
}

extension Home {
  /// What `gio` opens a type with.
  func gioDefault(_ type: String) throws -> String? {
    let answer = try run("/usr/bin/gio", "mime", type)
    let prefix = "Default application for “\(type)”: "
    guard answer.hasPrefix(prefix) else { return nil }
    return answer.dropFirst(prefix.count).split(separator: "\n").first.map(String.init)
  }

  /// What `xdg-mime` says is the default for a type.
  func xdgMimeDefault(_ type: String) throws -> String? {
    let answer = try run("/usr/bin/xdg-mime", "query", "default", type)
    return answer.isEmpty ? nil : answer
  }
}
