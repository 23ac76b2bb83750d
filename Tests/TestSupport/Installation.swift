internal import Glibc

/// The installed program under test.
package enum Installation {
  /// Where `make stage` installed it, or where the session in which the tests run has it.
  package static let prefix: String? = getenv("NAVIGATION_PREFIX").map { String(cString: $0) }

  /// The path of a program that was built with the tests.
  package static func built(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let bundle = String(
      decoding: buffer[..<max(0, count)].map(UInt8.init(bitPattern:)), as: UTF8.self)
    return bundle.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/" + name
  }

  package static let whyNot = "NAVIGATION_PREFIX names no installation; `make test` makes one"
}
