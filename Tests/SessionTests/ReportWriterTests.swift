import Bytes
import Testing
import Timeline

@testable import Session

@Suite struct ReportWriterTests {
  private static let noon = Timestamp(unixMilliseconds: 1_796_040_000_123)
  private static let id = MessageID(timestamp: noon, chance: (1, 2, 3))

  private static func written(
    _ style: ReportWriter.Style, level: LogLevel = .notice, isQuiet: Bool = false,
    secrets: [String] = [], _ body: (inout ReportWriter, inout ByteQueue) -> Void
  ) -> String {
    var writer = ReportWriter(style: style, level: level, isQuiet: isQuiet)
    writer.secrets = secrets
    var queue = ByteQueue()
    body(&writer, &queue)
    return queue.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
  }

  private static func record(
    _ report: Report, secrets: [String] = [], style: ReportWriter.Style = .records
  ) -> String {
    written(style, secrets: secrets) { $0.append(report, noon, to: &$1) }
  }

  private static let reports: [(Report, String, String)] = [
    (
      Report.state(LinkReport(.connecting, attempt: 2)),
      "state", #""state":"connecting","attempt":2"#
    ),
    (.state(LinkReport(.stopping)), "state", #""state":"stopping""#),
    (
      .state(
        LinkReport(
          .offline, end: .closed(code: 1006, reason: [0x62, 0xFF, 0x0A]), attempt: nil,
          retryIn: .milliseconds(1500))),
      "state",
      #""state":"offline","reason":"the server closed with 1006: b\#u{FFFD}\n","closeCode":1006,"closeReason":"b\#u{FFFD}\n","retryInMs":1500"#
    ),
    (
      .state(
        LinkReport(
          .refused, end: .refusedUpgrade(status: 401, reason: "No", retryAfter: nil), attempt: 1,
          retryIn: nil)),
      "state",
      #""state":"refused","reason":"the server answered 401 No","httpStatus":401,"attempt":1"#
    ),
    (
      .accepted(id: .local(id), line: 7), "accepted",
      #""messageId":"\#(id.text)","line":7,"durable":false"#
    ),
    (.delivered(id: .local(id)), "delivered", #""messageId":"\#(id.text)""#),
    (
      .failed(id: .local(id), reason: "too \"large\""),
      "failed", #""messageId":"\#(id.text)","reason":"too \"large\"""#
    ),
    (
      .accepted(id: .shared(id: Array("m\"1".utf8), room: Array("räume".utf8)), line: 7),
      "accepted", #""messageId":"m\"1","conversationId":"räume","line":7,"durable":false"#
    ),
    (
      .delivered(id: .shared(id: Array("m1".utf8), room: Array("ops".utf8)), seq: 42),
      "delivered", #""messageId":"m1","conversationId":"ops","seq":42"#
    ),
    (
      .missing(room: Array("ops".utf8), after: 4, before: 9),
      "gap", #""conversationId":"ops","after":4,"before":9"#
    ),
    (
      .missing(room: Array("ops".utf8), after: 4, before: 1, epoch: Array("e".utf8)),
      "gap", #""conversationId":"ops","after":4,"before":1,"epoch":"e""#
    ),
    (
      .serverError(room: Array("ops".utf8), reason: "no"),
      "error", #""source":"server","conversationId":"ops","reason":"no""#
    ),
    (.serverError(room: nil, reason: "no"), "error", #""source":"server","reason":"no""#),
    (.gap(reason: "not read"), "gap", #""reason":"not read""#),
    (
      .error(source: "stdin", line: 3, reason: "no", input: [0x78, 0xC3, 0x1B]),
      "error", #""source":"stdin","line":3,"reason":"no","input":"x\#u{FFFD}\u001b""#
    ),
  ]

  /// The records behind `{"type":"wsii.` and the timestamp.
  @Test(arguments: reports)
  func aReportIsARecord(report: Report, type: String, members: String) throws {
    let line =
      #"{"type":"wsii.\#(type)","timestamp":"2026-11-30T12:00:00.123Z",\#(members)}"# + "\n"
    #expect(Self.record(report) == line)
    #expect(Self.record(report, style: .recordsOnly) == line)
    _ = try Told(Array(line.utf8.dropLast()))
  }

  @Test func aCloseReasonIsShownWholeAndABadLineCut() throws {
    let long = [UInt8](repeating: 0x61, count: 119) + Array("éé".utf8)
    let close = try Told(
      Array(
        Self.record(
          .state(
            LinkReport(.offline, end: .closed(code: 1001, reason: long), attempt: 1, retryIn: nil))
        ).utf8.dropLast()))
    #expect(close["closeReason"] == String(decoding: long, as: UTF8.self))
    let error = try Told(
      Array(
        Self.record(.error(source: "s", line: 1, reason: "r", input: long)).utf8.dropLast()))
    #expect(error["input"] == String(repeating: "a", count: 119) + "…")
  }

  @Test func theServersTimeOfAMessageStandsInItsRecord() {
    let report = Report.delivered(
      id: .shared(id: [0x6D], room: [0x72]), seq: 1, timestamp: Array("2026".utf8))
    #expect(Self.record(report).hasPrefix(#"{"type":"wsii.delivered","timestamp":"2026","#))
  }

  @Test func aRecordForStandardOutputIsOneWhateverTheStyle() {
    for style in [ReportWriter.Style.lines, .records, .recordsOnly] {
      for isQuiet in [false, true] {
        var writer = ReportWriter(style: style, level: .error, isQuiet: isQuiet)
        var queue = ByteQueue()
        writer.appendAsRecord(.gap(reason: "x"), Self.noon, to: &queue)
        let text = queue.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        #expect(
          text
            == (isQuiet
              ? ""
              : #"{"type":"wsii.gap","timestamp":"2026-11-30T12:00:00.123Z","reason":"x"}"# + "\n"))
        #expect(writer.isForPeople == (style == .lines))
      }
    }
  }

  @Test func linesAreForPeople() {
    let text = Self.written(.lines) { writer, queue in
      writer.append(.state(LinkReport(.online)), Self.noon, to: &queue)
      writer.append(.gap(reason: "a\n\u{1B}[2J"), Self.noon, to: &queue)
      writer.append(.state(LinkReport(.connecting)), Self.noon, to: &queue)
      writer.append(.delivered(id: .local(Self.id)), Self.noon, to: &queue)
      writer.appendNote(.error, "disk", Self.noon, to: &queue)
    }
    #expect(
      text
        == "wsii: online\nwsii: messages are missing here: a\\n\\x1b[2J\nwsii: disk\n")
  }

  @Test(arguments: [
    (LogLevel.error, ["error"]), (.warning, ["error", "warning"]),
    (.debug, ["error", "warning", "notice", "info", "debug"]),
  ])
  func notesBelowTheLevelAreLeftOut(level: LogLevel, shown: [String]) {
    let text = Self.written(.records, level: level, isQuiet: true) { writer, queue in
      for level: LogLevel in [.error, .warning, .notice, .info, .debug] {
        writer.appendNote(level, "\(level)", Self.noon, to: &queue)
      }
    }
    #expect(text == shown.map { "wsii: \($0)\n" }.joined())
  }

  @Test(arguments: [ReportWriter.Style.lines, .records, .recordsOnly])
  func quietLeavesOutReports(style: ReportWriter.Style) {
    let text = Self.written(style, level: .debug, isQuiet: true) { writer, queue in
      #expect(!writer.showsMessages && writer.isQuiet)
      writer.append(.state(LinkReport(.online)), Self.noon, to: &queue)
      writer.append(.gap(reason: "x"), Self.noon, to: &queue)
    }
    #expect(text.isEmpty)
  }

  @Test(arguments: [
    (ReportWriter.Style.lines, LogLevel.notice, false), (.lines, .info, false),
    (.lines, .debug, true), (.records, .error, true), (.recordsOnly, .error, true),
  ])
  func singleMessagesAreToldToPrograms(
    style: ReportWriter.Style, level: LogLevel, isShown: Bool
  ) {
    #expect(ReportWriter(style: style, level: level, isQuiet: false).showsMessages == isShown)
  }

  @Test func collectorsGetRecordsOnly() throws {
    let text = Self.written(.recordsOnly) { writer, queue in
      writer.appendNote(.warning, "a\"b", Self.noon, to: &queue)
      writer.appendTrace("> PING", Self.noon, to: &queue)
    }
    #expect(
      text == #"""
        {"type":"wsii.note","timestamp":"2026-11-30T12:00:00.123Z","level":"warning","text":"a\"b"}
        {"type":"wsii.trace","timestamp":"2026-11-30T12:00:00.123Z","text":"> PING"}

        """#)
  }

  @Test(arguments: [ReportWriter.Style.lines, .records])
  func tracesHaveTheTimeOfDay(style: ReportWriter.Style) {
    let secrets = [#"a"b\c-token"#]
    let text = Self.written(style, level: .error, isQuiet: true, secrets: secrets) {
      $0.appendTrace(#"> TEXT fin 13 bytes "a\"b\\c-token""#, Self.noon, to: &$1)
      $0.appendTrace("< PONG", Timestamp(unixMilliseconds: 1), to: &$1)
    }
    #expect(text == "12:00:00.123 > TEXT fin 13 bytes \"***\"\n00:00:00.001 < PONG\n")
  }

  @Test(arguments: [
    ("the secret is s3cr3t-token!", "the secret is ***"), ("s3cr3t-token!s3cr3t-token!", "******"),
    // A quote that was cut short still gives it away, from eight bytes on.
    ("cut s3cr3t-t", "cut ***"), ("(s3cr3t-tok)", "(***)"), ("cut s3cr3t-", "cut s3cr3t-"),
    ("in a URL s3cr3t-token%21", "in a URL ***"), ("in a URL s3cr3t-token%21x", "in a URL ***x"),
    ("longer s3cr3t-token!-and-more", "longer ***"), ("s3cr3", "s3cr3"), ("abc", "abc"),
  ])
  func secretsAreNeverShown(text: String, shown: String) throws {
    let secrets = ["s3cr3t-token!", "s3cr3t-token!-and-more", "abc", ""]
    let note = Self.written(.lines, secrets: secrets) {
      $0.appendNote(.error, text, Self.noon, to: &$1)
    }
    #expect(note == "wsii: \(shown)\n")
    let record = try Told(
      Array(
        Self.record(
          .error(source: "stdin", line: 1, reason: text, input: Array(text.utf8)),
          secrets: secrets
        ).utf8.dropLast()))
    #expect(record["reason"] == shown && record["input"] == shown)
  }
}
