import Testing

@testable import Session

@Suite struct ReportTests {
  @Test func theReportOfAnEndCarriesWhatTheServerSaid() {
    var report = LinkReport(
      .offline, end: .closed(code: 1001, reason: [0x62]), attempt: 2, retryIn: .seconds(1))
    #expect(report.closeCode == 1001 && report.closeReason == [0x62] && report.attempt == 2)
    #expect(report.reason == "the server closed with 1001: b" && report.retryIn == .seconds(1))
    report = LinkReport(.offline, end: .closed(code: nil, reason: []), attempt: 1, retryIn: nil)
    #expect(report.closeCode == nil && report.closeReason == nil)
    report = LinkReport(
      .refused, end: .refusedUpgrade(status: 403, reason: "", retryAfter: nil), attempt: 1,
      retryIn: nil)
    #expect(report.httpStatus == 403 && report.state.rawValue == "refused")
  }

  @Test func aStateMayStandAlone() {
    let report = LinkReport(.full, reason: "why")
    #expect(report.reason == "why" && report.attempt == nil && report.retryIn == nil)
    #expect(LogLevel.error < .warning && LogLevel.info < .debug)
  }
}
