internal import WebOrigin

/// The schemes whose URLs the desktop's own handler takes.
package enum ExternalScheme {
  static let builtIn: Set<String> = [
    "mailto", "tel", "sms", "xmpp", "sip", "sips", "irc", "ircs", "matrix", "webcal", "geo",
  ]

  /// Ours to decide, or known to run code, to read files or to reach into another program: what
  /// Chromium and Firefox never pass on, and what Android passes to any application.
  private static let refused: Set<String> = [
    "http", "https", "sovereign", "ws", "wss", "ftp",
    "javascript", "vbscript", "data", "file", "blob", "about", "view-source", "filesystem", "jar",
    "intent", "android-app", "resource", "res", "shell", "mk", "hcp", "help", "afp", "disk",
    "disks", "ie.http", "iehistory", "ierss", "search", "vnd.ms.radio", "wyciwyg",
  ]

  private static let refusedPrefixes = [
    "ms-", "search-", "chrome", "moz-", "x-safari-", "webkit-", "edge", "opera", "brave",
  ]

  /// Whether a user or an administrator may have URLs of a scheme handed over.
  ///
  /// Accepted: `magnet`, `zoommtg`, `web+ap`. Refused: `javascript`, `https`, `ms-settings`, a
  /// scheme of one letter, and whatever is no scheme in lower case.
  package static func mayBeAdded(_ scheme: String) -> Bool {
    let bytes = scheme.utf8
    guard bytes.count > 1, let first = bytes.first, first.isASCIILetter,
      bytes.allSatisfy({ $0.continuesScheme && $0 == $0.lowercased })
    else { return false }
    return !refused.contains(scheme) && !refusedPrefixes.contains(where: scheme.hasPrefix)
  }
}
