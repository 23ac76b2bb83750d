package import Glibc

/// A program that a test runs: with no blocked signals, default dispositions, and in a process group
/// of its own, which ends with this object at the latest.
///
/// Swift Testing runs tests with nearly all signals blocked, and children would inherit that.
package final class Child {
  package let pid: pid_t
  private let name: String
  private let standardOutput: Int32
  private let standardError: Int32
  private var status: Int32?

  /// Starts a program that is found in the `PATH` of `environment`.
  package init(
    _ arguments: [String], environment: [String: String], input: [UInt8] = []
  ) throws {
    name = arguments[0]
    standardOutput = try makeAnonymousFile()
    standardError = try makeAnonymousFile()
    let standardInput = try makeAnonymousFile(holding: input)
    defer { close(standardInput) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (target, source) in [standardInput, standardOutput, standardError].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, source, Int32(target))
    }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))

    let argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    let envp: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var pid: pid_t = 0
    let program = try findProgram(arguments[0], path: environment["PATH"] ?? "/usr/bin:/bin")
    let result = posix_spawn(&pid, program, &actions, &attributes, argv, envp)
    guard result == 0 else { throw SystemError("run \(arguments[0])", errno: result) }
    self.pid = pid
  }

  deinit {
    if status == nil {
      kill(-pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    close(standardOutput)
    close(standardError)
  }

  /// What it has written to its standard output so far.
  package var output: [UInt8] { (try? readAll(standardOutput, from: name)) ?? [] }

  /// What it and its children have written to its standard error so far.
  package var errors: [UInt8] { (try? readAll(standardError, from: name)) ?? [] }

  /// Whether it has ended; `wait` still tells how.
  package var hasEnded: Bool {
    var information = siginfo_t()
    return waitid(P_PID, id_t(pid), &information, WEXITED | WNOHANG | WNOWAIT) == 0
      && information._sifields._kill.si_pid == pid
  }

  package func signal(_ signal: Int32) { kill(pid, signal) }

  /// Waits until it ends; a program that takes longer than `limit` is killed, and that is an error.
  package func wait(limit: Duration = .seconds(20)) throws -> CommandResult {
    let ended = poll(limit: limit) { () -> Int32? in
      var status: Int32 = 0
      return waitpid(pid, &status, WNOHANG) == pid ? status : nil
    }
    guard let ended else { throw TimeLimitExceeded(what: name, limit: limit) }
    status = ended
    return CommandResult(
      status: ended & 0x7f == 0 ? ended >> 8 & 0xff : 128 + ended & 0x7f,
      output: output, errors: try readAll(standardError, from: name))
  }
}

package struct CommandResult: Hashable, Sendable, CustomStringConvertible {
  /// The exit status, or 128 and the signal's number.
  package let status: Int32
  package let output: [UInt8]
  package let errors: [UInt8]

  /// The output without the line end.
  package var text: String { Self.trimmed(output) }
  package var errorText: String { Self.trimmed(errors) }
  package var description: String { "exit status \(status), “\(text)”, “\(errorText)”" }

  private static func trimmed(_ bytes: [UInt8]) -> String {
    String(
      decoding: bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...], as: UTF8.self)
  }
}

/// How long tests wait for what comes: on a busy machine that takes long, and only a hang takes this.
package let hangLimit = Duration.seconds(60)

package struct TimeLimitExceeded: Error, CustomStringConvertible {
  package let what: String
  package let limit: Duration

  package init(what: String, limit: Duration) {
    self.what = what
    self.limit = limit
  }

  package var description: String { "\(what) took longer than \(limit)" }
}

/// Asks until there is an answer; `nil` if there is none within `limit`.
package func poll<Answer>(
  limit: Duration = hangLimit, _ question: () throws -> Answer?
) rethrows -> Answer? {
  let end = ContinuousClock.now + limit
  repeat {
    if let answer = try question() { return answer }
    usleep(2_000)
  } while ContinuousClock.now < end
  return try question()
}

private func findProgram(_ name: String, path: String) throws -> String {
  guard !name.contains("/") else { return name }
  for directory in path.split(separator: ":") where access("\(directory)/\(name)", X_OK) == 0 {
    return "\(directory)/\(name)"
  }
  throw SystemError("find \(name) in \(path)", errno: ENOENT)
}

private func makeAnonymousFile(holding bytes: [UInt8] = []) throws -> Int32 {
  var template = Array("/tmp/sovereign-navigation-test.XXXXXX".utf8CString)
  let descriptor = mkstemp(&template)
  guard descriptor >= 0 else { throw SystemError("mkstemp") }
  _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  unlink(template)
  guard pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else {
    close(descriptor)
    throw SystemError("pwrite")
  }
  return descriptor
}
