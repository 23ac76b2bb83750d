internal import Glibc
internal import Launcher
internal import Navigation

/// Stops links that go round in circles, and floods.
///
/// It remembers the links of the last minute: who sent each, and which application was given it.
/// Where the sender is an application that was given one itself, the link is a return. Where nothing
/// tells the sender's application, the links still make a chain: each extends one that was handed over
/// a moment ago, or comes from what began since. Times are in microseconds of the monotonic clock.
struct Breaker {
  /// A link that was let through, by its number.
  typealias Key = Int

  /// A link for an application; without a URL it starts with nothing to open.
  struct Link {
    let url: String?
    let application: String
    /// As the sender wrote it, where the application needs another form.
    var written: String?
    /// Whether the application may send the link back once more: true where it goes to another one
    /// then, because the caller asked for the browser or is the shell.
    var mayReturn = false
    /// Whether it makes another instance the active one, for the shell that sent it.
    var isSwitch = false

    fileprivate var sent: String? { written ?? url }

    /// Whether it may go to an application that had another link before it: a deep link or a mail address
    /// leads back to where one came from, as a login does, and a shell leaves another instance to us.
    fileprivate var mayLeadBack: Bool {
      isSwitch || sent.map { $0.prefix(4).lowercased() != "http" } ?? false
    }

    /// The application together with the host and port of the URL, if it has any.
    fileprivate var place: Int {
      let rest = (url ?? "").utf8.drop { $0 != UInt8(ascii: ":") }.dropFirst()
      let host =
        rest.starts(with: "//".utf8)
        ? rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
          .split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false).last : nil
      return [Substring(application), Substring(host ?? "".utf8[...])].hashValue
    }
  }

  /// Names are kept as their hashes: there may be thousands of these.
  fileprivate struct Delivery {
    let key: Key
    let time: UInt64
    let url: Int
    /// Of the URL, in bytes.
    let length: Int
    let application: Int
    let place: Int
    /// How many links led to this one, each within `chainPause` of the one before.
    let chain: Int
    /// The application that sent the link, else the name on the bus.
    let sender: Int
    let senderUnit: Int?
    /// Whether the sender was given a link since it sent its last one.
    let isReturn: Bool
    /// This link, and before it those that led to it.
    let route: [Hop]
    var processes: Processes?
  }

  fileprivate struct Hop {
    let application: String
    let url: Int
  }

  fileprivate enum Processes {
    case unit(Int)
    case session(leader: Int32)
    case owner(process: Int32)
  }

  /// A caller, with what the links of the last minute tell about it.
  struct Sender {
    fileprivate let caller: Caller
    fileprivate let unit: Int?
    /// Those that it belongs to by the name of its unit.
    fileprivate var applications: [Int] = []
    fileprivate var ancestors: [Int32] = []
    /// Whether its unit has sent nothing before, or it descends from what this service started.
    fileprivate var isStray = false
    /// The application that it belongs to and that was given a link.
    fileprivate var application: String?

    fileprivate init(_ caller: Caller) {
      self.caller = caller
      unit = caller.unit?.hashValue
    }

    /// What it is called in errors.
    fileprivate var name: String { application ?? caller.unit ?? "this program" }
    /// What its links are counted by. A sandbox may have many names on the bus.
    fileprivate var identity: Int {
      if let application { return application.hashValue }
      return switch caller.confinement {
      case .flatpak, .snap: caller.confinement.hashValue
      // Most who are not known have sent their link and gone.
      case .none, .unknown: caller.uniqueName.hashValue
      }
    }

    /// Whether it was started for a link, and for no other.
    fileprivate func isStarted(for delivery: Delivery) -> Bool {
      switch delivery.processes {
      case .unit(let unit)?: unit == self.unit
      case .session(let leader)?: leader == caller.session
      case .owner, nil: false
      }
    }

    /// Whether it belongs to the application that was given a link.
    fileprivate func isGiven(_ delivery: Delivery) -> Bool {
      if case .owner(let process)? = delivery.processes, ancestors.contains(process) { return true }
      return applications.contains(delivery.application) || isStarted(for: delivery)
    }

    /// Whether nothing of it was there when a link was handed over.
    fileprivate func began(after delivery: Delivery) -> Bool {
      isStray && caller.began.map { $0 > delivery.time } ?? false
    }
  }

  private var deliveries: [Delivery] = []
  private var nextKey = 0
  /// All that were ever given a link.
  private var applications: Set<String> = []
  private var starts: [(time: UInt64, sender: Int)] = []
  /// Launches that have not ended.
  private(set) var pending = 0

  private static let second: UInt64 = 1_000_000
  private static let memory = 60 * second
  /// More than a user makes in a minute, however many programs ask.
  private static let capacity = 4096
  private static let pendingLimit = 64
  /// Of one chain, in links. A loop gets there within seconds, for a hop takes it 25 to 250 ms
  /// (measured); nobody clicks so often, without ever a pause, in programs that begin for each click.
  static let chainLimit = 30
  /// What ends a chain.
  private static let chainPause = 10 * second
}

// MARK: Links

extension Breaker {
  /// Whom a call comes from.
  mutating func sender(_ caller: Caller, at now: UInt64) -> Sender {
    forget(before: now)
    var sender = Sender(caller)
    // Of one that has gone nothing can be told.
    guard caller.unit != nil || caller.process != nil else { return sender }
    sender.applications = applications.filter(caller.isNamed).map(\.hashValue)
    if !deliveries.isEmpty { sender.ancestors = caller.ancestors }
    let isInNewUnit = sender.unit.map { unit in !deliveries.contains { $0.senderUnit == unit } }
    sender.isStray = isInNewUnit ?? false || sender.ancestors.contains(getpid())
    sender.application = deliveries.last(where: sender.isGiven)?.route.last?.application
    return sender
  }

  /// Whether the sender belongs to an application that was given a link within the last minute.
  func isGivenALink(_ sender: Sender, as application: String) -> Bool {
    let application = application.hashValue
    return deliveries.contains { $0.application == application && sender.isGiven($0) }
  }

  /// Lets a link through to its application, or says why not.
  mutating func admit(
    _ link: Link, from sender: Sender, at now: UInt64
  ) throws(NavigationError) -> Key {
    forget(before: now)
    // A start with nothing to open comes back just as well.
    let url = (link.url ?? "").hashValue
    var same = Count(now)
    deliveries.withUnsafeBufferPointer { deliveries in
      for index in deliveries.indices where deliveries[index].url == url {
        same.add(deliveries[index].time)
      }
    }
    let history = sender.application == nil ? History(now) : history(of: sender, link, at: now)
    if !link.mayReturn {
      if let application = history.sentBack {
        throw NavigationError(
          .loopDetected,
          "\(application) was given this link within the last minute and sent it back; "
            + Self.remedy)
      }
      let leadsBack = history.route.contains { hop in
        hop.application == link.application && (hop.url == url || !link.mayLeadBack)
      }
      if leadsBack {
        throw NavigationError(
          .loopDetected,
          "\(sender.name) was given a link a moment ago and sent another one on for "
            + "\(link.application), which had it before; " + Self.remedy)
      }
    }
    guard !same.isTooMany else {
      throw NavigationError(
        .loopDetected,
        "this link keeps coming back: it was opened \(same.inMemory) times within a minute, now for "
          + "\(link.application), asked for by \(sender.name)")
    }
    guard !history.returns.isTooMany else {
      throw NavigationError(
        .loopDetected,
        "\(sender.name) sent on what it was given \(history.returns.inMemory) times within a minute, "
          + "now for \(link.application); " + Self.remedy)
    }
    let chain = chain(endingIn: link, from: sender, at: now)
    guard chain < Self.chainLimit else {
      throw NavigationError(
        .loopDetected,
        "\(link.application) was given \(chain) links to one host, each of which led to the next; "
          + Self.remedy)
    }
    try checkRate(of: sender)

    if deliveries.count >= Self.capacity { deliveries.removeFirst(Self.capacity / 4) }
    applications.insert(link.application)
    nextKey += 1
    deliveries.append(
      Delivery(
        key: nextKey, time: now, url: url, length: link.url?.utf8.count ?? 0,
        application: link.application.hashValue, place: link.place, chain: chain,
        sender: sender.identity, senderUnit: sender.unit,
        isReturn: history.lastGiven > history.lastSent,
        route: history.route + [Hop(application: link.application, url: url)]))
    return nextKey
  }

  /// How many links led to this one.
  private func chain(
    endingIn link: Link, from sender: Sender, at now: UInt64
  ) -> Int {
    let place = link.place
    var chain = 0
    // Each comparison reads the URL once more.
    var comparisons = 8
    for delivery in deliveries.reversed() {
      guard delivery.time + Self.chainPause > now, sender.isStray || comparisons > 0 else { break }
      guard delivery.place == place, delivery.chain >= chain else { continue }
      var leadsHere = sender.began(after: delivery)
      if !leadsHere, comparisons > 0, let url = link.url {
        comparisons -= 1
        leadsHere =
          delivery.length < url.utf8.count
          && String(url.utf8.prefix(delivery.length))?.hashValue == delivery.url
      }
      if leadsHere { chain = delivery.chain + 1 }
    }
    return chain
  }

  /// What a sender was given and what it sent, within the last minute.
  private struct History {
    /// The application that was given the very link in question.
    var sentBack: String?
    /// The way of the link that was given a moment ago, if one was.
    var route: [Hop] = []
    var lastGiven: Key = 0
    var lastSent: Key = 0
    var returns: Count

    init(_ now: UInt64) {
      returns = Count(now)
    }
  }

  private func history(of sender: Sender, _ link: Link, at now: UInt64) -> History {
    var history = History(now)
    let (url, application) = ((link.url ?? "").hashValue, link.application.hashValue)
    let sent = (link.sent ?? "").hashValue
    for delivery in deliveries {
      if sender.isGiven(delivery) {
        history.lastGiven = delivery.key
        // Written in another way it may be meant for another application.
        if delivery.url == sent || delivery.url == url && delivery.application == application {
          history.sentBack = delivery.route.last?.application
        }
        // The user's next click may be in an application that was there before.
        let seconds: UInt64 = sender.isStarted(for: delivery) ? 5 : 2
        if delivery.time + seconds * Self.second > now { history.route = delivery.route }
      }
      if delivery.sender == sender.identity {
        history.lastSent = delivery.key
        if delivery.isReturn { history.returns.add(delivery.time) }
      }
    }
    return history
  }

  /// Forgets links that were not handed over after all.
  mutating func withdraw(_ keys: [Key]) {
    let keys = Set(keys)
    deliveries.removeAll { keys.contains($0.key) }
  }

  /// An application is started with the link, as these processes.
  mutating func link(_ key: Key, isOpenedBy processes: LaunchedProcesses) {
    switch processes {
    case .unit(let name): set(.unit(name.hashValue), of: key)
    case .session(let leader): set(.session(leader: leader), of: key)
    case .owner: break
    }
  }

  /// The link goes to an application on the bus.
  mutating func link(_ key: Key, isOpenedBy owner: Caller) {
    if let process = owner.process { set(.owner(process: process), of: key) }
  }

  private mutating func set(_ processes: Processes, of key: Key) {
    // Keys ascend, and one launch may have thousands.
    var (index, end) = (0, deliveries.count)
    while index < end {
      let middle = (index + end) / 2
      if deliveries[middle].key < key { index = middle + 1 } else { end = middle }
    }
    guard index < deliveries.count, deliveries[index].key == key else { return }
    deliveries[index].processes = processes
  }

  private mutating func forget(before now: UInt64) {
    if let first = deliveries.first, first.time + Self.memory <= now {
      deliveries.removeAll { $0.time + Self.memory <= now }
    }
    if let first = starts.first, first.time + 10 * Self.second <= now {
      starts.removeAll { $0.time + 10 * Self.second <= now }
    }
  }

  private static let remedy =
    "set another application, or turn off link forwarding in this one"

  /// How often something has happened: five times in two seconds or fifteen in a minute is a loop.
  private struct Count {
    private let now: UInt64
    private(set) var inMemory = 0
    private var atOnce = 0

    init(_ now: UInt64) {
      self.now = now
    }

    mutating func add(_ time: UInt64) {
      inMemory += 1
      if time + 2 * second > now { atOnce += 1 }
    }

    var isTooMany: Bool { inMemory >= 15 || atOnce >= 5 }
  }
}

// MARK: Launches

extension Breaker {
  /// Lets one launch begin, or says why not.
  mutating func start(from sender: Sender, at now: UInt64) throws(NavigationError) {
    forget(before: now)
    try checkRate(of: sender)
    if starts.count >= Self.capacity { starts.removeFirst(Self.capacity / 4) }
    starts.append((now, sender.identity))
    pending += 1
  }

  /// A launch that was let through has ended, well or not.
  mutating func finish() {
    pending -= 1
  }

  private func checkRate(of sender: Sender) throws(NavigationError) {
    guard pending < Self.pendingLimit else {
      throw NavigationError(
        .limitExceeded,
        "\(Self.pendingLimit) applications are still being started; try again when they have started"
      )
    }
    let identity = sender.identity
    let count = starts.withUnsafeBufferPointer { starts in
      starts.indices.reduce(0) { $0 + (starts[$1].sender == identity ? 1 : 0) }
    }
    guard count < 50 else {
      throw NavigationError(
        .limitExceeded,
        "\(sender.name) opened 50 links within ten seconds; wait before the next")
    }
  }
}
