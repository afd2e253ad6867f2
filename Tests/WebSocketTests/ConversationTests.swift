import Testing
import Timeline

@testable import WebSocket

/// A network between two machines that cuts frames into fragments, puts control frames between them,
/// and cuts the bytes anywhere.
private struct Network {
  var random: SeededRandom

  /// The same messages in other frames; what isn't data stays as it is.
  mutating func refragment(_ output: [UInt8], from sender: Role) -> [UInt8] {
    var wire: [UInt8] = []
    for sent in frames(in: output, from: sender) {
      guard !sent.opcode.isControl else {
        wire += frame(sent.opcode, sent.payload, from: sender, key: key())
        continue
      }
      var rest = sent.payload[...]
      var opcode = sent.opcode
      repeat {
        let size = Int.random(in: 0...max(rest.count, 1), using: &random)
        let part = rest.prefix(size)
        rest = rest.dropFirst(size)
        wire += frame(opcode, Array(part), fin: rest.isEmpty, from: sender, key: key())
        if !rest.isEmpty, Bool.random(using: &random) {
          wire += frame(.pong, "x", from: sender)
        }
        opcode = .continuation
      } while !rest.isEmpty
    }
    return wire
  }

  mutating func chunks(_ wire: [UInt8]) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var rest = wire[...]
    while !rest.isEmpty {
      let size = Int.random(
        in: 1...max(1, rest.count / Int.random(in: 1...9, using: &random)), using: &random)
      chunks.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return chunks
  }

  private mutating func key() -> UInt32 { UInt32(truncatingIfNeeded: random.next()) }
}

@Suite struct ConversationTests {
  @Test("two machines understand each other however frames and bytes are cut", arguments: 1...20)
  func conversation(_ seed: Int) {
    var random = SeededRandom(UInt64(seed))
    var network = Network(random: SeededRandom(UInt64(seed) << 32))
    var machines: [Role: ConnectionMachine] = [.client: .make(.client), .server: .make(.server)]
    var expected: [Role: [Seen]] = [.client: [], .server: []]
    var seen: [Role: [Seen]] = [.client: [], .server: []]
    func transfer(from role: Role) {
      let output = machines[role]?.takeOutput() ?? []
      for chunk in network.chunks(network.refragment(output, from: role)) {
        seen[role.peer]? += machines[role.peer]?.seen(chunk) ?? []
      }
    }
    for _ in 0..<60 {
      let role: Role = Bool.random(using: &random) ? .client : .server
      let length = [0, 1, 60, 125, 126, 300, 3_000].randomElement(using: &random) ?? 0
      let alphabet = Array("aé€😀\n")
      let text = String(
        (0..<(length / 3)).map { _ in alphabet.randomElement(using: &random) ?? "a" })
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let payload = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(machines[role]?.send(.binary, payload.span, 0..<length) == true)
        expected[role.peer]?.append(.message(.binary, payload))
      case 1:
        _ = machines[role]?.sendPing(Array(text.utf8.prefix(100)))
        transfer(from: role)
        expected[role]?.append(.pong(Array(text.utf8.prefix(100))))
        transfer(from: role.peer)
      default:
        #expect(machines[role]?.sendText(text) == true)
        expected[role.peer]?.append(.text(text))
      }
      if Bool.random(using: &random) { transfer(from: role) }
    }
    transfer(from: .client)
    transfer(from: .server)
    let first: Role = seed % 2 == 0 ? .client : .server
    machines[first]?.sendClose(.goingAway, reason: Array("end".utf8), now: start)
    transfer(from: first)
    transfer(from: first.peer)
    seen[.server]? += machines[.server]?.seen([]) ?? []
    let reason = Array("end".utf8)
    expected[first.peer]?.append(.peerClosed(CloseFrame(code: .goingAway, reason: reason)))
    expected[first]?.append(.peerClosed(CloseFrame(code: .goingAway)))
    expected[.server]?.append(.closed)
    #expect(machines[.client]?.receiveEnd() == .closed)
    for role in [Role.client, .server] {
      // The network's own pongs carry "x".
      let real = seen[role]?.filter { $0 != .pong(Array("x".utf8)) }
      #expect(real == expected[role], "seed \(seed), \(role)")
    }
  }
}
