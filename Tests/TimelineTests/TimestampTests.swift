import Testing

@testable import Timeline

@Suite struct TimestampTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00.000Z"),
    (1_796_069_700_123, "2026-11-30T20:15:00.123Z"),
    (951_782_400_000, "2000-02-29T00:00:00.000Z"),
    (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
    (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
    (-1, "1969-12-31T23:59:59.999Z"),
    (Int64.max, "9999-12-31T23:59:59.999Z"),
    (Int64.min, "0000-01-01T00:00:00.000Z"),
  ])
  func isShownAsRFC3339(milliseconds: Int64, text: String) {
    #expect(Timestamp(unixMilliseconds: milliseconds).rfc3339 == text)
  }

  @Test func comparesByTime() {
    #expect(Timestamp(unixMilliseconds: -1) < Timestamp(unixMilliseconds: 0))
  }
}
