import WebOrigin

/// A policy prepared for deciding: the one place that says where a URL belongs.
package struct Decider: Sendable {
  package let policy: Policy
  /// The stored instances; the active one counts as stored even where a file forgot it.
  private let instances: [Instance]
  private let origins: PreparedOrigins
  /// What becomes of an http(s) URL of no instance, then of one of each instance.
  ///
  /// A table, because a branch on this, which no processor can guess, costs as much as the rest.
  private let webVerdicts: [Verdict]
  private let externalSchemes: Set<String>

  package init(_ policy: Policy) {
    self.policy = policy
    instances = policy.instancesAndActive
    origins = PreparedOrigins(instances.map(\.origin))
    webVerdicts =
      [Verdict(.browser, policy.active == nil ? .noActiveOrigin : .crossOrigin)]
      + instances.indices.map { [instances] in policy.verdict(instance: $0, of: instances) }
    externalSchemes = ExternalScheme.builtIn.union(policy.schemes.filter(ExternalScheme.mayBeAdded))
  }

  /// Where a URL belongs; allocates nothing for an http(s) URL in ASCII.
  package func destination(of url: UnsafeBufferPointer<UInt8>) -> Destination {
    guard url.count <= URLOrigin.maximumLength else { return .blocked }
    if let slot = origins.slot(of: url) ?? origins.slot(ofSerialized: url) {
      return webVerdicts.withUnsafeBufferPointer { $0[slot].destination }
    }
    var destination = Destination.blocked
    URLParser.visit(url) { destination = verdict($0).destination }
    return destination
  }

  /// Where a URL belongs, why, and what is handed over.
  package func decide(_ url: String) -> Decision {
    var url = url
    return url.withUTF8 { bytes in
      guard bytes.count <= URLOrigin.maximumLength else {
        return describe(.failure, Verdict(.blocked, .tooLong))
      }
      return URLParser.parse(bytes) { describe($0, verdict($0)) }
    }
  }

  fileprivate struct Verdict {
    let destination: Destination
    let reason: Reason
    let instance: Int?

    init(_ destination: Destination, _ reason: Reason, instance: Int? = nil) {
      self.destination = destination
      self.reason = reason
      self.instance = instance
    }
  }

  private func verdict(_ url: ParsedURL) -> Verdict {
    switch url {
    case .failure:
      return Verdict(.blocked, .malformed)
    case .tuple(let url):
      guard url.parts.scheme.isHTTP else { return Verdict(.blocked, .unsupportedScheme) }
      if url.host.isAmbiguous, policy.active != nil { return Verdict(.browser, .ambiguousHost) }
      return webVerdict(instance: origins.firstIndex(of: url))
    case .opaque(let url):
      let scheme = url.schemeName
      if externalSchemes.contains(scheme) { return Verdict(.handler, .externalScheme) }
      guard scheme == DeepLink.scheme else { return Verdict(.blocked, .unsupportedScheme) }
      return verdict(DeepLink(url))
    }
  }

  private func webVerdict(instance: Int?) -> Verdict {
    webVerdicts[(instance ?? -1) + 1]
  }

  private func verdict(_ link: DeepLink?) -> Verdict {
    guard let link else { return Verdict(.blocked, .malformed) }
    if link.isShellCallback { return Verdict(.shell, .shellCallback) }
    guard let instance = link.instance(among: instances, active: policy.active) else {
      return Verdict(.shell, .unknownInstance)
    }
    return Verdict(.shell, .deepLink, instance: instance)
  }

  private func describe(_ url: ParsedURL, _ verdict: Verdict) -> Decision {
    var origin: Origin?
    if case .tuple(let value) = url.origin { origin = value }
    let instance = verdict.instance.map { instances[$0] }
    var hint: Hint?
    if let origin, let active = policy.active { hint = Hint(origin, near: active) }

    let handedOver: String
    var webURL: String?
    switch url {
    case .failure:
      handedOver = ""
    case .tuple(let url):
      handedOver = verdict.destination == .blocked ? "" : url.outgoing
      webURL = verdict.destination == .blocked ? nil : handedOver
    case .opaque(let url):
      switch verdict.destination {
      case .handler: handedOver = url.outgoing
      case .shell: handedOver = url.unchanged
      case .browser, .switch, .blocked: handedOver = ""
      }
      if verdict.reason == .deepLink, let instance {
        webURL = DeepLink(url)?.webURL(at: instance)
      }
    }
    return Decision(
      destination: verdict.destination, reason: verdict.reason, url: handedOver, origin: origin,
      instance: instance, hint: hint, webURL: webURL)
  }
}

extension Policy {
  /// Decides where a URL belongs: total, without side effects.
  ///
  /// With `https://my.sovereign.example` active: `https://user@MY.sovereign.example:443/x` goes to
  /// the shell; `https://my.sovereign.example.evil.example/`, `http://my.sovereign.example/` and
  /// `https://evil.example\@my.sovereign.example/` go to the browser, `mailto:a@b.example` to its
  /// handler; `javascript:alert(1)`, `https://exa mple/` and the empty string are blocked.
  public func decide(_ url: String) -> Decision {
    Decider(self).decide(url)
  }

  /// What becomes of an http(s) URL that has the origin of a stored instance.
  fileprivate func verdict(instance index: Int, of instances: [Instance]) -> Decider.Verdict {
    guard let active else { return .init(.browser, .noActiveOrigin, instance: index) }
    if instances[index].origin == active { return .init(.shell, .sameOrigin, instance: index) }
    return .init(
      knownInstances == .switch ? .switch : .browser, .otherInstance, instance: index)
  }

  /// The stored instances, and the active one even if it is not among them.
  var instancesAndActive: [Instance] {
    guard let active, !instances.contains(where: { $0.origin == active }) else { return instances }
    return instances + [Instance(origin: active, label: active.hostAndPort, addedAt: 0)]
  }
}
