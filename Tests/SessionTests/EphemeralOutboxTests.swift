import Testing
import Timeline
import WebSocket

@testable import Session

@Suite struct EphemeralOutboxTests {
  private static func payload(_ number: Int, _ length: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length)
  }

  @Test func messagesGoFromQueuedToSentToAcknowledged() {
    var outbox = EphemeralOutbox()
    #expect(outbox.isEmpty && outbox.nextUnsent == nil)
    let id = MessageID(timestamp: Timestamp(unixMilliseconds: 1), chance: (1, 2, 3))
    outbox.accept(.text, Array("one".utf8).span, line: 1, id: id)
    outbox.accept(.binary, Array("three".utf8).span, line: 3, id: nil)
    #expect(outbox.acceptedCount == 2 && outbox.count == 2 && outbox.byteCount == 8)
    #expect(outbox.unsentByteCount == 8 && outbox.inFlightCount == 0)
    #expect(outbox.heldByteCount > 8)

    #expect(outbox.nextUnsent?.kind == .text && outbox.nextUnsent?.line == 1)
    outbox.markSent()
    #expect(outbox.nextUnsent?.kind == .binary && outbox.nextUnsent?.line == 3)
    #expect(
      outbox.nextUnsent.map { Array(outbox.bytes[outbox.range(of: $0)]) }
        == Array("three".utf8))
    #expect(outbox.inFlightCount == 1 && outbox.inFlightByteCount == 3)
    #expect(outbox.unsentByteCount == 5)

    // An acknowledgement of more than was sent counts as far as was sent.
    var acknowledged: [MessageID?] = []
    outbox.acknowledge(upTo: 100) { acknowledged.append($0.id) }
    #expect(acknowledged == [id])
    #expect(outbox.count == 1 && outbox.byteCount == 5 && outbox.inFlightByteCount == 0)
    outbox.markSent()
    outbox.acknowledge(upTo: 2) { acknowledged.append($0.id) }
    #expect(acknowledged == [id, nil])
    #expect(outbox.isEmpty && outbox.heldByteCount == 0 && outbox.bytes.isEmpty)
    outbox.acknowledge(upTo: 1) { _ in Issue.record("acknowledged twice") }
    #expect(outbox.acceptedCount == 2 && outbox.sentCount == 2 && outbox.acknowledgedCount == 2)
  }

  @Test func aLostLinkSendsTheUnansweredAgain() {
    var outbox = EphemeralOutbox()
    for line in 1...4 { outbox.accept(.text, Self.payload(line, line).span, line: line, id: nil) }
    for _ in 0..<3 { outbox.markSent() }
    outbox.acknowledge(upTo: 1) { _ in }
    outbox.linkLost()
    #expect(outbox.sentCount == 1 && outbox.nextUnsent?.line == 2 && outbox.count == 3)
    #expect(outbox.inFlightByteCount == 0 && outbox.unsentByteCount == 9)
  }

  /// Random steps beside a plain list.
  @Test(arguments: 0..<30)
  func itBehavesLikeAList(seed: UInt64) {
    var dice = Dice(seed: seed)
    var outbox = EphemeralOutbox()
    var lengths: [Int] = []
    var sent = 0
    var acknowledged = 0
    for step in 0..<400 {
      switch dice.pick(0...9) {
      case 0...4:
        let length = dice.comesUp(10) ? dice.pick(0...5000) : dice.pick(0...20)
        outbox.accept(.text, Self.payload(lengths.count, length).span, line: step, id: nil)
        lengths.append(length)
      case 5...7:
        if let message = outbox.nextUnsent {
          #expect(
            Array(outbox.bytes[outbox.range(of: message)]) == Self.payload(sent, lengths[sent]))
          outbox.markSent()
          sent += 1
        }
      case 8:
        let end = dice.pick(acknowledged...sent)
        var count = 0
        outbox.acknowledge(upTo: end) { _ in count += 1 }
        #expect(count == end - acknowledged)
        acknowledged = end
      default:
        if dice.comesUp(20) {
          outbox.linkLost()
          sent = acknowledged
        }
      }
      #expect(outbox.sentCount == sent && outbox.acknowledgedCount == acknowledged)
      #expect(outbox.byteCount == lengths[acknowledged...].reduce(0, +))
      #expect(outbox.inFlightByteCount == lengths[acknowledged..<sent].reduce(0, +))
      #expect(outbox.unsentByteCount == lengths[sent...].reduce(0, +))
      // No more than as much again as what is needed stays behind.
      #expect(outbox.bytes.count <= max(2 * outbox.byteCount, 1))
    }
  }

  @Test func largeStorageIsGivenBack() {
    var outbox = EphemeralOutbox()
    outbox.accept(.text, Self.payload(1, 3 << 20).span, line: 1, id: nil)
    outbox.markSent()
    outbox.acknowledge(upTo: 1) { _ in }
    #expect(outbox.bytes.capacity == 0)
  }
}
