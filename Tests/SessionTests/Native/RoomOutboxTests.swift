import Testing
import Timeline

@testable import Session

@Suite struct RoomOutboxTests {
  private let start = Instant(nanoseconds: 0)

  private func outbox(_ ids: String) -> RoomOutbox {
    var outbox = RoomOutbox()
    for (index, id) in ids.utf8.enumerated() {
      outbox.accept(RoomOutbox.Message(id: [id], frame: [id, id], line: index + 1))
    }
    return outbox
  }

  private func id(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// Sends as much as may go out; returns the ids.
  private func send(_ outbox: inout RoomOutbox, _ now: Instant, limit: Int = .max) -> String {
    var sent: [UInt8] = []
    while sent.count < limit, outbox.maySend(now) {
      guard
        outbox.send({ message in
          sent += message.id
          return true
        })
      else { break }
    }
    return String(decoding: sent, as: UTF8.self)
  }

  @Test("messages go out in order and leave when they are acknowledged, in whatever order")
  func acknowledged() {
    var outbox = outbox("abcd")
    #expect(outbox.count == 4 && outbox.byteCount == 4 * 66 && !outbox.isEmpty)
    #expect(send(&outbox, start, limit: 3) == "abc")
    #expect(outbox.inFlightCount == 3 && outbox.inFlightByteCount == 3 * 66)
    #expect(outbox.acknowledge(id("b"))?.line == 2)
    #expect(outbox.acknowledge(id("b")) == nil)
    #expect(outbox.acknowledge(id("d")) == nil, "it was not sent")
    #expect(outbox.acknowledge(id("a"))?.line == 1)
    #expect(send(&outbox, start) == "d")
    #expect(outbox.acknowledge(id("c"))?.line == 3)
    #expect(outbox.refuseForGood(id("d"))?.line == 4)
    #expect(outbox.isEmpty && outbox.byteCount == 0 && outbox.inFlightByteCount == 0)
    #expect(!outbox.maySend(start))
  }

  @Test("a link that takes no more leaves the message queued")
  func refusedByLink() {
    var outbox = outbox("a")
    let isSent = outbox.send { message in
      message.frame.append(0)
      return false
    }
    #expect(!isSent)
    #expect(outbox.byteCount == 67 && outbox.inFlightCount == 0)
    #expect(send(&outbox, start) == "a")
  }

  @Test(
    "a refusal for now holds the room until all that was sent is answered, and then for its time")
  func refused() {
    var outbox = outbox("abcde")
    #expect(send(&outbox, start, limit: 4) == "abcd")
    #expect(outbox.acknowledge(id("a")) != nil)
    let until = start + .seconds(2)
    #expect(outbox.refuseForNow(id("b"), until: until) == true)
    #expect(outbox.refuseForNow(id("b"), until: until) == false, "only once")
    #expect(outbox.refuseForNow(id("e"), until: until) == false, "it was not sent")
    #expect(outbox.inFlightCount == 2)
    #expect(send(&outbox, start + .seconds(3)) == "", "c and d aren't answered")
    #expect(outbox.refuseForNow(id("c"), until: start + .seconds(1)) == true)
    #expect(outbox.heldUntil == until, "the longest wait counts")
    #expect(outbox.refuseForNow(id("d"), until: start) == true)
    #expect(outbox.inFlightCount == 0 && outbox.inFlightByteCount == 0)
    #expect(send(&outbox, start + .seconds(1)) == "")
    #expect(send(&outbox, until) == "bcde")
    #expect(outbox.heldUntil == nil)
  }

  @Test("an answer of another kind to a message behind a refused one counts as well")
  func mixedAnswers() {
    var outbox = outbox("abcd")
    _ = send(&outbox, start)
    _ = outbox.refuseForNow(id("a"), until: start)
    #expect(outbox.refuseForGood(id("b"))?.line == 2)
    #expect(outbox.acknowledge(id("c"))?.line == 3)
    #expect(send(&outbox, start) == "")
    #expect(outbox.acknowledge(id("d"))?.line == 4)
    #expect(send(&outbox, start) == "a")
    #expect(outbox.refuseForNow(id("a"), until: start) == true)
    #expect(send(&outbox, start) == "a")
    _ = outbox.refuseForNow(id("a"), until: start)
    #expect(outbox.acknowledge(id("a")) == nil, "nothing is owed for it any more")
  }

  @Test("a refused message may still be acknowledged while others are owed an answer")
  func lateAck() {
    var outbox = outbox("ab")
    _ = send(&outbox, start)
    _ = outbox.refuseForNow(id("a"), until: start)
    #expect(outbox.acknowledge(id("a"))?.line == 1)
    #expect(outbox.inFlightCount == 1 && outbox.refusedCount == 0)
  }

  @Test("a lost link makes everything queued again")
  func lost() {
    var outbox = outbox("abc")
    _ = send(&outbox, start)
    _ = outbox.refuseForNow(id("a"), until: start + .seconds(9))
    outbox.linkLost()
    #expect(outbox.inFlightCount == 0 && outbox.inFlightByteCount == 0)
    #expect(outbox.acknowledge(id("b")) == nil)
    #expect(send(&outbox, start) == "abc")
  }

  @Test("the same id twice is two messages")
  func sameID() {
    var outbox = outbox("aa")
    _ = send(&outbox, start)
    #expect(outbox.refuseForNow(id("a"), until: start) == true)
    #expect(outbox.refuseForNow(id("a"), until: start) == true)
    _ = send(&outbox, start)
    #expect(outbox.acknowledge(id("a"))?.line == 1)
    #expect(outbox.acknowledge(id("a"))?.line == 2)
  }

  @Test("the next message can be taken out, and only that one")
  func withdrawn() {
    var outbox = outbox("abc")
    #expect(outbox.send { _ in true })
    #expect(outbox.nextLength { $0.line } == 2)
    #expect(outbox.withdrawNext()?.id == id("b"))
    #expect(outbox.count == 2 && outbox.inFlightCount == 1)
    #expect(outbox.withdrawNext()?.id == id("c"))
    #expect(outbox.withdrawNext() == nil && outbox.nextLength { $0.line } == nil)
    #expect(outbox.acknowledge(id("a"))?.line == 1)
    #expect(outbox.isEmpty && outbox.byteCount == 0 && outbox.inFlightByteCount == 0)
  }

  @Test("thousands of messages keep their order through it all")
  func many() {
    var outbox = RoomOutbox()
    var next = 0
    for number in 0..<5_000 {
      outbox.accept(RoomOutbox.Message(id: Array("\(number)".utf8), frame: [], line: number))
      if number % 3 == 2 {
        while outbox.inFlightCount < 8, outbox.maySend(start) { _ = outbox.send { _ in true } }
        #expect(outbox.acknowledge(Array("\(next)".utf8))?.line == next)
        next += 1
      }
    }
    outbox.linkLost()
    while outbox.maySend(start) { _ = outbox.send { _ in true } }
    for number in next..<5_000 {
      #expect(outbox.acknowledge(Array("\(number)".utf8))?.line == number)
    }
    #expect(outbox.isEmpty && outbox.byteCount == 0)
  }
}
