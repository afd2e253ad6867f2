import Testing
import Timeline

@testable import Session

@Suite struct RetryAfterTests {
  /// 1994-11-06T08:49:37Z
  private static let now = Timestamp(unixMilliseconds: 784_111_777_000)

  @Test(arguments: [
    ("0", Duration.zero), ("7", .seconds(7)), ("0007", .seconds(7)),
    ("00000000000007", .seconds(7)), ("3600", .seconds(3600)),
    ("3601", .seconds(3600)), ("99999999999999999999999999", .seconds(3600)),
    ("Sun, 06 Nov 1994 08:49:37 GMT", .zero), ("Sun, 06 Nov 1994 08:50:07 GMT", .seconds(30)),
    ("Sun, 06 Nov 1994 08:00:00 GMT", .zero), ("Sun, 06 Nov 9994 08:49:37 GMT", .seconds(3600)),
  ])
  func bothFormsAreRead(value: String, wait: Duration) {
    #expect(RetryAfter.parse(Array(value.utf8), now: RetryAfterTests.now) == wait)
  }

  @Test(arguments: ["", " ", "-1", "+1", "7.5", "7s", "soon", "1e3", "Sun, 06 Nov 1994", "٣"])
  func anythingElseIsNone(value: String) {
    #expect(RetryAfter.parse(Array(value.utf8), now: RetryAfterTests.now) == nil)
  }

  @Test(arguments: [Int64.min, Int64.max])
  func aClockFarOffDoesNotTrap(milliseconds: Int64) {
    let now = Timestamp(unixMilliseconds: milliseconds)
    let wait = RetryAfter.parse(Array("Sun, 06 Nov 1994 08:49:37 GMT".utf8), now: now)
    #expect(wait == .zero || wait == .seconds(3600))
  }
}
