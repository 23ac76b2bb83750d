import Foundation

/// Where the tests find what is not compiled into them.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// The URL Standard's test cases.
  static let webPlatformTests = root.appending(path: "Tests/conformance/wpt/urltestdata.json")

  /// The virtual environment with the other parsers, which `make test` makes.
  static let python: URL? = {
    let python = root.appending(path: ".build/conformance/venv/bin/python")
    return FileManager.default.isExecutableFile(atPath: python.path) ? python : nil
  }()
}
