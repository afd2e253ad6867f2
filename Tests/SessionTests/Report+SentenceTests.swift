import Testing
import Timeline

@testable import Session

@Suite struct ReportSentenceTests {
  private static let id = MessageID(
    timestamp: Timestamp(unixMilliseconds: 0), chance: (0, 0, 0))

  private static let sentences: [(Report, String, LogLevel)] = [
    (Report.accepted(id: .local(id), line: 3), "line 3 accepted", LogLevel.debug),
    (.delivered(id: .local(id)), "delivered 00000000-0000-7000-8000-000000000000", .debug),
    (
      .failed(id: .local(id), reason: "too large"),
      "message 00000000-0000-7000-8000-000000000000 failed: too large", .error
    ),
    (.delivered(id: .shared(id: Array("m1".utf8), room: [0x72]), seq: 4), "delivered m1", .debug),
    (
      .missing(room: Array("ops".utf8), after: 4, before: 9),
      "room ops: the messages after 4 and before 9 are missing here", .warning
    ),
    (
      .missing(room: Array("ops".utf8), after: 4, before: 1, epoch: [0x65]),
      "room ops: its history began anew; what came after 4, and what now stands before 1, is"
        + " missing here", .warning
    ),
    (
      .serverError(room: Array("ops".utf8), reason: "forbidden"),
      "room ops: the server says forbidden", .warning
    ),
    (.serverError(room: nil, reason: "no"), "the server says no", .warning),
    (.gap(reason: "not read"), "messages are missing here: not read", .warning),
    (
      .error(source: "stdin", line: 4, reason: "not UTF-8", input: [0x61, 0xFF]),
      "stdin line 4: not UTF-8: a\u{FFFD}", .error
    ),
    (
      .error(
        source: "stdin", line: 4, reason: "r",
        input: [UInt8](repeating: 0x61, count: 119) + Array("é".utf8)),
      "stdin line 4: r: \(String(repeating: "a", count: 119))…", .error
    ),
    (.state(LinkReport(.connecting, attempt: 1)), "connecting", .info),
    (.state(LinkReport(.online)), "online", .notice),
    (.state(LinkReport(.full, reason: "64 wait")), "full: 64 wait", .notice),
    (
      .state(LinkReport(.offline, end: .lost(reason: "reset"), attempt: 1, retryIn: .seconds(2))),
      "offline: reset; next try in 2 s", .notice
    ),
    (
      .state(
        LinkReport(.offline, end: .lost(reason: "reset"), attempt: 3, retryIn: .milliseconds(5))),
      "offline: reset; next try in 5 ms (after 3 attempts)", .notice
    ),
  ]

  @Test(arguments: sentences)
  func aReportIsASentence(report: Report, sentence: String, level: LogLevel) {
    #expect(report.sentence == sentence)
    #expect(report.level == level)
  }
}
