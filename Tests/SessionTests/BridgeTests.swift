import Bytes
import Testing
import Timeline
import WebSocket

@testable import Session

/// The life of a run: its beginning, its phases and every way to its end.
@Suite struct BridgeTests {
  // MARK: The end of the input

  @Test func linesGoOutAreAcknowledgedAndTheRunEnds() throws {
    let run = Rehearsal()
    #expect(!run.bridge.hasActions && run.bridge.nextDeadline == nil)
    run.start()
    #expect(run.attempts == [1])
    #expect(try run.states == ["connecting", "online"])
    run.type("{\"a\":1}\n[2]\n3")
    #expect(run.server.texts == ["{\"a\":1}", "[2]"])
    run.endInput()
    #expect(run.server.texts == ["{\"a\":1}", "[2]", "3"])
    #expect(run.server.closeFrame == CloseFrame(code: .normal))
    #expect(run.outcome == .done && run.outcomeCount == 1)
    #expect(try run.told("delivered").count == 3)
    #expect(try run.states == ["connecting", "online", "stopping"])
    #expect(run.bridge.nextDeadline == nil && !run.bridge.wantsInput)
    // Nothing that still happens changes it; a signal only hurries the last records.
    run.bridge.advance(run.now, unsentByteCount: nil)
    run.reconnect()
    #expect(run.outcomeCount == 1 && run.attempts == [1])
    run.stop()
    run.stop()
    #expect(run.outcome == .done && run.outcomeCount == 2)
    #expect(run.bridge.flushPatience == .milliseconds(40))
  }

  @Test(arguments: [
    (1, "wsii: 1 message was not delivered and is lost, since nothing is kept on disk yet"),
    (2, "wsii: 2 messages were not delivered and are lost, since nothing is kept on disk yet"),
  ])
  func withoutALinkTheDrainHasAnEnd(count: Int, line: String) {
    let run = Phase.connecting.rehearse()
    for number in 1...count { run.type("\(number)\n") }
    run.endInput()
    run.wait(.milliseconds(9_999))
    #expect(run.outcome == nil)
    run.wait(.milliseconds(1))
    #expect(run.outcome == .unavailable && run.notes == [line])
  }

  @Test func anUnansweredDrainEndsWithAClose() {
    let run = Rehearsal { $0.ackTimeout = .seconds(60) }.start()
    run.server.isSilent = true
    run.type("1\n")
    run.endInput()
    run.wait(.seconds(10))
    #expect(run.server.closeFrame?.code == .normal && run.outcome == nil)
    run.wait(.seconds(5))
    #expect(run.outcome == .unavailable && run.notes.count == 1)
  }

  @Test func anAcknowledgementThatComesWhileClosingCounts() {
    let run = Rehearsal { $0.drainTimeout = .seconds(1) }.start()
    run.isDownstreamStuck = true
    run.type("1\n")
    run.endInput()
    run.wait(.seconds(1))
    run.isDownstreamStuck = false
    run.turn()
    #expect(run.outcome == .done && run.notes.isEmpty)
  }

  @Test func aDrainGoesOnOverANewLink() throws {
    let run = Rehearsal().start()
    run.isDownstreamStuck = true
    run.type("1\n2\n")
    run.endInput()
    run.server.close(1000, "bye", run.now.instant)
    run.isDownstreamStuck = false
    // The pong stands before the Close; without it everything comes again.
    _ = run.server.takeOutput()
    run.server.sayClose(1000)
    run.turn()
    #expect(run.outcome == nil)
    run.wait(.seconds(2))
    #expect(run.servers.count == 2 && run.server.texts == ["1", "2"])
    #expect(run.outcome == .done)
    #expect(
      try run.states == ["connecting", "online", "stopping", "offline", "connecting", "online"])
  }

  @Test func aDrainDoesNotWaitForAnAttemptThatComesTooLate() throws {
    let run = Rehearsal()
    run.answers = [
      .respond(
        HTTPResponse(
          status: 503, fields: [try HTTPField(name: "Retry-After", value: "60")], text: "busy"))
    ]
    run.start()
    run.type("1\n")
    run.endInput()
    #expect(run.outcome == .unavailable)
  }

  @Test func aQuietRunGivesTheReasonOfAStatusAndNothingElse() {
    func said(_ happen: (Rehearsal) -> Void) -> (outcome: Outcome?, text: String) {
      let run = Rehearsal(isQuiet: true, retries: 0)
      happen(run)
      return (run.outcome, String(decoding: run.errors, as: UTF8.self))
    }
    let unreachable = said { run in
      run.connecting = .fails(.unreachable(reason: "no route"))
      run.start()
    }
    #expect(unreachable == (.unavailable, "wsii: no route\n"))
    let refused = said { $0.start().serverCloses(4001, "bad token") }
    #expect(refused == (.refused, "wsii: the server closed with 4001: bad token\n"))
    let badInput = said { run in
      run.start()
      run.type("1\nx\ny\n")
      run.endInput()
    }
    #expect(badInput.outcome == .badInput)
    #expect(badInput.text.hasPrefix("wsii: stdin line 2: "))
    #expect(badInput.text.count { $0 == "\n" } == 1)
    let done = said { $0.start().endInput() }
    #expect(done == (.done, ""))
    let interrupted = said { $0.start().stop(interrupted: true) }
    #expect(interrupted == (.interrupted, ""))
  }

  @Test func aDrainThatIsParkedIsARefusal() {
    let run = Phase.parked.rehearse()
    run.type("1\n")
    run.endInput()
    #expect(run.outcome == .refused && run.notes.count == 1)
  }

  @Test(arguments: [Phase.connecting, .upgrading, .waiting, .parked])
  func nothingQueuedIsNothingToWaitFor(phase: Phase) {
    let run = phase.rehearse()
    run.endInput()
    #expect(run.outcome == .done && !run.hasTransport)
    run.endInput()
    #expect(run.outcomeCount == 1)
  }

  @Test func stayingOutlivesTheInput() {
    let run = Rehearsal { $0.staysAfterInput = true }.start()
    run.type("1")
    run.endInput()
    #expect(run.server.texts == ["1"] && run.outcome == nil && !run.bridge.wantsInput)
    run.stop()
    #expect(run.outcome == .done)
  }

  // MARK: Signals

  @Test(arguments: Phase.allCases)
  func aStopActsAtOnceInEveryPhase(phase: Phase) {
    let run = phase.rehearse()
    run.stop()
    guard phase != .unanswered else {
      // What is on the way is worth a wait, but not an unlimited one.
      run.wait(.milliseconds(9_900))
      #expect(run.outcome == nil)
      run.stop()
      #expect(run.outcome == .unavailable)
      return
    }
    run.wait(.milliseconds(50))
    #expect(run.outcome == .done && run.notes.isEmpty)
    #expect(!run.hasTransport)
  }

  @Test(arguments: Phase.allCases)
  func aSecondStopNeverWaits(phase: Phase) {
    let run = phase.rehearse()
    run.isDownstreamStuck = true
    run.stop()
    run.stop(interrupted: true)
    // Where the first one had ended the run already, the end is still the signal's.
    #expect(run.outcome == .interrupted && run.outcomeCount <= 2)
  }

  @Test func aStoppedRunGivesTheServerAMomentForItsClose() {
    let run = Rehearsal().start()
    run.server.isSilent = true
    run.stop(interrupted: true)
    #expect(run.outcome == nil && run.server.closeFrame?.code == .normal)
    run.wait(.milliseconds(50))
    #expect(run.outcome == .interrupted)
  }

  @Test func aStopReadsWhatWasWrittenBefore() {
    let run = Rehearsal().start()
    run.hasMoreInput = true
    run.stop()
    #expect(run.bridge.wantsInput && run.outcome == nil)
    run.type("1\n")
    #expect(run.bridge.wantsInput)
    run.hasMoreInput = false
    run.turn()
    #expect(run.server.texts == ["1"] && run.outcome == .done)
  }

  @Test func nothingIsTakenInOnceTheRunIsJudged() {
    let run = Phase.unanswered.rehearse()
    run.hasMoreInput = true
    run.stop()
    #expect(run.bridge.wantsInput)
    run.stop()
    #expect(run.outcome == .unavailable && !run.bridge.wantsInput)

    let closing = Phase.unanswered.rehearse { $0.drainTimeout = .seconds(1) }
    closing.hasMoreInput = true
    closing.stop()
    closing.wait(.seconds(1))
    #expect(closing.outcome == nil && !closing.bridge.wantsInput)
  }

  @Test func aStopDoesNotWaitForALinkThatIsEnding() {
    let run = Rehearsal().start()
    run.server.isSilent = true
    run.type("1\n")
    run.server.sayClose(1001)
    run.turn()
    run.stop()
    run.wait(.milliseconds(50))
    #expect(run.outcome == .unavailable)
  }

  @Test func aStopWithUnansweredMessagesDoesNotSitThroughABackoff() throws {
    let run = Phase.unanswered.rehearse()
    run.stop()
    run.breakLink("reset by peer")
    #expect(run.outcome == .unavailable)
    #expect(try run.told("state").last?["retryInMs"] == nil)
  }

  @Test(arguments: Phase.allCases)
  func askedToReconnectItDoes(phase: Phase) throws {
    let run = phase.rehearse()
    run.reconnect()
    run.isDownstreamStuck = false
    run.turn()
    run.wait(.zero)
    if phase == .closing {
      #expect(run.attempts == [1])
      return
    }
    #expect(run.attempts.count == 2 && run.attemptInstants[0] == run.attemptInstants[1])
    #expect(try run.states.last == "online")
    if phase == .online || phase == .unanswered {
      #expect(run.servers[0].closeFrame?.code == .normal)
      #expect(try run.told("state").contains { $0["reason"] == "asked to reconnect" })
    }
    // The pong came before the old link ended.
    #expect(try run.told("delivered").count == (phase == .unanswered ? 1 : 0))
    #expect(run.server.texts.isEmpty)
  }

  @Test func aDeadLinkDelaysReconnectingForASecondOrNotAtAll() {
    let run = Rehearsal(retries: 0).start()
    run.isDownstreamStuck = true
    run.reconnect()
    run.wait(.milliseconds(999))
    #expect(run.attempts == [1])
    run.isDownstreamStuck = false
    _ = run.server.takeOutput()
    run.server.isSilent = true
    run.wait(.milliseconds(1))
    #expect(run.attempts.count == 2)

    run.isDownstreamStuck = true
    run.reconnect()
    run.reconnect()
    run.wait(.zero)
    #expect(run.attempts.count == 3)
  }

  @Test func aDrainingRunReconnectsToo() {
    let run = Phase.waiting.rehearse()
    run.type("1\n")
    run.endInput()
    run.reconnect()
    run.wait(.zero)
    #expect(run.server.texts == ["1"] && run.outcome == .done)
  }

  // MARK: Limits

  @Test func aDurationEndsTheRun() {
    let run = Rehearsal { $0.duration = .seconds(60) }.start()
    run.wait(.milliseconds(59_999))
    #expect(run.outcome == nil)
    run.wait(.milliseconds(1))
    #expect(run.outcome == .done && run.server.closeFrame?.code == .normal)
  }

  // MARK: Standard streams

  @Test func aFailedStreamDrainsAndIsJudged() {
    let run = Rehearsal().start()
    run.isDownstreamStuck = true
    run.type("1\n")
    run.bridge.streamFailed(reason: "read stdin: Input/output error", run.now)
    run.endInput()
    #expect(run.outcome == nil)
    run.isDownstreamStuck = false
    run.turn()
    #expect(run.outcome == .inputOutputError)
    #expect(run.notes == ["wsii: read stdin: Input/output error"])
  }

  @Test func aFailureWhileTheLastRecordsAreWrittenCorrectsTheOutcome() {
    let run = Rehearsal().start()
    run.endInput()
    #expect(run.outcome == .done)
    run.bridge.streamFailed(reason: "write stdout: No space left on device", run.now)
    run.turn()
    #expect(run.outcome == .inputOutputError && run.outcomeCount == 2)
    #expect(run.bridge.flushPatience == .seconds(10))
  }

  @Test func aReaderThatLeavesAtTheVeryEndIsNoticed() {
    let run = Rehearsal().start()
    run.stop()
    run.bridge.outputClosed(run.now)
    run.turn()
    #expect(run.outcome == .brokenPipe)
    #expect(run.bridge.flushPatience == run.bridge.settings.hastyCloseTimeout)
  }

  @Test func droppedErrorsLeaveWholeLines() {
    let run = Rehearsal()
    let bridge = run.bridge
    bridge.dropErrors(run.now)
    bridge.note(.error, "first", run.now)
    bridge.note(.error, "second", run.now)
    bridge.standardError.consume(3)
    bridge.dropErrors(run.now)
    let text = bridge.standardError.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    #expect(
      text == """
        i: standard error wasn't read: reports were dropped here
        wsii: standard error wasn't read: reports were dropped here

        """)
  }
}
