internal import CSystemd
internal import Glibc

/// The one loop of a program. sd-event(3).
package final class EventLoop {
  package let pointer: OpaquePointer

  package init() throws(BusError) {
    var event: OpaquePointer?
    try check(sd_event_new(&event), "sd_event_new")
    guard let event else { throw BusError(negativeErrno: -ENOMEM, doing: "sd_event_new") }
    pointer = event
  }

  deinit {
    sd_event_unref(pointer)
  }

  /// Runs until `exit` is called.
  ///
  /// - Returns: The status given to `exit`.
  package func run() throws(BusError) -> CInt {
    try check(sd_event_loop(pointer), "the event loop ended")
  }

  /// Waits for something to happen, and handles it. For programs that wait for one thing after another.
  package func step() throws(BusError) {
    let result = sd_event_run(pointer, UInt64.max)
    if result != -EINTR { try check(result, "the event loop ended") }
  }

  package func exit(_ status: CInt) {
    sd_event_exit(pointer, status)
  }

  /// Tells the service manager again and again that the loop runs, where it asked for that in
  /// `WATCHDOG_USEC`; sd_event_set_watchdog(3).
  package func tellWatchdog() {
    let result = sd_event_set_watchdog(pointer, 1)
    guard result < 0 else { return }
    // Anybody on the bus can set the variable where no unit does.
    Journal.log(.warning, "WATCHDOG_USEC is ignored: \(String(cString: strerror(-result)))")
  }

  /// Now, in microseconds of the monotonic clock.
  package var now: UInt64 {
    var now: UInt64 = 0
    sd_event_now(pointer, CLOCK_MONOTONIC, &now)
    return now
  }

  /// Calls `handler` once, `delay` microseconds from now, unless the source goes away first.
  package func after(
    _ delay: UInt64, _ handler: @escaping () -> Void
  ) throws(BusError) -> EventSource {
    let box = Callback<Void, Void> { _ in handler() }
    var source: OpaquePointer?
    let userdata = box.retained
    let result = sd_event_add_time_relative(
      pointer, &source, CLOCK_MONOTONIC, delay, 1000, timerThunk, userdata)
    return try keep(source, result, userdata, "a timer")
  }

  /// Calls `handler` for each arrival of `signal`, which is blocked for the whole process.
  package func onSignal(
    _ signal: CInt, _ handler: @escaping () -> Void
  ) throws(BusError) -> EventSource {
    try block(signal)
    let box = Callback<Void, Void> { _ in handler() }
    let userdata = box.retained
    var source: OpaquePointer?
    let result = sd_event_add_signal(pointer, &source, signal, signalThunk, userdata)
    return try keep(source, result, userdata, "signal \(signal)")
  }

  /// Calls `handler` when the child `pid` has ended, and reaps it.
  package func onExit(
    of pid: Int32, _ handler: @escaping (ExitStatus) -> Void
  ) throws(BusError) -> EventSource {
    try block(SIGCHLD)
    let box = Callback<ExitStatus, Void> { handler($0) }
    let userdata = box.retained
    var source: OpaquePointer?
    let result = sd_event_add_child(pointer, &source, pid, WEXITED, childThunk, userdata)
    return try keep(source, result, userdata, "child \(pid)")
  }

  /// Calls `handler` when `name` in `directory` is made, changed, moved or removed, or the directory
  /// itself is moved or removed.
  package func onChange(
    of name: String, in directory: String, _ handler: @escaping () -> Void
  ) throws(BusError) -> EventSource {
    let box = Callback<InotifyEvent, Void> { event in
      if event.name == nil || event.name == name { handler() }
    }
    let userdata = box.retained
    let mask = UInt32(
      IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB
        | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
    var source: OpaquePointer?
    let result = sd_event_add_inotify(pointer, &source, directory, mask, inotifyThunk, userdata)
    return try keep(source, result, userdata, "watching \(directory)")
  }

  private func block(_ signal: CInt) throws(BusError) {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, signal)
    try check(-pthread_sigmask(SIG_BLOCK, &set, nil), "blocking signal \(signal)")
  }

  private func keep(
    _ source: OpaquePointer?, _ result: CInt, _ userdata: UnsafeMutableRawPointer, _ what: String
  ) throws(BusError) -> EventSource {
    let source = try kept(source, result, userdata, what)
    sd_event_source_set_destroy_callback(source, releaseCallback)
    return EventSource(adopting: source)
  }
}

/// A timer, signal, child or directory that a loop watches as long as this value lives.
package final class EventSource {
  private let pointer: OpaquePointer

  init(adopting pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    sd_event_source_disable_unref(pointer)
  }
}

/// How a child ended.
package enum ExitStatus: Hashable, Sendable {
  case exited(Int32)
  case killed(signal: Int32)
}

private func timerThunk(
  _ source: OpaquePointer?, _ time: UInt64, _ userdata: UnsafeMutableRawPointer?
) -> CInt {
  Callback<Void, Void>.from(userdata)?.run(())
  return 0
}

private func signalThunk(
  _ source: OpaquePointer?, _ info: UnsafePointer<signalfd_siginfo>?,
  _ userdata: UnsafeMutableRawPointer?
) -> CInt {
  Callback<Void, Void>.from(userdata)?.run(())
  return 0
}

private struct InotifyEvent {
  /// What changed in the directory; `nil` if it is the directory itself.
  let name: String?

  init(_ event: UnsafePointer<inotify_event>) {
    // The name follows the structure, padded with NUL; inotify(7).
    let start = UnsafeRawPointer(event).advanced(by: MemoryLayout<inotify_event>.size)
    name =
      event.pointee.len == 0 ? nil : String(cString: start.assumingMemoryBound(to: CChar.self))
  }
}

private func inotifyThunk(
  _ source: OpaquePointer?, _ event: UnsafePointer<inotify_event>?,
  _ userdata: UnsafeMutableRawPointer?
) -> CInt {
  guard let event else { return 0 }
  Callback<InotifyEvent, Void>.from(userdata)?.run(InotifyEvent(event))
  return 0
}

private func childThunk(
  _ source: OpaquePointer?, _ info: UnsafePointer<siginfo_t>?,
  _ userdata: UnsafeMutableRawPointer?
) -> CInt {
  guard let info else { return 0 }
  let status = info.pointee._sifields._sigchld.si_status
  Callback<ExitStatus, Void>.from(userdata)?.run(
    info.pointee.si_code == CInt(CLD_EXITED) ? .exited(status) : .killed(signal: status))
  return 0
}
