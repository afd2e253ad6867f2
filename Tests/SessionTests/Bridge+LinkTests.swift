import Testing
import Timeline
import WebSocket

@testable import Session

/// The link: attempts, handshakes, frames that end it, and what follows.
@Suite struct BridgeLinkTests {
  // MARK: Ends

  /// How a link, or an attempt, comes to its end.
  enum End {
    case unreachable
    case response(Int, location: String?, retryAfter: String?)
    case answer(String)
    case close(UInt16?)
    case rawClose(UInt16)
    case raw([UInt8])
    case vanish(String?)

    func happen(to run: Rehearsal) throws {
      switch self {
      case .unreachable: run.connecting = .fails(.unreachable(reason: "no route"))
      case .response(let status, let location, let retryAfter):
        var fields: [HTTPField] = []
        if let location { fields.append(try HTTPField(name: "Location", value: location)) }
        if let retryAfter { fields.append(try HTTPField(name: "Retry-After", value: retryAfter)) }
        run.answers = [.respond(HTTPResponse(status: status, fields: fields, text: "a page\nmore"))]
      case .answer(let text): run.answers = [.say(text)]
      default: break
      }
      run.start()
      run.connecting = .works
      switch self {
      case .close(let code): run.serverCloses(code)
      case .rawClose(let code):
        run.server.sayClose(code, Array("why".utf8))
        run.server.end()
      case .raw(let bytes):
        run.server.say(bytes)
        run.turn()
        run.server.end()
      case .vanish(let error):
        if let error { run.breakLink(error) } else { run.server.end() }
      default: break
      }
      run.turn()
    }
  }

  struct Case {
    var end: End
    /// With no retries left.
    var outcome: Outcome
    var reason: String
    var closeCode: String?
    var httpStatus: String?
    var state = "offline"
    /// What the server hears, if anything.
    var answer: UInt16?
  }

  private static let wrongAccept = """
    HTTP/1.1 101 Switching Protocols\r
    Upgrade: websocket\r
    Connection: Upgrade\r
    Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r
    \r

    """

  private static let cases: [Case] = [
    Case(end: .unreachable, outcome: .unavailable, reason: "no route"),
    Case(
      end: .response(401, location: nil, retryAfter: nil), outcome: .refused,
      reason: "the server answered 401 Unauthorized (a page)", httpStatus: "401", state: "refused"),
    Case(
      end: .response(403, location: nil, retryAfter: nil), outcome: .refused,
      reason: "the server answered 403 Forbidden (a page)", httpStatus: "403", state: "refused"),
    Case(
      end: .response(404, location: nil, retryAfter: nil), outcome: .unavailable,
      reason: "the server answered 404 Not Found (a page)", httpStatus: "404"),
    Case(
      end: .response(200, location: nil, retryAfter: nil), outcome: .unavailable,
      reason: "the server answered 200 OK (a page)", httpStatus: "200"),
    Case(
      end: .response(503, location: nil, retryAfter: "7"), outcome: .unavailable,
      reason: "the server answered 503 Service Unavailable (a page)", httpStatus: "503"),
    Case(
      end: .response(302, location: "/login?token=mine", retryAfter: nil), outcome: .unavailable,
      reason: "the server answered 302 Found to /login?token=*** (a page)", httpStatus: "302"),
    Case(
      end: .answer("HTTP/1.1 404 \r\nContent-Length: 0\r\n\r\n"), outcome: .unavailable,
      reason: "the server answered 404", httpStatus: "404"),
    Case(
      end: .answer(wrongAccept), outcome: .protocolViolation,
      reason: "Sec-WebSocket-Accept doesn't fit the key that was sent"),
    Case(
      end: .answer("SSH-2.0-OpenSSH_9.2\r\n\r\n"), outcome: .protocolViolation,
      reason: #"not HTTP: "SSH-2.0-OpenSSH_9.2""#),
    Case(
      end: .close(1000), outcome: .done, reason: "the server closed with 1000", closeCode: "1000",
      answer: 1000),
    Case(
      end: .close(1001), outcome: .unavailable, reason: "the server closed with 1001",
      closeCode: "1001", answer: 1001),
    Case(
      end: .close(nil), outcome: .unavailable, reason: "the server closed without a code"),
    Case(
      end: .close(1008), outcome: .refused, reason: "the server closed with 1008",
      closeCode: "1008", state: "refused", answer: 1008),
    Case(
      end: .close(4001), outcome: .refused, reason: "the server closed with 4001",
      closeCode: "4001", state: "refused", answer: 4001),
    Case(
      end: .close(4003), outcome: .refused, reason: "the server closed with 4003",
      closeCode: "4003", state: "refused", answer: 4003),
    Case(
      end: .close(1002), outcome: .unavailable, reason: "the server closed with 1002",
      closeCode: "1002", answer: 1002),
    Case(
      end: .rawClose(1006), outcome: .unavailable, reason: "the server closed with 1006: why",
      closeCode: "1006", answer: 1002),
    Case(
      end: .rawClose(1005), outcome: .unavailable, reason: "the server closed with 1005: why",
      closeCode: "1005", answer: 1002),
    Case(
      end: .raw([0x81, 0x80, 1, 2, 3, 4]), outcome: .protocolViolation,
      reason: "masked frame from a server", closeCode: "1002", answer: 1002),
    Case(
      end: .raw([0x82, 0x7F, 0, 0, 0, 1, 0, 0, 0, 0]), outcome: .protocolViolation,
      reason: "message of 4294967296 bytes or more, the limit is 1048576", closeCode: "1009",
      answer: 1009),
    Case(
      end: .vanish(nil), outcome: .unavailable,
      reason: "the connection ended without a Close frame"),
    Case(
      end: .vanish("recv: Connection reset by peer"), outcome: .unavailable,
      reason: "recv: Connection reset by peer"),
  ]

  @Test(arguments: cases)
  func everyEndHasItsReportAndItsOutcome(example: Case) throws {
    let run = Rehearsal(retries: 0)
    try example.end.happen(to: run)
    #expect(run.outcome == example.outcome && run.outcomeCount == 1 && !run.hasTransport)
    let told = try #require(try run.told("state").last)
    #expect(told["state"] == example.state && told["reason"] == example.reason)
    #expect(told["closeCode"] == example.closeCode && told["httpStatus"] == example.httpStatus)
    #expect(told["attempt"] == "1" && told["retryInMs"] == nil)
    if let answer = example.answer {
      #expect(run.server.closeFrame?.code?.rawValue == answer)
    }
    #expect(run.notes.isEmpty)
  }

  @Test(arguments: cases)
  func whatIsNotForGoodIsTriedAgain(example: Case) throws {
    let run = Rehearsal()
    try example.end.happen(to: run)
    let told = try #require(try run.told("state").last)
    guard example.outcome != .refused else {
      #expect(run.outcome == .refused && told["retryInMs"] == nil)
      return
    }
    let wait = try #require(told["retryInMs"].flatMap(Int.init))
    #expect(example.httpStatus == "503" ? wait == 7000 : (500...1500).contains(wait))
    run.wait(.milliseconds(wait - 1))
    #expect(run.attempts == [1])
    run.wait(.milliseconds(2))
    #expect(run.attempts == [1, 2] && run.outcome == nil)
    #expect(try run.states.last == "online")
  }

  @Test(arguments: [End.response(401, location: nil, retryAfter: nil), .close(4001)])
  func aRefusalParksForAtLeastAMinute(end: End) throws {
    let run = Rehearsal(retries: 0, waitsWhenRefused: true)
    try end.happen(to: run)
    #expect(try run.told("state").last?["retryInMs"] == "60000")
    #expect(try run.states.last == "refused")
    run.wait(.milliseconds(59_999))
    #expect(run.attempts.count == 1 && run.outcome == nil)
    run.wait(.milliseconds(1))
    #expect(run.attempts.count == 2)
  }

  @Test func aRefusalNamesWhatItBuries() throws {
    let run = Rehearsal().start()
    run.isDownstreamStuck = true
    run.type("1\n")
    _ = run.server.takeOutput()
    run.server.sayClose(4001)
    run.isDownstreamStuck = false
    run.turn()
    run.breakLink()
    #expect(run.outcome == .refused && run.notes.count == 1)
  }

  // MARK: Waits

  @Test func waitsGrowAndOnlyAStableLinkShortensThem() throws {
    let run = Rehearsal().start()
    for index in 0..<12 {
      // The seventh link stays up for long enough.
      if index == 6 { run.wait(.seconds(10)) }
      run.serverCloses(1001)
      let due = try #require(run.bridge.link.nextDeadline)
      run.wait(due - run.now.instant)
      #expect(try run.states.last == "online")
    }
    let waits = try run.told("state").compactMap { $0["retryInMs"].flatMap(Int.init) }
    #expect(waits.count == 12)
    for (index, wait) in waits.enumerated() {
      let middle = min(1000 << (index % 6), 30_000)
      #expect((middle / 2...middle * 3 / 2).contains(wait))
    }
    #expect(run.attempts == [1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6])
  }

  // MARK: Silence

  @Test func anUnansweredUpgradeIsGivenUp() throws {
    let run = Rehearsal(retries: 0)
    run.answers = [.nothing]
    run.start()
    run.wait(.seconds(10))
    #expect(run.outcome == .unavailable)
    #expect(try run.told("state").last?["reason"] == "no answer to the upgrade in 10 s")
  }

  @Test func aRefusalWithAnEndlessBodyStillTellsTheStatus() throws {
    let run = Rehearsal(retries: 0)
    run.answers = [.say("HTTP/1.1 403 No\r\nContent-Length: 99\r\n\r\nabc")]
    run.start()
    run.wait(.milliseconds(999))
    #expect(run.outcome == nil)
    run.wait(.milliseconds(1))
    #expect(run.outcome == .refused)
    #expect(try run.told("state").last?["reason"] == "the server answered 403 No (abc)")
  }

  @Test(arguments: [nil, "recv: Connection reset by peer"])
  func anEndInsideTheUpgradeIsALoss(error: String?) throws {
    let run = Rehearsal(retries: 0)
    run.answers = [.nothing]
    run.start()
    run.breakLink(error)
    #expect(run.outcome == .unavailable)
    #expect(
      try run.told("state").last?["reason"]
        == (error ?? "the connection ended during the handshake"))
  }

  @Test func aServerThatStopsAnsweringPingsIsLeft() throws {
    let run = Rehearsal(retries: 0) { $0.keepalive = Keepalive() }.start()
    run.wait(.seconds(100))
    #expect(run.outcome == nil)
    run.server.isSilent = true
    run.wait(.seconds(30))
    #expect(run.outcome == .unavailable)
    #expect(try run.told("state").last?["reason"] == "the server stopped answering pings")
  }

  @Test func aServerThatKeepsTheTransportOpenIsLeftAfterItsClose() throws {
    let run = Rehearsal(retries: 0).start()
    run.server.isSilent = true
    run.server.sayClose(1001)
    run.turn()
    #expect(run.outcome == nil)
    run.wait(.seconds(5))
    #expect(run.outcome == .unavailable)
    #expect(try run.told("state").last?["closeCode"] == "1001")
  }

  @Test func aLinkThatIsLeftEndsWithoutTheServersHelp() throws {
    let run = Rehearsal { $0.leaveTimeout = .seconds(60) }.start()
    run.server.isSilent = true
    run.reconnect()
    run.wait(.seconds(5))
    #expect(run.attempts.count == 2)
    #expect(try run.told("state").contains { $0["reason"] == "asked to reconnect" })
  }

  // MARK: Endings that cross

  @Test func aRefusalThatCrossesOurCloseIsARefusal() throws {
    let run = Phase.closing.rehearse()
    run.server.sayClose(4001, Array("bad token".utf8))
    run.turn()
    run.breakLink()
    #expect(run.outcome == .refused)
    #expect(try run.told("state").last?["closeReason"] == "bad token")
  }

  @Test func nonsenseAfterOurCloseIsAViolation() throws {
    let run = Phase.closing.rehearse()
    run.server.say([0xF1, 0x00])
    run.turn()
    run.breakLink()
    #expect(run.outcome == .protocolViolation)
    #expect(try run.states.last == "offline")
  }

  @Test func noAnswerToOurCloseIsNoFault() throws {
    let run = Phase.closing.rehearse()
    run.wait(.seconds(5))
    #expect(run.outcome == .done)
    #expect(try run.states == ["connecting", "online", "stopping"])
  }

  @Test func aRefusalOutweighsThatWeWantedToLeave() throws {
    let run = Rehearsal().start()
    run.server.isSilent = true
    run.reconnect()
    run.server.sayClose(1008)
    run.turn()
    run.breakLink()
    #expect(run.outcome == .refused)

    let other = Rehearsal(retries: 0).start()
    other.reconnect()
    #expect(other.server.closeFrame?.code == .normal)
    #expect(try other.told("state").last?["closeCode"] == nil && other.outcome == nil)
  }

  @Test func strayEventsAreIgnored() {
    let run = Phase.waiting.rehearse()
    run.bridge.linkFailed(.lost(reason: "late"), run.now)
    run.bridge.transportEnded(error: nil, run.now)
    run.bridge.transportConnected(Rehearsal.makeHandshake(), secrets: [], run.now)
    run.bridge.transportReceived([0x81, 0x01, 0x31].span, run.now)
    run.turn()
    #expect(run.attempts == [1] && run.outputLines.isEmpty && !run.bridge.hasTransportOutput)
    // A second answer to one attempt.
    let online = Rehearsal().start()
    online.bridge.transportConnected(Rehearsal.makeHandshake(), secrets: [], online.now)
    #expect(!online.bridge.hasTransportOutput)
    // The end of a transport that never got as far as a handshake.
    let early = Phase.connecting.rehearse()
    early.breakLink()
    #expect(early.bridge.link.nextDeadline != nil)
  }

  // MARK: Every link

  @Test func helloFramesOpenEveryLink() {
    let run = Rehearsal {
      $0.hello = [
        BridgeSettings.HelloFrame(kind: .text, payload: Array("hello".utf8)),
        BridgeSettings.HelloFrame(kind: .binary, payload: [0]),
      ]
    }
    run.connecting = .hangs
    run.start()
    run.type("1\n")
    run.connectNow()
    run.turn()
    #expect(run.server.texts == ["hello", "\0", "1"] && run.server.received[1].kind == .binary)
    run.reconnect()
    run.connecting = .works
    run.wait(.seconds(1))
    #expect(run.servers.count == 2 && run.server.texts == ["hello", "\0"])
  }

  @Test func framesMayFollowTheUpgradeAtOnce() {
    let run = Rehearsal()
    run.connecting = .hangs
    run.start()
    run.isDownstreamStuck = true
    run.connectNow()
    run.turn()
    run.server.send("[1]", run.now.instant)
    run.server.send("[2]", run.now.instant)
    run.isDownstreamStuck = false
    run.turn()
    #expect(run.outputLines == ["[1]", "[2]"])
  }

  @Test func anUpgradeIsReadThoughNobodyReadsRecords() throws {
    let run = Rehearsal { $0.keepalive = Keepalive() }
    run.connecting = .hangs
    run.start()
    run.isOutputStuck = true
    run.connectNow()
    run.turn()
    #expect(try run.states.last == "online" && !run.bridge.wantsTransport)
  }

  @Test func framesAfterTheLastWantedRecordMeanNothing() {
    let run = Rehearsal { $0.recordLimit = 1 }.start()
    run.server.say([0x81, 0x01, 0x31, 0x01, 0x00, 0x80, 0x00, 0x81, 0x01, 0x32, 0x88, 0x00])
    run.turn()
    run.breakLink()
    #expect(run.outputLines == [#"{"type":"wsii.text","text":"1"}"#] && run.outcome == .done)
  }

  @Test func tracesShowHandshakesAndFramesToTheLast() {
    let run = Rehearsal { $0.traces = true }.start()
    run.type("{\"a\":1}\n")
    run.serverSays("[2]")
    run.serverCloses(1001, "bye")
    let traces = run.notes.map { String($0.dropFirst(13)) }
    #expect(traces.first == "> GET /room?token=*** HTTP/1.1")
    #expect(traces.contains("< HTTP/1.1 101 Switching Protocols"))
    #expect(
      traces.suffix(6) == [
        #"> TEXT fin 7 bytes "{\"a\":1}""#, traces[traces.count - 5], traces[traces.count - 4],
        #"< TEXT fin 3 bytes "[2]""#, #"< CLOSE fin 5 bytes 1001 (going away) "bye""#,
        #"> CLOSE fin 2 bytes 1001 (going away)"#,
      ])
    #expect(traces[traces.count - 5].hasPrefix("> PING fin 12 bytes"))
    #expect(traces[traces.count - 4].hasPrefix("< PONG fin 12 bytes"))
  }

  @Test(arguments: [ReportWriter.Style.lines, .records, .recordsOnly])
  func secretsAreInNoReport(style: ReportWriter.Style) throws {
    let run = Rehearsal(style: style, level: .debug) { $0.traces = true }
    run.secrets = ["s3cr3t-token"]
    run.answers = [
      .respond(
        HTTPResponse(
          status: 503, fields: [try HTTPField(name: "Location", value: "/s3cr3t-token")],
          text: "s3cr3t-token is no good")),
      .accept, .accept,
    ]
    run.start()
    run.wait(.seconds(2))
    run.type("s3cr3t-token\n{\"s3cr3t-token\":\n{\"a\":\"s3cr3t-token\"}\n")
    run.serverSays("s3cr3t-token")
    run.serverCloses(1001, "s3cr3t-token expired")
    run.wait(.seconds(10))
    run.breakLink("s3cr3t-token")
    run.stop()
    let text = String(decoding: run.errors, as: UTF8.self)
    #expect(!text.contains("s3cr3t") && text.contains("***") && !text.contains("hidden"))
    #expect(run.outputLines == [#"{"type":"wsii.text","text":"s3cr3t-token"}"#])
  }

  @Test func aServerThatTakesUsForSomebodyElseEndsTheRun() {
    let run = Rehearsal { $0.speech = .native }.start()
    run.serverSays(#"{"type":"welcome","userId":"me"}"#)
    run.type("{\"conversationId\":\"r\"}\n")
    run.breakLink()
    run.wait(.seconds(2))
    run.serverSays(#"{"type":"welcome","userId":"you"}"#)
    #expect(run.outcome == .otherUser)
  }
}
