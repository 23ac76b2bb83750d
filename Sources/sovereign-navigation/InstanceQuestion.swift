internal import Glibc
internal import Navigation
internal import Preferences
internal import WebOrigin

/// Asks an instance whether it is one, with curl(1): `GET /api/instance`.
enum InstanceQuestion {
  /// What may be answered, in bytes.
  private static let limit = 64 << 10
  /// In seconds.
  private static let patience = 5
  /// What curl ends with where a host has no address, does not listen or takes too long.
  private static let outOfReach: Set<Int32> = [6, 7, 28]

  /// - Returns: What the instance calls itself, to be its label; may be empty.
  static func name(of origin: Origin) throws(ToolError) -> String {
    let about = origin.description
    let (output, errors, status) = try ask(origin)
    guard output.count <= limit + figuresLimit else {
      throw ToolError(.failure, about: about, InstanceAnswerError.otherProduct.description)
    }
    guard status == 0 else {
      throw ToolError(
        .failure, about: about,
        "the instance cannot be asked whether it is one: \(reason(errors, status))"
          + (outOfReach.contains(status) ? "; try again, or add it with --no-verify" : ""))
    }
    // The last line is curl's own: the status, and where a redirection leads.
    let end = output.lastIndex(of: UInt8(ascii: "\n")) ?? output.startIndex
    let figures = String(decoding: output[end...].dropFirst(), as: UTF8.self)
      .split(separator: " ", maxSplits: 1)
    if figures.count > 1, let target = try? InstanceAddress(String(figures[1])).origin,
      target != origin
    {
      throw ToolError(.failure, about: about, "it leads on to \(target); add that, if it is yours")
    }
    guard figures.first == "200", end <= limit else {
      throw ToolError(.failure, about: about, InstanceAnswerError.otherProduct.description)
    }
    do throws(InstanceAnswerError) {
      return try InstanceAnswer(Array(output[..<end])).name
    } catch {
      throw ToolError(.failure, about: about, error.description)
    }
  }

  private static func arguments(_ origin: Origin) -> [String] {
    [
      // Without the user's ~/.curlrc, which may follow redirections.
      "curl", "--disable", "--silent", "--show-error", "--globoff", "--proto", "=http,https",
      "--max-time", "\(patience)", "--header", "Accept: application/json", "--user-agent",
      "\(Tool.name)/\(Tool.version)", "--write-out", "\\n%{http_code} %{redirect_url}", "--url",
      "\(origin)/api/instance",
    ]
  }

  /// For curl's own line.
  private static let figuresLimit = 4096

  /// The first line of what curl says, without its name and number.
  private static func reason(_ errors: [UInt8], _ status: Int32) -> String {
    let line = String(decoding: errors.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    let words = line.split(separator: " ", maxSplits: 2)
    guard words.count == 3, words[0] == "curl:" else { return "curl ended with \(status)" }
    return String(words[2])
  }

  /// Runs curl, and ends it where it says too much.
  private static func ask(
    _ origin: Origin
  ) throws(ToolError) -> (output: [UInt8], errors: [UInt8], status: Int32) {
    var ends: [Int32] = [-1, -1, -1, -1]
    defer { for descriptor in ends where descriptor >= 0 { close(descriptor) } }
    let areOpen = ends.withUnsafeMutableBufferPointer { ends in
      guard let start = ends.baseAddress else { return false }
      return pipe(start) == 0 && pipe(start + 2) == 0
    }
    guard areOpen else {
      throw ToolError(.failure, "curl cannot be run: \(String(cString: strerror(errno)))")
    }

    let pid = try start(arguments(origin), output: ends[1], errors: ends[3])
    for index in [1, 3] {
      close(ends[index])
      ends[index] = -1
    }
    let (output, errors, isComplete) = read(ends[0], ends[2])
    // One that goes on talking, or has lost its clock.
    if !isComplete { kill(pid, SIGKILL) }
    var status: Int32 = 0
    while waitpid(pid, &status, 0) < 0, errno == EINTR {}
    return (output, errors, status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F)
  }

  private static func start(
    _ arguments: [String], output: Int32, errors: Int32
  ) throws(ToolError) -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)
    let argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { for pointer in argv { free(pointer) } }
    var pid: pid_t = 0
    let code = posix_spawnp(&pid, arguments[0], &actions, nil, argv, environ)
    guard code == 0 else {
      throw ToolError(
        .failure, about: "curl",
        "\(String(cString: strerror(code))); install it, or add the instance with --no-verify")
    }
    return pid
  }

  /// What both pipes carry until both end, the time is over or one of them carries too much; and
  /// whether both ended.
  private static func read(_ output: Int32, _ errors: Int32) -> ([UInt8], [UInt8], Bool) {
    var texts: [[UInt8]] = [[], []]
    var pipes = [output, errors].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    var start = timespec()
    clock_gettime(CLOCK_MONOTONIC, &start)
    while pipes.contains(where: { $0.fd >= 0 }),
      texts.allSatisfy({ $0.count <= limit + figuresLimit })
    {
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      // Curl has a limit of its own, and says so.
      let left = (patience + 2) - (now.tv_sec - start.tv_sec)
      guard left > 0, poll(&pipes, nfds_t(pipes.count), Int32(left) * 1000) >= 0 else { break }
      for index in pipes.indices where pipes[index].fd >= 0 && pipes[index].revents != 0 {
        let count = Glibc.read(pipes[index].fd, &chunk, chunk.count)
        if count > 0 { texts[index] += chunk[..<count] } else { pipes[index].fd = -1 }
      }
    }
    return (texts[0], texts[1], pipes.allSatisfy { $0.fd < 0 })
  }
}
