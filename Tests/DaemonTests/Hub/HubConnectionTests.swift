import Reactor
import Testing
import Timeline
import WebSocket

@testable import Daemon

@Suite struct HubConnectionTests {
  private static let close1000: [UInt8] = [0x88, 0x02, 0x03, 0xE8]

  @Test func messagesComeBackAsTheyCame() throws {
    let stage = try HubStage()
    let client = try stage.openClient()
    let large = [UInt8](repeating: 0x61, count: 70_000)
    client.send(RawClient.frame(0x81, Array("hé".utf8)) + RawClient.frame(0x82, [0, 255]))
    client.send(RawClient.frame(0x01, [0x61]) + RawClient.frame(0x89, [7]))
    client.send(RawClient.frame(0x80, [0x62]) + RawClient.frame(0x82, large))
    let expected: [UInt8] =
      [0x81, 3] + Array("hé".utf8) + [0x82, 2, 0, 255, 0x8A, 1, 7, 0x81, 2, 0x61, 0x62]
      + [0x82, 127, 0, 0, 0, 0, 0, 1, 0x11, 0x70] + large
    try stage.turn(until: "echoes") {
      client.flush()
      return client.received.count >= expected.count
    }
    #expect(client.take() == expected)
    client.send(RawClient.frame(0x88, [0x03, 0xE8]))
    try stage.turn(until: "the end") { client.hasEnded }
    #expect(client.take() == HubConnectionTests.close1000)
    #expect(stage.hub.clientCount == 1)
    client.end()
    try stage.turn(until: "the client to be forgotten") { stage.hub.clientCount == 0 }
  }

  /// Frames may come with the request, and in any pieces.
  @Test func everyCutGivesTheSameAnswer() throws {
    let stage = try HubStage()
    let bytes =
      RawClient.request(fields: ["Host: localhost"]) + RawClient.frame(0x81, Array("é".utf8))
      + RawClient.frame(0x88, [0x03, 0xE8])
    var answers: Set<[UInt8]> = []
    for cut in stride(from: 0, through: bytes.count, by: 7) {
      let client = try stage.client()
      client.send(Array(bytes[..<cut]))
      for _ in 0..<3 {
        try stage.hub.loop.turn()
      }
      client.send(Array(bytes[cut...]))
      try stage.turn(until: "the end") { client.hasEnded }
      answers.insert(client.take())
      client.end()
    }
    #expect(answers.count == 1)
    #expect(answers.first?.suffix(8) == [0x81, 2, 0xC3, 0xA9] + HubConnectionTests.close1000)
  }

  @Test(arguments: [
    (["Host: evil.example"], "GET / HTTP/1.1", "HTTP/1.1 403 ", "known by that Host"),
    (
      ["Host: localhost", "Origin: http://evil.example"], "GET / HTTP/1.1", "HTTP/1.1 403 ",
      "Origin"
    ),
    (["Host: localhost"], "POST / HTTP/1.1", "HTTP/1.1 405 ", "POST"),
    (["Host: localhost"], "nonsense", "HTTP/1.1 400 ", "not HTTP"),
  ])
  func wrongRequestsGetAnAnswer(
    fields: [String], line: String, status: String, text: String
  ) throws {
    let stage = try HubStage()
    let client = try stage.client()
    client.send(RawClient.request(fields: fields, line: line))
    try stage.turn(until: "an answer") { client.hasEnded }
    let head = try #require(client.takeHead())
    #expect(head.hasPrefix(status))
    #expect(head.contains(text))
  }

  @Test(arguments: [("localhost", "HTTP/1.1 426 "), ("evil.example", "HTTP/1.1 403 ")])
  func aPlainGETIsToldWhatThisIs(host: String, status: String) throws {
    let stage = try HubStage()
    let client = try stage.client()
    client.send(Array("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8))
    try stage.turn(until: "an answer") { client.hasEnded }
    let head = try #require(client.takeHead())
    #expect(head.hasPrefix(status))
    #expect(head.contains("wsii run ws://127.0.0.1:") == (host == "localhost"))
  }

  @Test(
    arguments: [
      ([0x81, 0x01, 0x61], 1002), ([0x83, 0x80, 0, 0, 0, 0], 1002),
      ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007), ([0x82, 0xFE, 0x04, 0x01, 0, 0, 0, 0], 1009),
    ] as [([UInt8], Int)])
  func violationsAreAnsweredWithTheirCode(frame: [UInt8], code: Int) throws {
    let stage = try HubStage(maximumMessage: 1_024)
    let client = try stage.openClient()
    // What follows isn't read any more, but must not turn the answer into a reset.
    client.send(frame + [UInt8](repeating: 0, count: 100_000))
    try stage.turn(until: "the end") {
      client.flush()
      return client.hasEnded
    }
    let answer = client.take()
    #expect(answer.first == 0x88)
    #expect(answer.dropFirst(2).prefix(2) == [UInt8(code >> 8), UInt8(code & 0xFF)])
  }

  /// Sends binary messages of 60,000 bytes to a hub until nothing moves any more.
  private static func fill(_ stage: HubStage, from client: RawClient, count: Int) throws {
    client.isDeaf = true
    let frame = RawClient.frame(0x82, [UInt8](repeating: 1, count: 60_000))
    for _ in 0..<count { client.send(frame) }
    var still = 0
    var unsent = client.unsentCount
    try stage.turn(until: "the stop") {
      client.flush()
      still = client.unsentCount == unsent ? still + 1 : 0
      unsent = client.unsentCount
      return still > 200
    }
  }

  @Test func whoDoesNotReadIsNotReadFrom() throws {
    let stage = try HubStage()
    let client = try stage.openClient()
    try HubConnectionTests.fill(stage, from: client, count: 200)
    #expect(client.unsentCount > 2_000_000)
    client.isDeaf = false
    try stage.turn(until: "everything") {
      client.flush()
      return client.received.count == 200 * (60_000 + 4)
    }
  }

  @Test func theSilentArePingedAndThenGivenUp() throws {
    let stage = try HubStage()
    let client = try stage.openClient()
    stage.hub.deadlinePassed(now: stage.hub.loop.now + .seconds(21))
    try stage.turn(until: "a ping") { !client.received.isEmpty }
    #expect(client.take() == [0x89, 0])
    #expect(stage.hub.clientCount == 1)
    stage.hub.deadlinePassed(now: stage.hub.loop.now + .seconds(40))
    #expect(stage.hub.clientCount == 0)
    try stage.turn(until: "the end") { client.hasEnded }
  }

  @Test func aHeadThatDoesNotComeEnds() throws {
    let stage = try HubStage()
    let client = try stage.client()
    client.send(Array("GET / HT".utf8))
    try stage.turn(until: "the client") { stage.hub.clientCount == 1 }
    stage.hub.deadlinePassed(now: stage.hub.loop.now + .seconds(9))
    #expect(stage.hub.clientCount == 1)
    stage.hub.deadlinePassed(now: stage.hub.loop.now + .seconds(11))
    #expect(stage.hub.clientCount == 0)
  }

  @Test func whoDoesNotEndTCPIsDropped() throws {
    let stage = try HubStage()
    let client = try stage.openClient()
    client.send(RawClient.frame(0x88, []))
    try stage.turn(until: "the end") { client.hasEnded }
    #expect(stage.hub.clientCount == 1)
    stage.hub.deadlinePassed(now: stage.hub.loop.now + .seconds(6))
    #expect(stage.hub.clientCount == 0)
  }

  @Test func whoReadsNothingForAMinuteIsDropped() throws {
    let stage = try HubStage()
    let client = try stage.openClient()
    try HubConnectionTests.fill(stage, from: client, count: 200)
    stage.hub.deadlinePassed(now: stage.hub.loop.now + .seconds(50))
    #expect(stage.hub.clientCount == 1)
    stage.hub.deadlinePassed(now: stage.hub.loop.now + .seconds(70))
    #expect(stage.hub.clientCount == 0)
  }

  @Test func whoGoesWithoutACloseIsForgotten() throws {
    let stage = try HubStage()
    let client = try stage.openClient()
    client.end()
    try stage.turn(until: "the client to be forgotten") { stage.hub.clientCount == 0 }
  }
}
