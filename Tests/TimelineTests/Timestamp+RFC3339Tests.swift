import Testing
import Timeline

@Suite struct TimestampRFC3339Tests {
  @Test(
    "reads what it writes, and fractions of any length",
    arguments: [
      ("1970-01-01T00:00:00Z", 0), ("2026-11-30T20:15:00.123Z", 1_796_069_700_123),
      ("1970-01-01T00:00:00.1Z", 100), ("1970-01-01T00:00:01.123456789Z", 1_123),
      ("1969-12-31T23:59:59.999Z", -1), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
    ] as [(String, Int64)])
  func reads(_ text: String, _ milliseconds: Int64) {
    #expect(Timestamp(rfc3339: Array(text.utf8))?.unixMilliseconds == milliseconds)
    let timestamp = Timestamp(unixMilliseconds: milliseconds)
    #expect(Timestamp(rfc3339: Array(timestamp.rfc3339.utf8)) == timestamp)
  }

  @Test(
    "anything else is not a time",
    arguments: [
      "", "Z", "1970-01-01T00:00:00", "1970-01-01T00:00:00+01:00", "1970-01-01 00:00:00Z",
      "1970-13-01T00:00:00Z", "1970-00-01T00:00:00Z", "1970-01-32T00:00:00Z",
      "1970-01-01T24:00:00Z", "1970-01-01T00:60:00Z", "1970-01-01T00:00:61Z",
      "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00.xZ", "197x-01-01T00:00:00Z",
      "1970-01-01T00:00:00,5Z",
    ])
  func refuses(_ text: String) {
    #expect(Timestamp(rfc3339: Array(text.utf8)) == nil)
  }
}
