/// How long to wait before the next attempt: min(base · 2ⁿ, ceiling), plus or minus half of it.
///
/// RFC 6455, section 7.2.3 asks for a random, growing wait, so that the clients of a server that
/// restarts don't return all at once. Chance comes in from outside.
package struct Backoff: Sendable {
  /// The wait's middle after the first failure, and what it never exceeds.
  package struct Bounds: Equatable, Sendable {
    package var base: Duration
    package var ceiling: Duration

    package init(base: Duration, ceiling: Duration) {
      self.base = base
      self.ceiling = ceiling
    }
  }

  private let bounds: Bounds
  /// How often in a row it went wrong.
  package private(set) var failureCount = 0

  package init(bounds: Bounds) {
    self.bounds = bounds
  }

  /// The wait after one more failure. `chance` is uniform over UInt32: 0 gives half of the wait's
  /// middle, the largest value one and a half times it.
  package mutating func nextWait(chance: UInt32) -> Duration {
    var middle = max(bounds.base, .zero)
    // Doubling past the ceiling is pointless and would overflow in the end.
    var doublings = failureCount
    while doublings > 0 && middle < bounds.ceiling && middle != .zero {
      middle *= 2
      doublings -= 1
    }
    failureCount += 1
    middle = min(middle, bounds.ceiling)
    return middle / 2 + middle * (Double(chance) / Double(UInt32.max))
  }

  /// Forgets the failures, after a link has proved stable.
  package mutating func reset() {
    failureCount = 0
  }
}
