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

  @Test(
    arguments: [
      (CivilDate(year: 1970, month: 1, day: 1), 0), (CivilDate(year: 1969, month: 12, day: 31), -1),
      (CivilDate(year: 2000, month: 2, day: 29), 11_016),
      (CivilDate(year: 2026, month: 11, day: 30), 20_787),
      (CivilDate(year: 2100, month: 3, day: 1), 47_541),
      (CivilDate(year: 0, month: 3, day: 1), -719_468),
    ] as [(CivilDate, Int64)])
  func aDayHasItsNumber(date: CivilDate, days: Int64) {
    #expect(date.daysSinceEpoch == days)
    #expect(CivilDate(daysSinceEpoch: days) == date)
  }
}
