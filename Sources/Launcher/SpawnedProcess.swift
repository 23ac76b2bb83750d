internal import CSpawn
internal import Glibc

/// A program started without a user manager: a child of ours, in a session of its own.
enum SpawnedProcess {
  /// Starts `program` with exactly `arguments` and `environment`.
  ///
  /// - Parameters:
  ///   - program: An absolute path.
  ///   - arguments: With the program's name as the first.
  ///   - environment: `NAME=value` each, without a NUL.
  ///   - directory: Where it starts; ignored where it cannot be entered.
  /// - Returns: The process id, for the caller to reap.
  static func start(
    program: String, arguments: [String], environment: [[UInt8]], directory: String?
  ) throws(SpawnError) -> Int32 {
    // With the slash, a file is none.
    let directory = directory.flatMap { access($0 + "/", X_OK) == 0 ? $0 : nil }
    let argv: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    let envp: [UnsafeMutablePointer<CChar>?] = environment.map(copy) + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var pid: pid_t = 0
    let result = spawn_program(&pid, program, argv, envp, directory)
    guard result == 0 else { throw SpawnError(errno: result) }
    return pid
  }

  /// As malloc(3) gives it, with a NUL behind it.
  private static func copy(_ bytes: [UInt8]) -> UnsafeMutablePointer<CChar>? {
    bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.flatMap { strndup($0.assumingMemoryBound(to: CChar.self), bytes.count) }
    }
  }
}

/// Why a program could not be run.
struct SpawnError: Error, CustomStringConvertible {
  let errno: Int32

  var description: String { String(cString: strerror(errno)) }
}
