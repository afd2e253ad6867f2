import Hub
import Posix
import Reactor
import Testing
import Timeline

@testable import Daemon

@Suite struct RoomsTests {
  private static func stage(
    chaos: String? = nil, _ change: (inout HubLimits) -> Void = { _ in }
  ) throws -> HubStage {
    var limits = HubLimits()
    change(&limits)
    let spec = try chaos.map { try ChaosSpec($0) }
    return try HubStage(
      Rooms(HubMachine(limits: limits, chaos: spec, fillWithChance: Entropy.refill)))
  }

  /// A member of room r.
  private static func member(_ stage: HubStage, _ user: String) throws -> RawClient {
    let client = try stage.client()
    client.send(
      RawClient.request(fields: ["Host: localhost"], line: "GET /?userId=\(user) HTTP/1.1"))
    client.say(#"{"type":"join","conversationId":"r"}"#)
    try stage.turn(until: "joined") { client.text.contains(#""type":"joined""#) }
    #expect(client.takeHead()?.hasPrefix("HTTP/1.1 101 ") == true)
    return client
  }

  private static func message(_ id: Int, _ text: String = "x") -> String {
    #"{"type":"text","id":"m\#(id)","conversationId":"r","text":"\#(text)"}"#
  }

  @Test func aMessageReachesAllMembers() throws {
    let stage = try RoomsTests.stage()
    let clients = try ["a", "b", "c"].map { try RoomsTests.member(stage, $0) }
    clients[1].say(RoomsTests.message(1))
    try stage.turn(until: "the message") {
      clients.allSatisfy { $0.text.contains(#""id":"m1""#) }
    }
    #expect(clients[1].text.contains(#""type":"ack","messageId":"m1""#))
    #expect(!clients[0].text.contains(#""type":"ack""#))
    #expect(clients[0].text.contains(#""senderId":"b""#))
  }

  @Test func aSlotsNextClientGetsNothingOfTheLastOne() throws {
    let stage = try RoomsTests.stage(chaos: "delay=20")
    let first = try RoomsTests.member(stage, "a")
    let other = try RoomsTests.member(stage, "b")
    other.say(RoomsTests.message(1))
    first.end()
    try stage.turn(until: "the first to be gone") { stage.hub.clientCount == 1 }
    let next = try RoomsTests.member(stage, "c")
    try stage.turn(until: "the message") { other.text.contains(#""id":"m1""#) }
    #expect(!next.text.contains("m1"))
  }

  /// Fills a client that doesn't read until it is closed, while the sender reads.
  private static func overfill(
    _ stage: HubStage, _ deaf: RawClient, from sender: RawClient
  ) throws {
    deaf.isDeaf = true
    let text = String(repeating: "x", count: 30_000)
    for number in 0..<400 {
      _ = sender.take()
      sender.say(RoomsTests.message(number, text))
      try stage.turn(until: "message \(number)") {
        sender.flush()
        return sender.received.count > 30_000
      }
      if sender.text.contains(#""type":"leave""#) { return }
    }
    Issue.record("nobody was closed")
  }

  @Test func whoIsTooSlowIsClosedBehindWhatIsQueued() throws {
    let stage = try RoomsTests.stage { $0.maximumBacklog = 200_000 }
    let sender = try RoomsTests.member(stage, "a")
    let deaf = try RoomsTests.member(stage, "b")
    try RoomsTests.overfill(stage, deaf, from: sender)
    #expect(stage.hub.clientCount == 2)
    deaf.isDeaf = false
    let close: [UInt8] = [0x88, 10, 0x03, 0xF5] + Array("too slow".utf8)
    try stage.turn(until: "1013") { deaf.received.suffix(close.count) == close[...] }
    deaf.send(RawClient.frame(0x88, [0x03, 0xF5]))
    deaf.end()
    try stage.turn(until: "the slow one to be gone") { stage.hub.clientCount == 1 }
  }

  @Test func whoNeverReadsTheCloseIsDropped() throws {
    let stage = try RoomsTests.stage { $0.maximumBacklog = 200_000 }
    let sender = try RoomsTests.member(stage, "a")
    let deaf = try RoomsTests.member(stage, "b")
    try RoomsTests.overfill(stage, deaf, from: sender)
    stage.hub.deadlinePassed(now: stage.hub.loop.now + .seconds(4))
    #expect(stage.hub.clientCount == 2)
    stage.hub.deadlinePassed(now: stage.hub.loop.now + .seconds(6))
    #expect(stage.hub.clientCount == 1)
  }

  @Test func whoIsTooFastIsNotReadFrom() throws {
    let stage = try RoomsTests.stage { $0.rate = HubLimits.Rate(perSecond: 2, burst: 1) }
    let client = try RoomsTests.member(stage, "a")
    client.say(RoomsTests.message(1))
    try stage.turn(until: "an answer") { client.text.contains(#""messageId":"m1""#) }
    client.say(RoomsTests.message(2))
    for _ in 0..<20 { try stage.hub.loop.turn() }
    client.receive()
    #expect(!client.text.contains("m2"))
    try stage.turn(until: "the second answer") { client.text.contains(#""messageId":"m2""#) }
  }

  /// What it has said before it went is read once its time has come.
  @Test func whoGoesWhileNotReadFromIsHeardOut() throws {
    let stage = try RoomsTests.stage { $0.rate = HubLimits.Rate(perSecond: 4, burst: 1) }
    let other = try RoomsTests.member(stage, "b")
    let client = try RoomsTests.member(stage, "a")
    client.say(RoomsTests.message(1))
    try stage.turn(until: "an answer") { client.text.contains(#""messageId":"m1""#) }
    client.say(RoomsTests.message(2))
    client.end()
    try stage.turn(until: "the last message") { other.text.contains(#""id":"m2""#) }
    try stage.turn(until: "its end") { stage.hub.clientCount == 1 }
  }

  @Test func whoIsNeverReadFromAgainAndGoesIsForgotten() throws {
    let stage = try RoomsTests.stage(chaos: "stop-reading=1")
    let client = try RoomsTests.member(stage, "a")
    client.end()
    for _ in 0..<20 { try stage.hub.loop.turn() }
    stage.hub.deadlinePassed(now: stage.hub.loop.now + .seconds(50))
    #expect(stage.hub.clientCount == 1)
    stage.hub.deadlinePassed(now: stage.hub.loop.now + .seconds(70))
    #expect(stage.hub.clientCount == 0)
  }

  @Test func aDroppedLinkEndsWithoutAClose() throws {
    let stage = try RoomsTests.stage(chaos: "drop-after=5")
    let client = try RoomsTests.member(stage, "a")
    client.say(#"{"type":"ping"}"#)
    try stage.turn(until: "the end") { client.hasEnded }
    #expect(client.received.last == UInt8(ascii: "}"))
    client.end()
    try stage.turn(until: "it to be forgotten") { stage.hub.clientCount == 0 }
  }

  @Test(arguments: [
    (nil, "HTTP/1.1 101"), ("refuse=503x1", "HTTP/1.1 503"), ("refuse=401", "HTTP/1.1 401"),
  ])
  func chaosRefuses(chaos: String?, status: String) throws {
    let stage = try RoomsTests.stage(chaos: chaos)
    let client = try stage.client()
    client.send(RawClient.request(fields: ["Host: localhost"]))
    try stage.turn(until: "an answer") { client.head != nil }
    #expect(client.head?.hasPrefix(status) == true)
    #expect(client.head?.contains("WWW-Authenticate: Bearer") == (status.hasSuffix("401")))
  }

  @Test func aStopIsToldToAllAtOnce() throws {
    let stage = try RoomsTests.stage(chaos: "delay=60000")
    let client = try stage.openClient()
    stage.hub.stop()
    try stage.turn(until: "1001") { client.received.count >= 4 }
    #expect(client.take().starts(with: [0x88, 15, 0x03, 0xE9]))
  }
}
