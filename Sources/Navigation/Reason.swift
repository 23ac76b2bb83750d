/// Why a URL belongs where it does; the raw values are the words of the bus contract.
public enum Reason: String, Sendable, CaseIterable {
  /// Longer than 2 MiB.
  case tooLong = "too-long"
  /// Not a URL, or a `sovereign:` link that is not `sovereign://HOST[:PORT]…`.
  case malformed
  /// A scheme that is never passed on.
  case unsupportedScheme = "unsupported-scheme"
  /// A scheme that the desktop's own handler takes.
  case externalScheme = "external-scheme"
  /// `sovereign://oauth/…`: the shell waits for it.
  case shellCallback = "shell-callback"
  /// A `sovereign:` link to a stored instance.
  case deepLink = "deep-link"
  /// A `sovereign:` link to an instance that is not stored.
  case unknownInstance = "unknown-instance"
  /// No instance is active.
  case noActiveOrigin = "no-active-origin"
  /// Engines disagree on which host the URL names.
  case ambiguousHost = "ambiguous-host"
  /// The URL has the active origin.
  case sameOrigin = "same-origin"
  /// The URL has the origin of a stored instance that is not active.
  case otherInstance = "other-instance"
  /// The URL has any other origin.
  case crossOrigin = "cross-origin"

  /// On opening only: the link came from the shell that it would go to.
  case fromShell = "from-shell"
  /// On opening only: there is no shell.
  case noShell = "no-shell"
  /// On opening only: no link that the shell understands names this instance alone.
  case shellCannotAddress = "shell-cannot-address"
  /// On opening only: an administrator has fixed the active origin.
  case locked
}
