internal import Glibc

/// The installed program under test.
package enum Installation {
  /// Where `make stage` installed it, or where the session in which the tests run has it.
  package static let prefix: String? = getenv("NAVIGATION_PREFIX").map { String(cString: $0) }

  package static let whyNot = "NAVIGATION_PREFIX names no installation; `make test` makes one"
}
