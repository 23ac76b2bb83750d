public import WebOrigin

/// A Sovereign instance that the user stored.
public struct Instance: Hashable, Sendable {
  /// Where it is: one instance is one origin.
  public let origin: Origin
  /// What the user calls it; at most 256 bytes.
  public var label: String
  /// When it was added, in milliseconds since the Unix epoch.
  public var addedAt: Int64
  /// Whether an administrator put it there; such an instance cannot be removed.
  public var isPreset: Bool

  /// Makes an instance.
  public init(origin: Origin, label: String, addedAt: Int64, isPreset: Bool = false) {
    self.origin = origin
    self.label = label
    self.addedAt = addedAt
    self.isPreset = isPreset
  }
}
