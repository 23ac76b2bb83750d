internal import Glibc

/// The times that the programs tell by; clock_gettime(2).
package enum Clock {
  /// Now, in milliseconds since the Unix epoch.
  package static var unixMilliseconds: Int64 {
    let now = read(CLOCK_REALTIME)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }

  /// Since some moment, without jumps; the clock stands still while the machine sleeps.
  package static var monotonicMicroseconds: UInt64 { microseconds(CLOCK_MONOTONIC) }

  /// Since the machine was started.
  package static var bootMicroseconds: UInt64 { microseconds(CLOCK_BOOTTIME) }

  /// From `now` until a deadline, in microseconds, and no less than one: as a time-out, zero means
  /// libsystemd's default.
  package static func timeout(from now: UInt64, until deadline: UInt64) -> UInt64 {
    deadline > now ? deadline - now : 1
  }

  private static func microseconds(_ clock: clockid_t) -> UInt64 {
    let now = read(clock)
    return UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1000
  }

  private static func read(_ clock: clockid_t) -> timespec {
    var now = timespec()
    clock_gettime(clock, &now)
    return now
  }
}
