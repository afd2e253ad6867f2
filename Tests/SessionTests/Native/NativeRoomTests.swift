import Testing
import Timeline

@testable import Session

@Suite struct NativeRoomTests {
  private let start = Instant(nanoseconds: 0)

  @Test("a room is needed while it is wished, or has messages")
  func needed() {
    var room = NativeRoom([0x72])
    #expect(room.isNeeded)
    room.isWished = false
    #expect(!room.isNeeded)
    room.outbox.accept(RoomOutbox.Message(id: [1], frame: [2], line: 1))
    #expect(room.isNeeded)
  }

  @Test("the earliest of what must happen, without what only waits for the link")
  func deadlines() {
    var room = NativeRoom([0x72])
    #expect(room.nextDeadline(after: start) == nil)
    room.join = .asked(until: start + .seconds(9))
    #expect(room.nextDeadline(after: start) == start + .seconds(9))
    room.join = .done
    room.historyDeadline = start + .seconds(8)
    #expect(room.nextDeadline(after: start) == start + .seconds(8))
    _ = room.typing.typing(start)
    #expect(room.nextDeadline(after: start) == start + .seconds(5))
    room.outbox.accept(RoomOutbox.Message(id: [1], frame: [2], line: 1))
    _ = room.outbox.send { _ in true }
    _ = room.outbox.refuseForNow([1], until: start + .seconds(4))
    #expect(room.nextDeadline(after: start) == start + .seconds(4))
    #expect(room.nextDeadline(after: start + .seconds(4)) == start + .seconds(5))
    for seq in 1...2 {
      room.receipts.request(.read, seq: seq)
      if seq == 1 { room.receipts.tell(start, isLast: false) { _, _ in true } }
    }
    #expect(room.nextDeadline(after: start) == start + .milliseconds(200))
    room.linkLost()
    #expect(room.nextDeadline(after: start) == nil)
    #expect(room.join == .none && room.outbox.count == 1)
  }
}
