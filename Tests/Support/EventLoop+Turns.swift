import Posix
package import Reactor
import Timeline

extension EventLoop {
  /// Turns until the condition holds; throws when it doesn't within 20 s.
  package func turn(until condition: () -> Bool) throws {
    let limit = Limit()
    attach(limit)
    defer { detach(limit) }
    while !condition() {
      guard !limit.isReached else { throw Overdue() }
      try turn()
    }
  }
}

/// What a test waited for has not come about.
package struct Overdue: Error, CustomStringConvertible {
  package let description = "the condition did not come about in 20 s"
}

/// Ends a wait that would go on for ever.
private final class Limit: TurnHook {
  private let deadline = MonotonicClock.now() + .seconds(20)
  private(set) var isReached = false

  func beforeSleep(now: Instant) -> Instant? {
    deadline
  }

  func deadlinePassed(now: Instant) {
    isReached = true
  }
}
