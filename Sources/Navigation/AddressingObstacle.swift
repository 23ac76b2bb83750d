package import WebOrigin

/// Why a shell that does not understand web URLs cannot be given a link to an instance.
package enum AddressingObstacle: Error, Hashable, Sendable {
  /// It takes links to this host for the end of a sign-in.
  case reservedHost
  /// Its own store does not have the instance.
  case missingInStore
  /// Its own store has, or may have, another instance with the same host.
  case otherInStore
  /// So has this service.
  case other(Origin)
}
