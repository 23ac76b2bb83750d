package import WebOrigin

/// The instances in the own store of a shell that does not know this service.
///
/// The shell finds the instance of a link there by its host alone, one that is stored nowhere else and
/// one whose address this service would not take, too.
package struct ShellInstances: Hashable, Sendable {
  private var origins: Set<Origin> = []
  /// Addresses whose host cannot be told, in lower case.
  private var obscure: Set<[UInt8]> = []

  /// - Parameter addresses: As the store has them.
  package init(addresses: [String]) {
    for address in addresses {
      if case .tuple(let origin) = URLOrigin(of: address) {
        origins.insert(origin)
      } else if let address = try? InstanceAddress(address) {
        origins.insert(address.origin)
      } else {
        // What URL parsers drop.
        let dropped: [UInt8] = [0x09, 0x0A, 0x0D]
        obscure.insert(address.utf8.filter { !dropped.contains($0) }.map(\.lowercased))
      }
    }
  }

  /// Whether the shell has this instance.
  package func contains(_ origin: Origin) -> Bool { origins.contains(origin) }

  /// Whether the shell has, or may have, another instance with the host of this one.
  package func hasAnother(withHostOf origin: Origin) -> Bool {
    let host = Array(origin.host.utf8)
    return origins.contains { $0.host == origin.host && $0 != origin }
      || obscure.contains { address in
        address.indices.contains { address[$0...].starts(with: host) }
      }
  }
}
