import Testing

@testable import Timeline

@Suite struct HTTPDateTests {
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37.000Z"),
    ("Thu, 29 Feb 2024 23:59:60 GMT", "2024-03-01T00:00:00.000Z"),
    ("Mon, 30 Nov 2026 20:15:07 GMT", "2026-11-30T20:15:07.000Z"),
  ])
  func isRead(text: String, moment: String) {
    #expect(Timestamp(httpDate: Array(text.utf8))?.rfc3339 == moment)
  }

  @Test(arguments: [
    "", "7", "Sun, 06 Nov 1994 08:49:37 UTC", "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994", "Sun, 31 Apr 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
    "Sun, 0x Nov 1994 08:49:37 GMT", "S1n, 06 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT ",
  ])
  func isRefused(text: String) {
    #expect(Timestamp(httpDate: Array(text.utf8)) == nil)
  }
}
