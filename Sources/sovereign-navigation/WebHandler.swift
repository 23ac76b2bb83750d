internal import Desktop

/// What the desktop opens http or https links with.
struct WebHandler {
  let scheme: String
  let source: Associations.Source?

  var isOurs: Bool { source?.id == DesktopEntry.ours }
}

extension WebHandler: CustomStringConvertible {
  var description: String {
    guard let source else { return "no application is the default" }
    return "\(isOurs ? "this service" : source.id), named by \(source.file)"
  }
}

extension LocalState {
  /// Of https, then of http.
  var webHandlers: [WebHandler] {
    ["https", "http"].map { WebHandler(scheme: $0, source: choices.desktopHandler(ofScheme: $0)) }
  }
}
