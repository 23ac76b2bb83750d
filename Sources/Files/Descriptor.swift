internal import Glibc

/// An open file descriptor, closed at the end of its life.
struct Descriptor: ~Copyable {
  let number: Int32

  /// The corresponding C function is `open`; `O_CLOEXEC` is added.
  init(opening path: String, _ flags: Int32, mode: mode_t = 0) throws(FileError) {
    number = retrying { open(path, flags | O_CLOEXEC, mode) }
    if number < 0 { throw FileError(errno: errno, "open", path) }
  }

  deinit {
    close(number)
  }
}

/// Calls a C function again for as long as a signal interrupts it.
func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
