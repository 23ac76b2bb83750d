internal import WebOrigin

/// What one call of the service may carry.
package enum Limits {
  /// Of one string, in bytes.
  package static let length = URLOrigin.maximumLength
  /// How many URLs.
  package static let urls = 4096
  /// Of all URLs, in bytes.
  package static let totalLength = 4 << 20
  /// Of how many values all options consist, with those of what is ignored.
  package static let options = 4096
}
