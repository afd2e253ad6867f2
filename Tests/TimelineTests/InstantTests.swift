import Testing

@testable import Timeline

@Suite struct InstantTests {
  @Test(arguments: [
    (0, Duration.seconds(1), 1_000_000_000),
    (5, .nanoseconds(-7), -2),
    (Int64.max - 1, .seconds(1), Int64.max),
    (Int64.min + 1, .seconds(-1), Int64.min),
    (0, .seconds(Int64.max), Int64.max),
    (0, .seconds(Int64.min), Int64.min),
    (0, .milliseconds(1) + .nanoseconds(5), 1_000_005),
  ])
  func addsAndHoldsAtTheEnds(start: Int64, wait: Duration, sum: Int64) {
    #expect(Instant(nanoseconds: start) + wait == Instant(nanoseconds: sum))
  }

  @Test(arguments: [
    (5, 2, Duration.nanoseconds(3)),
    (2, 5, .nanoseconds(-3)),
    (Int64.max, -1, .nanoseconds(Int64.max)),
    (Int64.min, 1, .nanoseconds(Int64.min)),
  ])
  func subtractsAndHoldsAtTheEnds(end: Int64, start: Int64, difference: Duration) {
    #expect(Instant(nanoseconds: end) - Instant(nanoseconds: start) == difference)
  }

  @Test func comparesByTime() {
    #expect(Instant(nanoseconds: 1) < Instant(nanoseconds: 2))
    #expect(Duration.seconds(2).wholeMilliseconds == 2000)
  }

  @Test(arguments: [
    (Duration.zero, "0 ms"), (.milliseconds(250), "250 ms"), (.microseconds(999_999), "999 ms"),
    (.seconds(1), "1 s"), (.milliseconds(1_500), "1.5 s"), (.milliseconds(1_999), "1.9 s"),
    (.seconds(40), "40 s"), (.milliseconds(-250), "-250 ms"), (.milliseconds(-1_500), "-1.5 s"),
    (.milliseconds(-2_000), "-2 s"), (.seconds(Int64.max), "9223372036.8 s"),
    (.seconds(Int64.min), "-9223372036.8 s"),
  ])
  func isShort(duration: Duration, text: String) {
    #expect(duration.shortText == text)
  }
}
