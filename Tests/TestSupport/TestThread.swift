internal import Glibc

/// A thread for what blocks: a test that waits for it must not hold up the others.
package final class TestThread {
  private var thread = pthread_t()

  package init(_ body: @escaping @Sendable () -> Void) throws {
    let context = Unmanaged.passRetained(Body(body))
    let result = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    guard result == 0 else {
      context.release()
      throw SystemError("pthread_create", errno: result)
    }
  }

  /// Waits until it ends. Once.
  package func join() {
    pthread_join(thread, nil)
  }
}

private final class Body: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) {
    self.run = run
  }
}
