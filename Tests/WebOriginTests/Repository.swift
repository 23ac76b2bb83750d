import Foundation

/// Where the tests find what is not compiled into them.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The URL Standard's test cases: `WPT_DIRECTORY`, else `../shared/wpt` beside the repository.
  static let webPlatformTests: URL? = {
    let named = ProcessInfo.processInfo.environment["WPT_DIRECTORY"].map { URL(filePath: $0) }
    let directory = named ?? root.appending(path: "../shared/wpt").standardizedFileURL
    return FileManager.default.fileExists(atPath: directory.path) ? directory : nil
  }()

  /// The virtual environment with the other parsers, which `make test` makes.
  static let python: URL? = {
    let python = root.appending(path: ".build/conformance/venv/bin/python")
    return FileManager.default.isExecutableFile(atPath: python.path) ? python : nil
  }()
}
