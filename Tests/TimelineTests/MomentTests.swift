import Testing

@testable import Timeline

@Suite struct MomentTests {
  @Test func holdsBothClocksApart() {
    let moment = Moment(
      instant: Instant(nanoseconds: 7), timestamp: Timestamp(unixMilliseconds: 1_796_069_700_123))
    #expect(moment.instant == Instant(nanoseconds: 7))
    #expect(moment.timestamp.rfc3339 == "2026-11-30T20:15:00.123Z")
    var later = moment
    later.instant = moment.instant + .seconds(1)
    #expect(later != moment && later.timestamp == moment.timestamp)
    later.instant = moment.instant
    later.timestamp = Timestamp(unixMilliseconds: 0)
    #expect(later != moment)
  }
}
