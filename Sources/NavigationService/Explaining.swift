internal import Bus
internal import Desktop
internal import Launcher
internal import Navigation
internal import Preferences
internal import WebOrigin

extension NavigationService {
  /// `Explain`: what `Decide` answers and what `Open` would do, found the same way.
  func explain(_ url: String, _ invocation: Invocation) {
    let isConfined = caller.isConfined
    // That needs neither the session nor the text.
    let tooLong = url.utf8.count > Limits.length ? decider.decide(url) : nil
    let url = tooLong == nil ? url : ""
    withChoices(for: invocation, keeping: url.utf8.count) { [self] choices in
      let decision = tooLong ?? decider.decide(url)
      let active = isConfined ? "" : settings.policy.active?.description ?? ""
      var answer: [(String, Variant)] = [
        ("destination", .string(decision.destination.rawValue)),
        ("reason", .string(decision.reason.rawValue)),
        ("origin", .string(decision.origin?.description ?? "")),
        ("active-origin", .string(active)),
        ("active-source", .string(isConfined ? "" : activeSource)),
      ]
      guard !isConfined else {
        // Nothing about the user's applications, and of the instances only whether this is one.
        let url = decision.destination == .handler ? "" : decision.url
        answer += [("url", .string(url)), ("application", .string(""))]
        return invocation.reply { (reply) throws(BusError) in try reply.append(options: answer) }
      }
      do throws(NavigationError) {
        let handover = try decision.handover(
          in: settings.policy, among: choices,
          options: HandoverOptions(
            isActiveLocked: settings.locks[.activeOrigin] != nil, shellInstances: shellInstances))
        _ = try plans(for: handover.entry, urls: [handover.url], among: choices)
        answer.append(("url", .string(handover.url)))
        answer.append(("application", .string(handover.entry.id)))
        answer.append(("application-name", .string(handover.entry.name)))
        answer.append(("application-source", .string(handover.source)))
        if let detour = handover.detour {
          answer.append(("opens-in", .string(handover.destination.rawValue)))
          answer.append(("opens-because", .string(detour.rawValue)))
        }
        if let obstacle = handover.obstacle {
          answer.append(("obstacle", .string(describe(obstacle))))
        }
      } catch {
        answer.append(("url", .string("")))
        answer.append(("application", .string("")))
        answer.append(("error", .string(error.message)))
      }
      if !settings.locks.isEmpty {
        let files = settings.locks.map { ($0.key.rawValue, $0.value) }
        answer.append(("locked", .stringDictionary(Dictionary(uniqueKeysWithValues: files))))
      }
      if let hint = decision.hint { answer.append(("hint", .string(hint.rawValue))) }
      if let instance = decision.instance {
        answer.append(("instance", .string(instance.label)))
      }
      invocation.reply { (reply) throws(BusError) in try reply.append(options: answer) }
    }
  }

  private func describe(_ obstacle: AddressingObstacle) -> String {
    switch obstacle {
    case .reservedHost: "the shell takes links to this host for the end of a sign-in"
    case .missingInStore: "the shell's own store, \(followed.path), does not have the instance"
    case .otherInStore:
      "the shell's own store, \(followed.path), has another instance with the same host"
    case .other(let origin): "\(origin) is stored, too, and has the same host"
    }
  }
}
