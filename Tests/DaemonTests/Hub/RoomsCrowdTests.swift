import Hub
import Posix
import Reactor
import Testing
import Timeline

@testable import Daemon

@Suite struct RoomsCrowdTests {
  /// A room of 300, the first of them with a name of its own.
  private static func crowd() throws -> (HubStage, [RawClient]) {
    let stage = try HubStage(
      Rooms(HubMachine(fillWithChance: Entropy.refill)), maximumClients: 300)
    let clients = try (0..<300).map { number in
      let client = try stage.openClient()
      client.say(#"{"type":"join","conversationId":"r"}"#)
      return client
    }
    try stage.turn(until: "all to have joined") {
      clients.allSatisfy { $0.text.contains(#""type":"joined""#) }
    }
    // What they are told of each other waits too.
    let last = stage.hub.loop.now + FanOutPace.window + FanOutPace.window
    try stage.turn(until: "the last to be told") {
      stage.hub.loop.now > last
    }
    for client in clients { _ = client.take() }
    return (stage, clients)
  }

  private static func message(_ id: Int) -> String {
    #"{"type":"text","id":"m\#(id)","conversationId":"r","text":"x"}"#
  }

  @Test func aMessageToACrowdWaitsOnlyForOthers() throws {
    let (stage, clients) = try RoomsCrowdTests.crowd()
    let begin = stage.hub.loop.now
    clients[0].say(RoomsCrowdTests.message(1))
    try stage.turn(until: "the first") { clients[299].text.contains(#""id":"m1""#) }
    let first = stage.hub.loop.now
    clients[0].say(RoomsCrowdTests.message(2))
    // Its answer doesn't wait, nor does what stands before that.
    try stage.turn(until: "the ack") { clients[0].text.contains(#""messageId":"m2""#) }
    let acked = stage.hub.loop.now
    try stage.turn(until: "the second") { clients[299].text.contains(#""id":"m2""#) }
    let second = stage.hub.loop.now
    #expect(second - begin >= FanOutPace.window)
    #expect(first < second && acked <= second)
    #expect(clients[0].text.contains(#""id":"m2""#))
  }

  @Test func orderHoldsWhateverWaits() throws {
    let (stage, clients) = try RoomsCrowdTests.crowd()
    for id in 1...20 {
      clients[0].say(RoomsCrowdTests.message(id))
      clients[id].say(#"{"type":"ping"}"#)
    }
    try stage.turn(until: "all messages") {
      clients.allSatisfy { $0.text.contains(#""id":"m20""#) }
    }
    for client in clients {
      let ids = client.text.split(separator: #""type":"text","id":"m"#).dropFirst()
        .map { $0.prefix { $0 != "\"" } }
      #expect(ids == (1...20).map { "\($0)" }[...].map { Substring($0) })
    }
  }
}
