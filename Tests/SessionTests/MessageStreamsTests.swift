import Bytes
import JSONText
import Testing
import Timeline
import WebSocket

@testable import Session

/// The loops that every single message goes through.
@Suite struct MessageStreamsTests {
  private static let now = Instant(nanoseconds: 0)

  // MARK: Inbound

  /// What one call did.
  private struct Inbound: Equatable {
    var stop: InboundStream.Stop
    var output: String
    var reports: String
    var position: Int
    var left: Int
  }

  private static func inbound(
    _ input: [UInt8], format: PlainDialect.Format = .json, limit: Int = .max
  ) -> Inbound {
    var connection: ConnectionMachine? = ConnectionMachine(
      client: MaskingKeys(refill: Dice.source(seed: 1)), validatesWholeMessages: false, now: now)
    var dialect = PlainDialect(format: format, isForTerminal: false)
    var output = ByteQueue()
    var reports: [UInt8] = []
    var position = 0
    var left = limit
    let stop = InboundStream.run(
      &connection, &dialect, &output, &reports, input.span, at: &position, now: now, count: &left)
    return Inbound(
      stop: stop, output: output.withUnsafeBytes { String(decoding: $0, as: UTF8.self) },
      reports: String(decoding: reports, as: UTF8.self), position: position, left: left)
  }

  private static let two: [UInt8] = [0x81, 0x02, 0x5B, 0x5D, 0x81, 0x01, 0x37]
  private static let twoLines = "[]\n{\"type\":\"wsii.text\",\"text\":\"7\"}\n"

  @Test func wholeMessagesBecomeLinesUntilTheInputIsTaken() {
    #expect(
      Self.inbound(Self.two + [0x81])
        == Inbound(
          stop: .inputTaken, output: Self.twoLines, reports: "", position: 8, left: .max - 2))
    #expect(Self.inbound([]).stop == .inputTaken)
  }

  @Test func otherEventsAreTheCallers() {
    let close = Self.inbound(Self.two + [0x88, 0x00])
    #expect(close.stop == .event(.peerClosed(CloseFrame(code: nil))))
    #expect(close.output == Self.twoLines)
    // A message in pieces is one all the same.
    let pieces = Self.inbound([0x01, 0x01, 0x5B, 0x80, 0x01, 0x5D] + Self.two)
    #expect(pieces.stop == .inputTaken && pieces.output == "[]\n" + Self.twoLines)
  }

  @Test func noMoreLinesAreMadeThanAreWanted() {
    let one = Self.inbound(Self.two, limit: 1)
    #expect(one.output == "[]\n" && one.left == 0)
    #expect(one.stop == .event(.message(.text, .input(6..<7))))
  }

  @Test func aBadTextAndAReportStopIt() {
    let bad = Self.inbound([0x81, 0x01, 0xFF] + Self.two)
    #expect(bad.stop == .invalidText && bad.output.isEmpty && bad.position == 3)
    let report = Self.inbound([0x82, 0x00] + Self.two, format: .text)
    #expect(report.stop == .reported && report.position == 2 && report.left == .max)
    #expect(report.reports == "{\"type\":\"wsii.binary\",\"data\":\"\"}\n")
  }

  @Test func withoutAConnectionThereIsNothing() {
    var connection: ConnectionMachine?
    var dialect = PlainDialect(format: .json, isForTerminal: false)
    var output = ByteQueue()
    var reports: [UInt8] = []
    var position = 0
    var left = 1
    let stop = InboundStream.run(
      &connection, &dialect, &output, &reports, Self.two.span, at: &position, now: Self.now,
      count: &left)
    #expect(stop == .inputTaken && output.isEmpty)
  }

  // MARK: Outbound

  @Test func plainLinesAreAcceptedUpToTheFirstOther() {
    var splitter = LineSplitter(maximumLength: 10)
    var dialect = PlainDialect(format: .json, isForTerminal: false)
    var outbox = EphemeralOutbox()
    var position = 0
    var lineNumber = 0
    let input = Array("1\n[2]\n\n3\nx\n12345678901\n4\nhalf".utf8)
    var stops: [String] = []
    while let (line, composed) = OutboundStream.run(
      &splitter, &dialect, &outbox, input.span, at: &position, lineNumber: &lineNumber)
    {
      stops.append("\(lineNumber) \(outbox.count) \(line) \(composed.map { "\($0)" } ?? "-")")
    }
    #expect(
      stops == [
        "3 2 inChunk(Range(6..<6)) skipped",
        "5 3 inChunk(Range(9..<10)) refused(reason: \"\\\"x\\\" where a JSON value should begin\")",
        "6 3 tooLong(byteCount: 11) -",
      ])
    #expect(lineNumber == 7 && outbox.count == 4 && position == input.count)
    #expect(outbox.nextUnsent?.line == 1)
  }

  @Test(arguments: [
    (9, 99, 9999, 3), (2, 99, 9999, 2), (9, 3, 9999, 2), (9, 99, 9, 2), (0, 9, 9, 0),
  ])
  func sendingStopsAtEachBound(messages: Int, bytes: Int, outputBytes: Int, count: Int) {
    var connection: ConnectionMachine? = ConnectionMachine(
      client: MaskingKeys(refill: Dice.source(seed: 1)), now: Self.now)
    var outbox = EphemeralOutbox()
    let payload: [UInt8] = [0x31, 0x32]
    for line in 1...3 { outbox.accept(.text, payload.span, line: line, id: nil) }
    OutboundStream.send(
      &outbox, &connection, messages: messages, bytes: bytes, outputBytes: outputBytes)
    #expect(outbox.sentCount == count && connection?.output.count == count * 8)
  }

  @Test func nothingIsSentOnAClosedConnection() {
    var connection: ConnectionMachine?
    var outbox = EphemeralOutbox()
    let nothing: [UInt8] = []
    outbox.accept(.text, nothing.span, line: 1, id: nil)
    OutboundStream.send(&outbox, &connection, messages: 9, bytes: 9, outputBytes: 9)
    #expect(outbox.sentCount == 0)
    connection = ConnectionMachine(
      client: MaskingKeys(refill: Dice.source(seed: 1)), now: Self.now)
    connection?.sendClose(.normal, now: Self.now)
    OutboundStream.send(&outbox, &connection, messages: 9, bytes: 9, outputBytes: 99)
    #expect(outbox.sentCount == 0)
  }
}
