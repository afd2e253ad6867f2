import Glibc
import Posix
import Reactor
import Testing
import Timeline
import Transport

@testable import Daemon

@Suite struct HubServerTests {
  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func aSignalSaysGoodbyeToAll(signal: CInt) throws {
    let stage = try HubStage()
    let clients = try (0..<3).map { _ in try stage.openClient() }
    let silent = try stage.client()
    try stage.turn(until: "the fourth") { stage.hub.clientCount == 4 }
    stage.hub.received(signal)
    #expect(stage.hub.signal == signal)
    try stage.turn(until: "goodbyes") { clients.allSatisfy { $0.received.count >= 4 } }
    for client in clients {
      #expect(client.take().starts(with: [0x88, 15, 0x03, 0xE9]))
      client.send(RawClient.frame(0x88, [0x03, 0xE9]))
      client.end()
    }
    try stage.turn(until: "the silent one's end") { silent.hasEnded }
    try stage.turn(until: "all to be gone") { stage.hub.clientCount == 0 }
    #expect(throws: SystemError.self) { try stage.client() }
  }

  @Test func aClientThatDoesNotAnswerIsWaitedForBriefly() throws {
    let stage = try HubStage()
    let client = try stage.openClient()
    stage.hub.stop()
    #expect(stage.hub.clientCount == 1)
    stage.hub.deadlinePassed(now: stage.hub.loop.now + .milliseconds(900))
    #expect(stage.hub.clientCount == 1)
    // One second is all it gets: the loop ends by itself.
    try stage.hub.loop.run()
    stage.hub.close()
    client.receive()
    #expect(client.received.starts(with: [0x88, 15, 0x03, 0xE9]))
  }

  @Test func otherSignalsMeanNothing() throws {
    let stage = try HubStage()
    stage.hub.received(SIGUSR1)
    #expect(stage.hub.signal == nil)
  }

  @Test func theAddressHasTheRealPort() throws {
    let stage = try HubStage()
    guard case .tcp(let host, let port) = stage.address else { return }
    #expect(host == "127.0.0.1" && port != 0)
    #expect(stage.hub.url == "ws://127.0.0.1:\(port)")
  }

  @Test func oneClientTooManyIsToldSo() throws {
    let stage = try HubStage(maximumClients: 1)
    let client = try stage.openClient()
    let other = try stage.client()
    try stage.turn(until: "the end") { other.hasEnded }
    #expect(other.head?.hasPrefix("HTTP/1.1 503 ") == true)
    client.send(RawClient.frame(0x81, []))
    try stage.turn(until: "an echo") { client.received == [0x81, 0] }
  }

  @Test func manyClientsComeAndGo() throws {
    let stage = try HubStage()
    let clients = try (0..<50).map { _ in try stage.openClient() }
    #expect(stage.hub.clientCount == 50)
    for index in stride(from: 0, to: 50, by: 2) { clients[index].end() }
    try stage.turn(until: "half") { stage.hub.clientCount == 25 }
    for index in stride(from: 1, to: 50, by: 2) {
      clients[index].send(RawClient.frame(0x81, [UInt8(index)]))
    }
    try stage.turn(until: "echoes") {
      stride(from: 1, to: 50, by: 2).allSatisfy { clients[$0].received.count == 3 }
    }
    #expect(clients[49].take() == [0x81, 1, 49])
  }
}
