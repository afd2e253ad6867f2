import Bytes
import Testing
import Timeline
import WebSocket

@testable import Session

/// Frames in, records out, and readers that are slow, stand still or leave.
@Suite struct BridgeOutputTests {
  // MARK: Records

  @Test func framesBecomeLinesInOrder() {
    let run = Rehearsal().start()
    for frame in ["{\"a\":1}", "[\n2]", "x", "7", "", #"{"type":"\u0077sii.state"}"#] {
      run.serverSays(frame)
    }
    run.server.send(.binary, [0xFF], run.now.instant)
    run.turn()
    #expect(
      run.outputLines == [
        "{\"a\":1}", "[ 2]", #"{"type":"wsii.text","text":"x"}"#,
        #"{"type":"wsii.text","text":"7"}"#, #"{"type":"wsii.text","text":""}"#,
        #"{"type":"wsii.text","text":"{\"type\":\"\\u0077sii.state\"}"}"#,
        #"{"type":"wsii.binary","data":"/w=="}"#,
      ])
  }

  @Test func onATerminalNothingIsObeyed() {
    let run = Rehearsal { $0.outputIsTerminal = true }.start()
    run.serverSays("[\"\u{9B}2J\"]")
    #expect(run.outputLines == [#"["\u009b2J"]"#])
  }

  @Test(arguments: [false, true])
  func inTextFormatABinaryFrameIsAReport(isQuiet: Bool) {
    let run = Rehearsal(isQuiet: isQuiet) { $0.format = .text }.start()
    run.serverSays("a\nb")
    run.server.send(.binary, [0xFF], run.now.instant)
    run.turn()
    #expect(run.outputLines == [#"a\nb"#])
    let line = #"{"type":"wsii.binary","data":"/w=="}"#
    #expect(run.errorLines.contains(line) == !isQuiet)
  }

  @Test(arguments: [PlainDialect.Format.json, .text])
  func badUTF8EndsTheLinkWith1007(format: PlainDialect.Format) throws {
    let run = Rehearsal(retries: 0) { $0.format = format }.start()
    // Whole in one input, and after a good one.
    run.server.say([0x81, 0x02, 0x5B, 0x5D, 0x81, 0x01, 0xFF, 0x81, 0x02, 0x5B, 0x5D])
    run.turn()
    #expect(run.server.closeFrame?.code == .invalidData && run.outcome == .protocolViolation)
    #expect(try run.told("state").last?["closeCode"] == "1007")
    #expect(run.outputLines == ["[]"])
  }

  @Test func aMessageInPiecesIsOneRecord() {
    let run = Rehearsal().start()
    for bytes: [UInt8] in [[0x01, 0x02, 0x22, 0xC3], [0x00, 0x01], [0xA9], [0x80, 0x01, 0x22]] {
      run.server.say(bytes)
      run.turn()
    }
    #expect(run.outputLines == [#"{"type":"wsii.text","text":"\"é\""}"#])
  }

  @Test(arguments: [1, 3])
  func theRunEndsAfterExactlySoManyRecords(limit: Int) {
    let run = Rehearsal { $0.recordLimit = limit }.start()
    run.isDownstreamStuck = true
    run.turn()
    for number in 1...5 { run.server.send("[\(number)]", run.now.instant) }
    run.isDownstreamStuck = false
    run.turn()
    #expect(run.outputLines == (1...limit).map { "[\($0)]" })
    #expect(run.outcome == .done && run.server.closeFrame?.code == .normal)
  }

  @Test func afterTheLastRecordTheOutboxIsEmptied() {
    let run = Rehearsal { $0.recordLimit = 1 }.start()
    run.isUpstreamStuck = true
    run.type("1\n2\n")
    run.serverSays("[]")
    #expect(run.outcome == nil)
    run.isUpstreamStuck = false
    run.turn()
    #expect(run.server.texts == ["1", "2"] && run.outcome == .done)
  }

  @Test func recordsArriveUntilTheServersClose() {
    let run = Rehearsal().start()
    run.isDownstreamStuck = true
    run.endInput()
    run.server.say([0x81, 0x02, 0x5B, 0x5D])
    run.isDownstreamStuck = false
    run.turn()
    #expect(run.outcome == .done && run.outputLines.count <= 1)

    let other = Rehearsal().start()
    other.server.isSilent = true
    other.endInput()
    other.server.say([0x81, 0x02, 0x5B, 0x5D, 0x88, 0x00])
    other.turn()
    #expect(other.outputLines == ["[]"])
  }

  // MARK: A reader that leaves

  @Test func aClosedOutputDrainsAndEndsAsABrokenPipe() throws {
    let run = Rehearsal().start()
    run.isOutputStuck = true
    run.isUpstreamStuck = true
    run.type("1\n")
    run.bridge.outputClosed(run.now)
    run.turn()
    run.serverSays("[1]")
    #expect(run.outcome == nil && run.bridge.standardOutput.count == 0)
    run.isUpstreamStuck = false
    run.turn()
    #expect(run.server.texts == ["1"] && run.outcome == .brokenPipe)
    #expect(run.bridge.standardOutput.count == 0)
  }

  // MARK: A reader that stands still

  @Test func aStandstillCostsTheLinkAndIsAGap() throws {
    let run = Rehearsal { $0.keepalive = Keepalive() }.start()
    run.isOutputStuck = true
    run.serverSays("[1]")
    #expect(!run.bridge.wantsTransport && run.bridge.standardOutput.count == 0)
    #expect(
      run.notes == ["wsii: standard output isn't read: reading from the server stops"])
    run.wait(.milliseconds(29_999))
    #expect(try run.told("gap").isEmpty && run.states.last == "online")
    run.wait(.milliseconds(1))
    #expect(try run.told("gap").map { $0["reason"] } == ["standard output wasn't read for 30 s"])
    #expect(run.server.closeFrame?.code == .normal)
    run.wait(.seconds(1))
    #expect(try run.states.last == "offline")
    #expect(try run.told("state").last?["reason"] == "standard output wasn't read for 30 s")
    // Nobody reads: another link would bring nothing.
    run.wait(.seconds(1000))
    #expect(run.attempts == [1] && run.bridge.nextDeadline == nil)
    run.isOutputStuck = false
    run.wait(.zero)
    #expect(run.attempts.count == 2)
    run.serverSays("[2]")
    #expect(run.outputLines == ["[2]"])
  }

  @Test func aStandstillThatEndsInTimeCostsNothing() throws {
    let run = Rehearsal { $0.keepalive = Keepalive() }.start()
    run.isOutputStuck = true
    run.isOutputStuck = true
    run.serverSays("[1]")
    run.wait(.seconds(29))
    run.isOutputStuck = false
    run.turn()
    #expect(run.outputLines == ["[1]"])
    run.wait(.seconds(100))
    #expect(try run.states == ["connecting", "online"] && run.told("gap").isEmpty)
  }

  @Test func unreadPongsAreNoProofOfDeath() throws {
    let run = Rehearsal().start()
    run.isOutputStuck = true
    run.type("1\n")
    run.wait(.seconds(29))
    #expect(try run.states.last == "online" && run.told("delivered").isEmpty)
    run.isOutputStuck = false
    run.turn()
    #expect(try run.told("delivered").count == 1)
    // The server's time begins anew when reading does.
    run.server.isSilent = true
    run.isOutputStuck = true
    run.type("2\n")
    run.wait(.milliseconds(22_400))
    run.isOutputStuck = false
    run.wait(.milliseconds(9_900))
    #expect(try run.states.last == "online")
    run.wait(.milliseconds(2_600))
    #expect(try run.states.last == "offline")
  }

  @Test func aPauseIsNoSilenceEither() throws {
    let run = Rehearsal {
      $0.keepalive = Keepalive()
      $0.ackTimeout = .seconds(1)
    }.start()
    run.isDownstreamStuck = true
    run.bridge.outputPaused(true, run.now)
    run.bridge.outputPaused(true, run.now)
    run.type("1\n")
    run.wait(.seconds(100))
    // Blocked meanwhile: it goes on when both are over, and not before.
    run.bridge.outputBlocked(true, run.now)
    run.wait(.seconds(20))
    run.bridge.outputBlocked(false, run.now)
    run.wait(.seconds(100))
    #expect(try run.states == ["connecting", "online"])
    run.bridge.outputPaused(false, run.now)
    run.wait(.milliseconds(900))
    #expect(try run.states.last == "online")
    run.wait(.milliseconds(400))
    #expect(try run.states.last == "offline")
  }

  @Test(arguments: [
    (false, Outcome.inputOutputError), (true, .done),
  ])
  func recordsThatNobodyTookAreToldAndJudged(isStopped: Bool, outcome: Outcome) {
    let run = Rehearsal().start()
    if isStopped { run.stop() } else { run.endInput() }
    #expect(run.outcome == .done)
    run.bridge.outputAbandoned(byteCount: 7, run.now)
    run.turn()
    #expect(
      run.notes == ["wsii: 7 bytes of records were not taken from standard output and are lost"])
    #expect(run.outcome == outcome)
  }

  @Test func anUpgradeIsReadEvenThen() throws {
    let run = Rehearsal { $0.keepalive = Keepalive() }
    run.connecting = .hangs
    run.start()
    run.isOutputStuck = true
    run.wait(.seconds(29))
    run.connectNow()
    run.turn()
    #expect(try run.states.last == "online" && !run.bridge.wantsTransport)
    // The reader's patience with this link begins with it.
    run.wait(.seconds(29))
    #expect(try run.states.last == "online")
    run.wait(.seconds(2))
    #expect(try run.told("gap").count == 1)
    #expect(run.bridge.link.isOnline == false)
  }

  @Test func theEndDoesNotWaitForAReader() {
    let run = Rehearsal().start()
    run.isOutputStuck = true
    run.endInput()
    #expect(run.server.closeFrame?.code == .normal)
    run.wait(.milliseconds(100))
    #expect(run.outcome == .done)
  }

  @Test func aNativeServerIsReadOnThoughNobodyReadsUs() {
    let run = Rehearsal { $0.speech = .native }.start()
    run.serverSays(#"{"type":"welcome","userId":"me"}"#)
    run.isOutputStuck = true
    run.turn()
    #expect(run.bridge.wantsTransport && run.bridge.stallDeadline == nil)
    #expect(
      run.notes == ["wsii: standard output isn't read: messages are left with the server"])
    run.isOutputStuck = false
    run.serverSays("[]")
    #expect(run.outputLines.last == "[]")
  }

  @Test func aNumberOfRecordsCountsTheServersOnly() {
    let run = Rehearsal {
      $0.speech = .native
      $0.recordLimit = 1
    }.start()
    run.serverSays(#"{"type":"welcome","userId":"me"}"#)
    #expect(run.outcome == nil)
    run.serverSays("[]")
    #expect(run.outcome == .done)
  }

  @Test func silenceWhileNothingIsReadForABreakMeansNothing() throws {
    let run = Rehearsal { $0.keepalive = Keepalive() }.start()
    run.isDownstreamStuck = true
    run.bridge.outputPaused(true, run.now)
    run.bridge.outputPaused(true, run.now)
    run.wait(.seconds(100))
    #expect(try run.states.last == "online" && run.notes.isEmpty)
    // Twenty seconds to the ping and ten to its pong, from here on.
    run.bridge.outputPaused(false, run.now)
    run.wait(.milliseconds(29_999))
    #expect(try run.states.last == "online")
    run.wait(.milliseconds(1))
    #expect(try run.states.last == "offline")
  }

  @Test func theEndOfABreakIsNoEndOfAStandstill() throws {
    let run = Rehearsal {
      $0.keepalive = Keepalive(interval: .seconds(5), timeout: .seconds(5))
    }.start()
    run.isOutputStuck = true
    run.bridge.outputPaused(true, run.now)
    run.bridge.outputPaused(false, run.now)
    run.wait(.seconds(29))
    #expect(try run.states.last == "online")
  }

  @Test func recordsThatNobodyTookMakeTheEndAFailure() {
    let said = "wsii: 7 bytes of records were not taken from standard output and are lost"
    let run = Rehearsal().start()
    run.endInput()
    #expect(run.outcome == .done)
    run.bridge.outputAbandoned(byteCount: 7, run.now)
    run.turn()
    #expect(run.outcome == .inputOutputError && run.outcomeCount == 2 && run.notes == [said])
    // After a signal they are nobody's fault, but still told.
    let interrupted = Rehearsal().start()
    interrupted.stop(interrupted: true)
    interrupted.bridge.outputAbandoned(byteCount: 7, interrupted.now)
    interrupted.turn()
    #expect(interrupted.outcome == .interrupted && interrupted.outcomeCount == 1)
    #expect(interrupted.notes == [said])
  }
}
