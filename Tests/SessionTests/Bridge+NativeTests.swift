import Testing
import Timeline
import WebSocket

@testable import Session

/// A run whose server speaks the native protocol, and how that is found out.
@Suite struct BridgeNativeTests {
  private static let welcome = #"{"type":"welcome","userId":"me","userName":"Me"}"#
  private static let joined =
    #"{"type":"joined","conversationId":"r","epoch":"e","seq":0,"oldest":1}"#
  private static let message =
    #"{"id":"1","type":"text","conversationId":"r","timestamp":"t","senderId":"s","senderName":"n"}"#

  private func rehearse(
    _ speech: BridgeSettings.Speech = .native, style: ReportWriter.Style = .records,
    level: LogLevel = .info, retries: Int? = nil,
    _ change: (inout BridgeSettings) -> Void = { _ in }
  ) -> Rehearsal {
    Rehearsal(style: style, level: level, retries: retries) { settings in
      settings.speech = speech
      settings.native.rooms = [Array("r".utf8)]
      change(&settings)
    }.start()
  }

  private func joinedRun(
    style: ReportWriter.Style = .records, _ change: (inout BridgeSettings) -> Void = { _ in }
  ) -> Rehearsal {
    let run = rehearse(style: style, change)
    run.serverSays(Self.welcome)
    run.serverSays(Self.joined)
    return run
  }

  /// The `wsii.` records of standard output, in short.
  private func told(_ run: Rehearsal) -> [String] {
    run.outputLines.compactMap { line in
      guard let told = try? Told(Array(line.utf8)), let type = told["type"], type.hasPrefix("wsii.")
      else { return nil }
      return [String(type.dropFirst(5)), told["state"], told["messageId"]].compactMap { $0 }
        .joined(separator: " ")
    }
  }

  // MARK: Finding out

  @Test func aWelcomeSettlesNative() {
    let run = rehearse(.undecided)
    #expect(run.bridge.speech == .undecided)
    run.type(Self.message + "\n{\"type\":\"welcome\"}\n")
    #expect(run.server.texts == [])
    run.serverSays(Self.welcome)
    #expect(run.bridge.speech == .native)
    #expect(run.server.texts == [#"{"type":"join","conversationId":"r"}"#])
    run.serverSays(Self.joined)
    #expect(run.server.texts.last == Self.message)
    #expect(run.notes.contains("wsii: dialect native"))
    #expect(told(run) == ["state online", "accepted 1", "error"])
    #expect(run.bridge.identity?.userID == Array("me".utf8))
    run.wait(.seconds(30))
    #expect(run.bridge.speech == .native)
  }

  @Test func anotherFirstFrameSettlesPlain() throws {
    let run = rehearse(.undecided)
    run.type("{\"a\":1}\n7\n")
    run.serverSays("{\"b\":2}")
    #expect(run.bridge.speech == .plain && run.bridge.native == nil)
    #expect(run.outputLines == ["{\"b\":2}"])
    #expect(run.server.texts == ["{\"a\":1}", "7"])
    #expect(
      run.notes.contains(
        "wsii: the server's first frame is no welcome: dialect plain, a line is a frame"))
    #expect(try run.told("accepted").map { $0["line"] } == ["1", "2"])
    run.type("8\n")
    #expect(run.server.texts.last == "8")
    #expect(try run.states == ["connecting", "online"])
  }

  @Test func silenceSettlesPlain() {
    let run = rehearse(.undecided)
    run.type("{\"a\":1}\n")
    run.wait(.milliseconds(1_999))
    #expect(run.server.texts == [])
    run.wait(.milliseconds(1))
    #expect(run.server.texts == ["{\"a\":1}"])
    #expect(run.bridge.speech == .plain)
    run.breakLink()
    run.wait(.seconds(3))
    #expect(run.servers.count == 2 && run.bridge.speech == .plain)
  }

  @Test func aLostLinkDecidesNothing() throws {
    let run = rehearse(.undecided)
    run.type("{\"a\":1}\n \n{\"a\":\n")
    run.wait(.seconds(1))
    run.breakLink()
    #expect(run.bridge.speech == .undecided)
    #expect(try run.told("error").map { $0["line"] } == ["3"], "what nobody takes is told at once")
    run.wait(.seconds(2))
    #expect(run.servers.count == 2)
    run.serverSays(Self.welcome)
    run.serverSays(Self.joined)
    #expect(run.server.texts.last?.hasPrefix(#"{"a":1,"type":"text""#) == true)
  }

  @Test func undecidedLinesAreCountedAndDrained() {
    let run = rehearse(.undecided) { $0.outboxMaximum = 100 }
    run.type("{\"a\":1}\n")
    #expect(!run.bridge.wantsInput)
    run.endInput()
    run.wait(.seconds(2))
    #expect(run.server.texts == ["{\"a\":1}"])
    #expect(run.outcome == .done)
  }

  @Test func whileNobodyReadsPlainIsFoundOutAndReadingStops() {
    let run = rehearse(.undecided)
    run.isOutputStuck = true
    #expect(run.bridge.wantsTransport)
    run.wait(.seconds(2))
    #expect(!run.bridge.wantsTransport)
  }

  // MARK: Native from the start

  @Test func aServerThatDoesNotGreetIsLeftAndTriedAgain() throws {
    let run = rehearse()
    run.serverSays("{}")
    #expect(!run.hasTransport && run.bridge.speech == .native)
    run.wait(.seconds(2))
    #expect(run.servers.count == 2)
    run.wait(.seconds(20))
    #expect(run.servers.count > 2, "nothing was said at all")
    let last = rehearse(retries: 0)
    last.serverSays("{}")
    #expect(last.outcome == .protocolViolation)
  }

  @Test func aRunOverTwoLinks() {
    let run = joinedRun()
    run.type(Self.message + "\n")
    #expect(run.server.texts.last == Self.message)
    run.breakLink()
    run.wait(.seconds(2))
    run.serverSays(Self.welcome)
    run.serverSays(Self.joined)
    #expect(run.server.texts.last == Self.message)
    run.serverSays(
      #"{"type":"ack","messageId":"1","conversationId":"r","seq":1,"timestamp":"now"}"#)
    #expect(
      told(run) == [
        "state connecting", "state online", "accepted 1", "state offline", "state connecting",
        "state online", "delivered 1",
      ])
    #expect(run.notes == [] && run.errorLines == [])
    run.endInput()
    #expect(run.outcome == .done)
    #expect(told(run).suffix(1) == ["state stopping"])
  }

  @Test func recordsAreAcknowledgedOnceTheyAreWritten() {
    let run = joinedRun()
    let frame = #"{"type":"text","conversationId":"r","seq":1,"senderId":"you"}"#
    let count = run.server.texts.count
    run.isOutputStuck = true
    run.bridge.outputBlocked(false, run.now)
    run.serverSays(frame)
    #expect(run.server.texts.count == count)
    run.isOutputStuck = false
    run.turn()
    #expect(run.outputLines.last == frame)
    #expect(
      run.server.texts.last
        == #"{"type":"ack","conversationId":"r","seq":1,"status":"delivered"}"#)
  }

  /// With standard error in the same pipe, reports stand between records.
  @Test func receiptsCountWhatStandardOutputShares() {
    let run = joinedRun()
    let frame = #"{"type":"text","conversationId":"r","seq":1,"senderId":"you"}"#
    let note = Array("a note\n".utf8)
    run.isOutputStuck = true
    run.bridge.outputBlocked(false, run.now)
    run.bridge.shareOutput(note)
    run.serverSays(frame)
    let count = run.server.texts.count
    run.bridge.outputWritten(run.output.count + note.count + frame.utf8.count)
    run.turn()
    #expect(run.server.texts.count == count, "the note went out, and not all of the record")
    run.isOutputStuck = false
    run.turn()
    #expect(run.outputLines.suffix(2) == ["a note", frame])
    #expect(
      run.server.texts.last
        == #"{"type":"ack","conversationId":"r","seq":1,"status":"delivered"}"#)
  }

  @Test func theLastReceiptGoesOutBeforeTheClose() {
    let run = joinedRun()
    for seq in 1...2 {
      run.serverSays(#"{"type":"text","conversationId":"r","seq":\#(seq),"senderId":"you"}"#)
    }
    #expect(run.server.texts.last?.contains("\"seq\":1") == true)
    run.endInput()
    #expect(run.server.texts.last?.contains("\"seq\":2") == true)
    #expect(run.outcome == .done)
  }

  @Test func aBlockedReaderDoesNotStopSending() {
    let run = joinedRun()
    run.type(Self.message + "\n")
    run.isOutputStuck = true
    run.turn()
    #expect(run.bridge.wantsTransport && !run.bridge.wantsInput)
    #expect(
      run.notes == ["wsii: standard output isn't read: messages are left with the server"])
    run.serverSays(#"{"type":"text","conversationId":"r","seq":1,"senderId":"you"}"#)
    run.serverSays(#"{"type":"ack","messageId":"1","conversationId":"r","seq":2}"#)
    run.wait(.seconds(60))
    #expect(run.hasTransport, "nobody gives up")
    run.isOutputStuck = false
    run.turn()
    #expect(
      run.server.texts.last
        == #"{"type":"history","conversationId":"r","after":0,"limit":200}"#)
    #expect(run.bridge.isSettled == false)
    run.serverSays(
      #"{"type":"history","conversationId":"r","messages":[{"conversationId":"r","seq":1},{"conversationId":"r","seq":2}],"more":false}"#
    )
    #expect(run.bridge.isSettled)
  }

  @Test func anAnswerThatDoesNotComeEndsTheLink() {
    let run = joinedRun()
    run.unsentByteCount = 0
    run.type(Self.message + "\n")
    // The first of four looks in ten seconds finds that the message has arrived.
    run.wait(.milliseconds(12_499))
    #expect(run.hasTransport)
    run.wait(.milliseconds(1))
    #expect(!run.hasTransport)
  }

  @Test func aRefusedMessageMakesTheRunFail() {
    let run = joinedRun()
    run.type(Self.message + "\n")
    run.serverSays(#"{"type":"nack","messageId":"1","conversationId":"r","code":"forbidden"}"#)
    #expect(told(run).last == "failed 1")
    run.endInput()
    #expect(run.outcome == .badInput)
  }

  @Test func badLinesAndBadFramesAreTold() {
    let run = joinedRun()
    run.type("{\"type\":\"welcome\"}\n")
    #expect(told(run).last == "error")
    run.serverSays(#"{"type":"nack"}"#)
    #expect(run.notes == ["wsii: the server sent a nack that lacks something"])
    run.server.say([0x81, 0x01, 0xFF])
    run.turn()
    #expect(run.server.closeFrame?.code == .invalidData)
  }

  @Test func anotherUserParksTheQueue() {
    let run = joinedRun()
    run.type(Self.message + "\n")
    run.breakLink()
    run.wait(.seconds(2))
    run.serverSays(#"{"type":"welcome","userId":"you"}"#)
    #expect(run.outcome == .otherUser)
    #expect(told(run).contains("state refused"))
  }

  @Test func aNumberOfRecordsCountsTheServersOnly() {
    let run = joinedRun { $0.recordLimit = 1 }
    run.serverSays(#"{"type":"typing","conversationId":"r","userId":"u"}"#)
    run.serverSays(#"{"type":"stopTyping","conversationId":"r","userId":"u"}"#)
    #expect(run.outputLines.filter { $0.contains("yping") }.count == 1)
    #expect(run.outcome == .done)
  }

  // MARK: Where reports go

  @Test func peopleAtATerminalAreToldThere() {
    let run = joinedRun(style: .lines) { $0.outputIsTerminal = true }
    #expect(told(run) == [])
    #expect(run.notes.contains("wsii: online"))
    let piped = joinedRun(style: .lines)
    #expect(told(piped) == ["state connecting", "state online"])
    #expect(piped.notes.contains("wsii: online"))
  }

  @Test func asTextReportsGoToStandardError() throws {
    let run = joinedRun {
      $0.format = .text
      $0.native.isText = true
    }
    run.type("hi\n")
    #expect(run.server.texts.last?.contains("\"text\":\"hi\"") == true)
    run.serverSays(
      #"{"type":"text","conversationId":"r","seq":1,"senderId":"you","text":"ho","timestamp":"1970-01-01T00:00:09Z"}"#
    )
    #expect(run.outputLines == ["9 <you> ho"])
    #expect(try run.states == ["connecting", "online"])
  }

  @Test func aClosedReaderIsNoPlaceForReports() throws {
    let run = joinedRun()
    run.type(Self.message + "\n")
    run.bridge.outputClosed(run.now)
    run.turn()
    run.serverSays(#"{"type":"ack","messageId":"1","conversationId":"r","seq":1}"#)
    #expect(run.outcome == .brokenPipe)
    #expect(try run.told("delivered").count == 1)
  }

  @Test func aMessageInPiecesIsOneRecord() {
    let run = joinedRun()
    for bytes: [UInt8] in [[0x01, 0x01, 0x5B], [0x80, 0x01, 0x5D]] {
      run.server.say(bytes)
      run.turn()
    }
    #expect(run.outputLines.last == "[]")
    run.serverCloses(1001, "away")
    #expect(told(run).last == "state offline")
  }

  @Test(arguments: [PlainDialect.Format.json, .text])
  func theFrameThatTellsThatAServerIsPlainIsARecord(format: PlainDialect.Format) throws {
    let run = rehearse(.undecided) {
      $0.format = format
      $0.recordLimit = 1
    }
    run.server.send(.binary, [0xFF], run.now.instant)
    run.turn()
    let line = #"{"type":"wsii.binary","data":"/w=="}"#
    #expect((format == .json ? run.outputLines : run.errorLines).contains(line))
    #expect((run.outcome == .done) == (format == .json))
    let bad = rehearse(.undecided) { $0.format = format }
    bad.server.say([0x81, 0x01, 0xFF])
    bad.turn()
    #expect(bad.server.closeFrame?.code == .invalidData)
    let closed = rehearse(.undecided)
    closed.bridge.outputClosed(closed.now)
    closed.serverSays("[]")
    #expect(closed.outputLines == [])
  }

  @Test func readingAheadIsBounded() {
    let run = rehearse()
    run.isUpstreamStuck = true
    #expect(run.bridge.unsentByteCount == 0)
    let line = "{\"conversationId\":\"r\",\"text\":\"\(String(repeating: "x", count: 90_000))\"}\n"
    for _ in 1...3 { run.type(line) }
    #expect(run.bridge.unsentByteCount > 256 * 1_024 && !run.bridge.wantsInput)
  }
}
