internal import Bus
internal import Desktop
internal import Launcher
internal import Navigation

/// What the launches for one call take from it.
final class CallContext {
  private var context: LaunchContext

  init(_ context: LaunchContext) {
    self.context = context
  }

  /// For one launch. The first one gets the token, which is good for one.
  func take() -> LaunchContext {
    defer { (context.activationToken, context.startupID) = (nil, nil) }
    return context
  }
}

/// The URLs that one launch of an application opens.
struct LaunchGroup {
  let entry: DesktopEntry
  private(set) var urls: [String] = []
  /// Of the URLs together, in bytes.
  private var length = 0
  private(set) var links: [Opening.Link] = []
  private(set) var destinations: [Destination] = []
  /// What the breaker knows them by.
  private(set) var keys: [Breaker.Key]

  init(entry: DesktopEntry, keys: [Breaker.Key] = []) {
    self.entry = entry
    self.keys = keys
  }

  /// Together they must fit a command line, and none that is too long by itself may take others along.
  func hasRoom(for url: String) -> Bool {
    length + url.utf8.count <= LaunchPlan.argumentLimit
  }

  mutating func add(
    _ handover: Handover, _ link: Opening.Link, _ destination: Destination, _ key: Breaker.Key
  ) {
    urls.append(handover.url)
    length += handover.url.utf8.count
    links.append(link)
    destinations.append(destination)
    keys.append(key)
  }
}

extension NavigationService {
  /// Starts an application; the breaker has let that through.
  func launch(
    _ group: LaunchGroup, context: CallContext, among choices: ApplicationChoices,
    completion: @escaping (NavigationError?) -> Void
  ) {
    let plans: [LaunchPlan]
    do throws(NavigationError) {
      plans = try self.plans(for: group.entry, urls: group.urls, among: choices)
    } catch {
      breaker.finish()
      breaker.withdraw(group.keys)
      return completion(error)
    }
    var remaining = plans.count
    var firstError: NavigationError?
    for plan in plans {
      launcher.launch(
        plan, in: session, context: context.take(), began: { [self] in note($0, of: group) },
        completion: { [self] error in
          if let error {
            firstError = firstError ?? NavigationError(.launchFailed, error.description)
          }
          remaining -= 1
          guard remaining == 0 else { return }
          breaker.finish()
          completion(firstError)
        })
    }
  }

  /// How an application is started with its URLs, or why it cannot be.
  func plans(
    for entry: DesktopEntry, urls: [String], among choices: ApplicationChoices
  ) throws(NavigationError) -> [LaunchPlan] {
    do throws(LaunchPlanError) {
      return try entry.launchPlans(urls: urls, searchPath: choices.searchPath)
    } catch {
      throw NavigationError(error)
    }
  }

  /// Keeps what the application's processes are told by, should they send the links back.
  private func note(_ processes: LaunchedProcesses, of group: LaunchGroup) {
    for key in group.keys { breaker.link(key, isOpenedBy: processes) }
    guard case .owner(let name) = processes else { return }
    let owner = Caller(name, on: connection)
    for key in group.keys { breaker.link(key, isOpenedBy: owner) }
  }
}

extension NavigationError {
  init(_ error: LaunchPlanError) {
    switch error {
    case .urlTooLong: self.init(.limitExceeded, error.description)
    case .notRunnable, .hasNoCommand, .programNotFound:
      self.init(.launchFailed, error.description)
    }
  }
}
