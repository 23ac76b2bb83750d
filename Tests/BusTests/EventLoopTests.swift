import Glibc
import TestSupport
import Testing

@testable import Bus

@Suite struct EventLoopTests {
  private let loop: EventLoop

  init() throws { loop = try EventLoop() }

  @Test func timersRunOnceInTheirOrder() throws {
    var order: [Int] = []
    let timers = try [(2, 60_000), (1, 20_000), (0, 0)].map { number, delay in
      try loop.after(UInt64(delay)) { order.append(number) }
    }
    try loop.run(for: 120_000)
    #expect(order == [0, 1, 2])
    withExtendedLifetime(timers) {}
  }

  @Test func aTimerThatGoesAwayDoesNotRun() throws {
    var timer: EventSource? = try loop.after(10_000) { Issue.record("the timer is gone") }
    #expect(timer != nil)
    timer = nil
    try loop.run(for: 50_000)
  }

  @Test func aCallbackMayDropItsOwnSource() throws {
    var sources: [EventSource] = []
    var count = 0
    weak var held: Witness?
    do {
      let witness = Witness()
      held = witness
      sources.append(
        try loop.after(0) { [witness] in
          sources = []
          // What the callback holds stays until the callback is over.
          count += witness.one
        })
    }
    #expect(held != nil)
    try loop.run(for: 20_000)
    #expect(count == 1)
    #expect(held == nil)
  }

  @Test func whatACallbackHoldsGoesWithItsSource() throws {
    weak var held: Witness?
    do {
      let witness = Witness()
      held = witness
      let source = try loop.after(1_000_000) { [witness] in _ = witness }
      withExtendedLifetime(source) {}
    }
    #expect(held == nil)
  }

  @Test func aSignalArrivesEachTime() throws {
    var count = 0
    let source = try loop.onSignal(SIGUSR2) { count += 1 }
    for expected in 1...2 {
      pthread_kill(pthread_self(), SIGUSR2)
      try loop.run { count == expected }
    }
    withExtendedLifetime(source) {}
  }

  @Test(arguments: [("exit 0", Bus.ExitStatus.exited(0)), ("exit 255", .exited(255))])
  func aChildIsReapedWithItsStatus(_ command: String, _ expected: Bus.ExitStatus) throws {
    try expectEnd(of: command, expected)
  }

  @Test func aKilledChildIsReapedWithItsSignal() throws {
    try expectEnd(of: "kill -KILL $$", .killed(signal: SIGKILL))
  }

  private func expectEnd(of command: String, _ expected: Bus.ExitStatus) throws {
    var pid: pid_t = 0
    let argv: [UnsafeMutablePointer<CChar>?] =
      ["sh", "-c", command].map { (argument: String) in strdup(argument) } + [nil]
    defer { for argument in argv { free(argument) } }
    #expect(posix_spawn(&pid, "/bin/sh", nil, nil, argv, environ) == 0)
    var status: Bus.ExitStatus?
    var source: EventSource?
    source = try loop.onExit(of: pid) {
      status = $0
      source = nil
    }
    try loop.run { status != nil }
    #expect(status == expected)
    #expect(source == nil)
    #expect(waitpid(pid, nil, WNOHANG) == -1 && errno == ECHILD)
  }

  @Test func aDirectoryTellsOfTheNameThatIsWatched() throws {
    let directory = try TemporaryDirectory()
    var count = 0
    let source = try loop.onChange(of: "file", in: directory.path) { count += 1 }
    try writeFile(directory.path + "/other", "")
    try loop.run(for: 30_000)
    #expect(count == 0)

    let changes: [() throws -> Void] = [
      { try writeFile(directory.path + "/file", "text") },
      { rename(directory.path + "/file", directory.path + "/moved") },
      { rename(directory.path + "/moved", directory.path + "/file") },
      { chmod(directory.path + "/file", 0) },
      { unlink(directory.path + "/file") },
      { symlink("/nowhere", directory.path + "/file") },
    ]
    for change in changes {
      let before = count
      try change()
      try loop.run { count > before }
    }
    let before = count
    removeTree(directory.path)
    try loop.run { count > before }
    withExtendedLifetime(source) {}
  }

  @Test func manyWatchesOfOneDirectoryAndOfManyWork() throws {
    let directory = try TemporaryDirectory()
    var seen: Set<Int> = []
    let sources = try (0..<300).map { number in
      let path = "\(directory.path)/\(number / 2)"
      try makeDirectories(path)
      return try loop.onChange(of: "\(number % 2)", in: path) { seen.insert(number) }
    }
    for number in 0..<300 { try writeFile("\(directory.path)/\(number / 2)/\(number % 2)", "") }
    try loop.run { seen.count == 300 }
    withExtendedLifetime(sources) {}
  }

  @Test(arguments: ["/nowhere", "/etc/passwd"])
  func whatIsNoDirectoryCannotBeWatched(_ path: String) {
    #expect(throws: BusError.self) { _ = try loop.onChange(of: "x", in: path) {} }
  }

  @Test func theLoopReturnsTheStatusOfItsEnd() throws {
    let timer = try loop.after(0) { [loop] in loop.exit(3) }
    #expect(try loop.run() == 3)
    withExtendedLifetime(timer) {}
  }
}

private final class Witness {
  let one = 1
}
