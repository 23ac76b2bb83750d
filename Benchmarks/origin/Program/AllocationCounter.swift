internal import Foundation

/// What count-allocations counts, if it was preloaded.
struct AllocationCounter {
  private let total: @convention(c) () -> Int

  init?() {
    guard let symbol = dlsym(nil, "allocations") else { return nil }
    total = unsafeBitCast(symbol, to: (@convention(c) () -> Int).self)
  }

  func allocations(in pass: () -> Int) -> Int {
    // What is made once is not the URLs'.
    _ = pass()
    let before = total()
    _ = pass()
    return total() - before
  }
}
