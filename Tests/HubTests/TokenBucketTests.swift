import Testing
import Timeline

@testable import Hub

@Suite struct TokenBucketTests {
  private let start = Instant(nanoseconds: 5_000_000_000)

  @Test("a burst is granted, then reading pauses, then nothing is granted")
  func course() {
    var bucket = TokenBucket(HubLimits.Rate(perSecond: 10, burst: 5))
    for _ in 0..<5 { #expect(bucket.take(start) == .granted(pauseUntil: nil)) }
    for debt in 1...20 {
      #expect(bucket.wait(start) == .milliseconds(100 * debt))
      #expect(bucket.take(start) == .granted(pauseUntil: start + .milliseconds(100 * debt)))
    }
    #expect(bucket.take(start) == .refused(wait: .milliseconds(2_100)))
    #expect(bucket.take(start) == .refused(wait: .milliseconds(2_100)))
    // Two seconds later the debt is paid and the next token is a tenth away.
    let later = start + .seconds(2)
    #expect(bucket.wait(later) == .milliseconds(100))
    #expect(bucket.take(later) == .granted(pauseUntil: later + .milliseconds(100)))
    // And it never holds more than its burst.
    let muchLater = start + .seconds(3_600)
    #expect(bucket.wait(muchLater) == .zero)
    for _ in 0..<5 { #expect(bucket.take(muchLater) == .granted(pauseUntil: nil)) }
    #expect(bucket.take(muchLater) != .granted(pauseUntil: nil))
  }

  @Test("in the long run the rate is kept, whoever presses")
  func longRun() {
    var bucket = TokenBucket(HubLimits.Rate(perSecond: 50, burst: 20))
    var granted = 0
    for step in 0..<10_000 {
      let now = start + .milliseconds(step)
      if case .granted = bucket.take(now) { granted += 1 }
    }
    // Ten seconds' worth, the burst, and what may be owed.
    #expect((500...621).contains(granted))
  }

  @Test("what can't be refused owes two seconds at most")
  func charging() {
    var bucket = TokenBucket(HubLimits.Rate(perSecond: 1, burst: 1))
    #expect(bucket.charge(start) == nil)
    #expect(bucket.charge(start) == start + .seconds(1))
    for _ in 0..<100 { #expect((bucket.charge(start) ?? start) <= start + .seconds(2)) }
    #expect(bucket.take(start + .seconds(2)) == .granted(pauseUntil: start + .seconds(3)))
  }

  @Test("what is dropped leaves no debt")
  func ephemeral() {
    var bucket = TokenBucket(HubLimits.Rate(perSecond: 1, burst: 2))
    let taken = (0..<4).map { _ in bucket.takeIfPresent(start) }
    #expect(taken == [true, true, false, false])
    let isBack = bucket.takeIfPresent(start + .seconds(1))
    #expect(isBack)
  }

  @Test(
    "no rate is too odd",
    arguments: [
      0, -1, Double.nan, .infinity, -Double.infinity, .leastNonzeroMagnitude,
      .greatestFiniteMagnitude,
    ], [Int.min, 0, 1, Int.max])
  func extremes(_ perSecond: Double, _ burst: Int) {
    var bucket = TokenBucket(HubLimits.Rate(perSecond: perSecond, burst: burst))
    for instant in [Instant(nanoseconds: .min), start, Instant(nanoseconds: .max)] {
      _ = bucket.take(instant)
      _ = bucket.charge(instant)
      _ = bucket.takeIfPresent(instant)
      #expect(bucket.wait(instant) >= .zero)
    }
  }
}
