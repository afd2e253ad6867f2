import Testing

@testable import Timeline

@Suite struct CivilDateTests {
  @Test func everyDayOfEightHundredYearsFollowsTheOneBefore() {
    var before = CivilDate(daysSinceEpoch: -146_098)
    for day in Int64(-146_097)...146_097 {
      let date = CivilDate(daysSinceEpoch: day)
      #expect(date.daysSinceEpoch == day)
      let follows =
        date.day == before.day + 1 && date.month == before.month && date.year == before.year
        || date.day == 1 && date.month == before.month + 1 && date.year == before.year
        || date.day == 1 && date.month == 1 && before.month == 12 && date.year == before.year + 1
      if !follows { Issue.record("day \(day) is \(date) after \(before)") }
      before = date
    }
  }
}
