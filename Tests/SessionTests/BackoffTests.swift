import Testing

@testable import Session

@Suite struct BackoffTests {
  private static func waits(
    _ base: Duration, _ ceiling: Duration, chance: UInt32, count: Int
  ) -> [Duration] {
    var backoff = Backoff(bounds: Backoff.Bounds(base: base, ceiling: ceiling))
    return (0..<count).map { _ in backoff.nextWait(chance: chance) }
  }

  @Test(arguments: [
    (UInt32.min, [500, 1000, 2000, 4000, 8000, 15_000, 15_000]),
    (UInt32.max, [1500, 3000, 6000, 12_000, 24_000, 45_000, 45_000]),
  ])
  func theMiddleDoublesUpToTheCeilingAndHalfOfItIsChance(chance: UInt32, milliseconds: [Int]) {
    let waits = BackoffTests.waits(.seconds(1), .seconds(30), chance: chance, count: 7)
    #expect(waits == milliseconds.map { .milliseconds($0) })
  }

  @Test func chanceSpreadsEvenly() {
    var dice = Dice(seed: 3)
    var sum = Duration.zero
    for _ in 0..<1000 {
      let wait = BackoffTests.waits(
        .seconds(1), .seconds(1), chance: UInt32(truncatingIfNeeded: dice.next()), count: 1)[0]
      #expect(wait >= .milliseconds(500) && wait <= .milliseconds(1500))
      sum += wait
    }
    #expect(sum > .seconds(960) && sum < .seconds(1040))
  }

  @Test(arguments: [
    (Duration.zero, Duration.seconds(30), Duration.zero),
    (.seconds(-1), .seconds(30), .zero),
    (.seconds(60), .seconds(30), .seconds(15)),
    (.seconds(1), .zero, .zero),
    (.nanoseconds(1), .seconds(100_000), .seconds(50_000)),
  ])
  func oddBoundsNeitherTrapNorLoop(base: Duration, ceiling: Duration, last: Duration) {
    #expect(BackoffTests.waits(base, ceiling, chance: 0, count: 2000).last == last)
  }

  @Test func resetBeginsAnew() {
    var backoff = Backoff(bounds: Backoff.Bounds(base: .seconds(1), ceiling: .seconds(30)))
    _ = backoff.nextWait(chance: 0)
    _ = backoff.nextWait(chance: 0)
    #expect(backoff.failureCount == 2)
    backoff.reset()
    #expect(backoff.failureCount == 0)
    #expect(backoff.nextWait(chance: 0) == .milliseconds(500))
  }
}
