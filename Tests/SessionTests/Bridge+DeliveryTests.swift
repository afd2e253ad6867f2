import Testing
import Timeline
import WebSocket

@testable import Session

/// Lines in, messages out, acknowledgements.
@Suite struct BridgeDeliveryTests {
  // MARK: Lines

  private static let badLines: [(line: [UInt8], reason: String)] = [
    ([0x22, 0xFF, 0x22], "invalid UTF-8"),
    (Array("{\"a\":\0}".utf8), "byte 0x00 where a JSON value should begin"),
    ([0xEF, 0xBB, 0xBF, 0x31], "a byte order mark before the JSON value"),
    (Array("NaN".utf8), "\"N\" where a JSON value should begin"),
    (Array("1e999".utf8), "a number beyond the range of a double"),
    (Array(#"{"a":1,"a":1}"#.utf8), "duplicate key \"a\""),
    (Array(String(repeating: "[", count: 500).utf8), "nested deeper than 128"),
    (Array(#""\udc00""#.utf8), "half a surrogate pair in a string"),
    (Array(#"{"type":"wsii.binary","data":"!"}"#.utf8), "\"data\" is not base64"),
    (Array(#"{"type":"wsii.text"}"#.utf8), "a wsii.text record needs a string \"text\""),
    ([UInt8](repeating: 0x31, count: 1001), "1001 bytes are over --max-message 1000"),
    ([UInt8](repeating: 0x31, count: 3000), "3000 bytes are over --max-message 1000"),
  ]

  @Test(arguments: badLines, [7, 1 << 20])
  func aBadLineIsOneErrorAndTheNextIsRead(
    example: (line: [UInt8], reason: String), chunk: Int
  ) throws {
    let run = Rehearsal { $0.maximumMessage = 1000 }.start()
    let input = Array("1\n\n".utf8) + example.line + Array("\r\n4".utf8)
    var rest = input[...]
    while !rest.isEmpty {
      run.bridge.inputReceived(Array(rest.prefix(chunk)).span, run.now)
      rest = rest.dropFirst(chunk)
    }
    run.endInput()
    let errors = try run.told("error")
    #expect(errors.count == 1)
    #expect(errors[0]["source"] == "stdin" && errors[0]["line"] == "3")
    #expect(errors[0]["reason"] == example.reason)
    let shown = String(decoding: example.line.prefix(120), as: UTF8.self)
    #expect(errors[0]["input"] == shown + (example.line.count > 120 ? "…" : ""))
    #expect(run.server.texts == ["1", "4"] && run.outcome == .badInput)
    #expect(try run.told("accepted").map { $0["line"] } == ["1", "4"])
  }

  @Test func framesAreWrappedInLinesAndReportsSkipped() throws {
    let run = Rehearsal().start()
    run.type(
      """
      {"type":"wsii.text","text":"hi\\n"}
      {"type":"wsii.state","state":"online"}
      {"type":"wsii.binary","data":"AP8="}

      """)
    #expect(
      run.server.received == [
        ScriptedServer.Message(kind: .text, payload: Array("hi\n".utf8)),
        ScriptedServer.Message(kind: .binary, payload: [0x00, 0xFF]),
      ])
    run.endInput()
    #expect(run.outcome == .done)
  }

  @Test func inTextFormatEveryLineIsAText() {
    let run = Rehearsal { $0.format = .text }.start()
    run.type("hi\n\n{\"type\":\"wsii.state\"}\r\nend")
    run.endInput()
    #expect(run.server.texts == ["hi", "", "{\"type\":\"wsii.state\"}", "end"])
    #expect(run.outcome == .done)
  }

  // MARK: Acknowledgements

  @Test func eachMessageHasOneIdFromAcceptanceToDelivery() throws {
    let run = Phase.unanswered.rehearse()
    run.type("2\n")
    #expect(try run.told("accepted").map { $0["durable"] } == ["false", "false"])
    #expect(try run.told("delivered").isEmpty)
    run.isDownstreamStuck = false
    run.turn()
    let ids = try run.told("accepted").compactMap { $0["messageId"] }
    #expect(ids.count == 2 && Set(ids).count == 2)
    #expect(try run.told("delivered").compactMap { $0["messageId"] } == ids)
  }

  @Test func whoWantsNoReportsGetsNone() {
    let run = Rehearsal(isQuiet: true).start()
    run.type("1\nx\n\n{\"type\":\"wsii.text\",\"text\":\"t\"}\n[")
    run.type("2]\n3")
    run.endInput()
    #expect(run.server.texts == ["1", "t", "[2]", "3"])
    // But why the status isn't 0 is said at the end.
    #expect(run.errorLines == ["wsii: stdin line 2: \"x\" where a JSON value should begin"])
    #expect(run.outcome == .badInput)
  }

  @Test func oneProbeIsOnTheWayAtATime() {
    let run = Phase.unanswered.rehearse()
    run.type("2\n")
    run.type("3\n")
    #expect(run.server.texts == ["1", "2", "3"] && run.bridge.outbox.count == 3)
    run.isDownstreamStuck = false
    // The first pong covers the first line, a second probe the rest.
    run.turn()
    #expect(run.bridge.outbox.isEmpty && run.bridge.ackProbe.deadline == nil)
  }

  @Test func aPongProvesOnlyWhatStandsBeforeItsPing() {
    let run = Rehearsal().start()
    run.isUpstreamStuck = true
    let line = "\"\(String(repeating: "a", count: 9000))\"\n"
    run.type(String(repeating: line, count: 40))
    let first = run.bridge.outbox.sentCount
    // The first batch reaches the server, the second doesn't leave.
    let bytes = run.bridge.withTransportOutput { Array($0) } ?? []
    run.bridge.transportSent(bytes.count, run.now)
    run.server.receive(bytes, run.now.instant)
    run.bridge.settle(run.now)
    #expect(first < 40 && run.bridge.outbox.sentCount == 40)
    run.turn()
    #expect(run.bridge.outbox.acknowledgedCount == first)
  }

  @Test func theUnansweredComesAgainInOrderOnTheNextLinkOnly() throws {
    let run = Rehearsal().start()
    run.type("1\n")
    run.isDownstreamStuck = true
    run.type("2\n3\n")
    run.wait(.seconds(1))
    #expect(run.server.texts == ["1", "2", "3"])
    run.breakLink("reset")
    run.type("4\n")
    run.isDownstreamStuck = false
    run.wait(.seconds(2))
    #expect(run.servers.count == 2 && run.server.texts == ["2", "3", "4"])
    #expect(try run.told("delivered").count == 4)
  }

  @Test(arguments: [(1, 1 << 20), (1000, 1), (3, 3)])
  func theWindowBoundsWhatIsUnanswered(messages: Int, bytes: Int) {
    let run = Rehearsal {
      $0.windowMessages = messages
      $0.windowBytes = bytes
      $0.ackTimeout = .seconds(60)
    }.start()
    run.isDownstreamStuck = true
    run.type("1\n2\n3\n4\n5\n")
    #expect(run.server.texts.count == min(messages, bytes))
    run.wait(.seconds(30))
    #expect(run.server.texts.count == min(messages, bytes))
    run.isDownstreamStuck = false
    run.turn()
    #expect(run.server.texts == ["1", "2", "3", "4", "5"] && run.bridge.outbox.isEmpty)
  }

  @Test func withoutAcknowledgementsTheWriteCounts() throws {
    let run = Rehearsal { $0.ackBy = .write }.start()
    run.server.isSilent = true
    run.isUpstreamStuck = true
    run.type("1\n2\n")
    #expect(try run.told("delivered").isEmpty)
    run.isUpstreamStuck = false
    run.turn()
    #expect(try run.told("delivered").count == 2)
    #expect(run.server.texts == ["1", "2"] && run.bridge.ackProbe.deadline == nil)
    run.endInput()
    run.wait(.seconds(5))
    #expect(run.outcome == .done)
  }

  @Test func nothingIsCountedAsWrittenThatWaitsForTheTransport() {
    let run = Rehearsal { $0.ackBy = .write }.start()
    run.isUpstreamStuck = true
    run.type("1\n")
    run.breakLink()
    run.isUpstreamStuck = false
    run.wait(.seconds(2))
    #expect(run.servers.count == 2 && run.server.texts == ["1"])
    #expect(run.bridge.outbox.isEmpty)
  }

  @Test(arguments: [0, nil])
  func withoutAnAcknowledgementTheLinkIsDead(unsentByteCount: Int?) throws {
    let run = Rehearsal().start()
    run.unsentByteCount = unsentByteCount
    run.server.isSilent = true
    run.type("1\n")
    run.wait(.milliseconds(9_900))
    #expect(try run.states.last == "online")
    run.wait(.milliseconds(2_700))
    #expect(try run.told("state").contains { $0["reason"] == "nothing was acknowledged for 10 s" })
    run.wait(.seconds(2))
    #expect(run.servers.count == 2 && run.server.texts == ["1"])
  }

  @Test func whileTheKernelsQueueShrinksTheLinkIsAlive() throws {
    let run = Rehearsal().start()
    run.server.isSilent = true
    run.type("\"\(String(repeating: "a", count: 1000))\"\n")
    for held in stride(from: 1000, to: 0, by: -50) {
      run.unsentByteCount = held
      run.wait(.milliseconds(2500))
      #expect(try run.states.last == "online")
    }
    // The last of it was seen to arrive at the next look; from then on the server has its time.
    run.unsentByteCount = 0
    run.wait(.milliseconds(12_500))
    #expect(try run.states.last == "offline")
  }

  @Test func lateFinesOnALinkThatClosesAreNone() {
    // The probe is over with the server's Close: it must not give the end another reason.
    let run = Rehearsal { $0.ackTimeout = .seconds(1) }.start()
    run.server.isSilent = true
    run.type("1\n")
    run.server.sayClose(1001)
    run.turn()
    #expect(run.bridge.ackProbe.deadline == nil)
  }

  // MARK: Limits

  @Test func aFullOutboxIsToldOnceAndResumedOnce() throws {
    let run = Phase.connecting.rehearse { $0.outboxMaximum = 1000 }
    let line = "\"\(String(repeating: "a", count: 100))\"\n"
    var count = 0
    while run.bridge.wantsInput {
      run.type(line)
      count += 1
    }
    #expect(count < 10 && run.bridge.outbox.heldByteCount >= 1000)
    run.type(line)
    run.wait(.seconds(1))
    #expect(try run.states == ["connecting", "full"])
    #expect(
      try run.told("state")[1]["reason"] == "\(count) messages wait; standard input isn't read")
    run.connectNow()
    run.turn()
    #expect(try run.states == ["connecting", "full", "online", "online"])
    #expect(try run.told("state")[3]["reason"] == "standard input is read again")
    #expect(run.bridge.wantsInput && run.bridge.outbox.isEmpty)
  }

  @Test(arguments: [
    (Phase.connecting, "connecting"), (.waiting, "offline"), (.parked, "refused"),
    (.online, "online"),
  ])
  func theOutboxEmptiesInHalves(phase: Phase, state: String) throws {
    let run = phase.rehearse {
      $0.outboxMaximum = 1000
      $0.windowMessages = 1
    }
    run.isDownstreamStuck = true
    let line = "\"\(String(repeating: "a", count: 100))\"\n"
    while run.bridge.wantsInput { run.type(line) }
    let wasTold = try run.states.count
    #expect(try run.states.last == "full")
    while run.bridge.outbox.heldByteCount > 500 {
      #expect(!run.bridge.wantsInput)
      _ = run.bridge.outbox.nextUnsent.map { _ in run.bridge.outbox.markSent() }
      run.bridge.acknowledge(upTo: run.bridge.outbox.acknowledgedCount + 1, run.now)
      run.turn()
    }
    #expect(run.bridge.wantsInput)
    #expect(try run.states.dropFirst(wasTold) == [state])
  }

  @Test func fullnessIsNoNewsOnceNothingIsRead() throws {
    let run = Phase.connecting.rehearse { $0.outboxMaximum = 100 }
    run.bridge.inputReceived(
      Array("\"\(String(repeating: "a", count: 200))\"\n".utf8).span, run.now)
    run.endInput()
    run.connectNow()
    run.turn()
    #expect(try !run.states.contains("full") && run.outcome == .done)
  }

  @Test func aStuckTransportStopsTheReading() {
    let run = Rehearsal().start()
    run.isUpstreamStuck = true
    let line = "\"\(String(repeating: "a", count: 9000))\"\n"
    var count = 0
    while run.bridge.wantsInput {
      run.type(line)
      count += 1
    }
    // What the connection takes, and as much again that waits for it.
    #expect((30...90).contains(count))
    run.isUpstreamStuck = false
    run.turn()
    #expect(run.server.received.count == count && run.bridge.wantsInput)
  }

  @Test func afterAStopOnlyARestIsRead() {
    let run = Rehearsal().start()
    run.hasMoreInput = true
    run.stop()
    // A writer that never pauses must not keep us.
    let chunk = Array(
      (String(repeating: "\"\(String(repeating: "a", count: 997))\"\n", count: 64)).utf8)
    var count = 0
    while run.bridge.wantsInput, run.outcome == nil {
      run.type(chunk)
      count += chunk.count
    }
    #expect(count >= 1 << 20 && count < 2 << 20 && run.outcome == .done)
  }
}
