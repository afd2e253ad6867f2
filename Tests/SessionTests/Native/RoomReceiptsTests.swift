import Testing
import Timeline

@testable import Session

@Suite struct RoomReceiptsTests {
  private let start = Instant(nanoseconds: 0)

  private func tell(
    _ receipts: inout RoomReceipts, _ now: Instant, isLast: Bool = false, takes: Int = .max
  ) -> [String] {
    var told: [String] = []
    receipts.tell(now, isLast: isLast) { seq, status in
      guard told.count < takes else { return false }
      told.append("\(status) \(seq)")
      return true
    }
    return told
  }

  @Test("nothing is told before standard output has taken it, and then only the newest")
  func taken() {
    var receipts = RoomReceipts()
    receipts.place(5, at: 100)
    receipts.place(6, at: 200)
    receipts.place(7, at: 300)
    #expect(tell(&receipts, start) == [])
    receipts.taken(upTo: 99)
    #expect(tell(&receipts, start) == [])
    #expect(receipts.nextDeadline == nil)
    receipts.taken(upTo: 250)
    #expect(tell(&receipts, start) == ["delivered 6"])
    receipts.taken(upTo: 300)
    #expect(tell(&receipts, start) == [], "too soon after the last time")
    #expect(receipts.nextDeadline == start + .milliseconds(200))
    #expect(tell(&receipts, start + .milliseconds(200)) == ["delivered 7"])
    #expect(receipts.nextDeadline == nil)
  }

  @Test("the last chance doesn't wait")
  func last() {
    var receipts = RoomReceipts()
    receipts.place(5, at: 1)
    receipts.taken(upTo: 1)
    #expect(tell(&receipts, start) == ["delivered 5"])
    receipts.place(6, at: 2)
    receipts.taken(upTo: 2)
    #expect(tell(&receipts, start, isLast: true) == ["delivered 6"])
    #expect(tell(&receipts, start, isLast: true) == [])
  }

  @Test("lines may say more, and what a link took down with it is told again")
  func requested() {
    var receipts = RoomReceipts()
    receipts.request(.read, seq: 9)
    receipts.request(.read, seq: 3)
    receipts.request(.delivered, seq: 4)
    #expect(tell(&receipts, start, takes: 0) == [])
    #expect(tell(&receipts, start, takes: 1) == ["delivered 4"])
    #expect(tell(&receipts, start) == ["read 9"])
    receipts.linkLost()
    #expect(tell(&receipts, start) == ["delivered 4", "read 9"])
    receipts.forget()
    #expect(tell(&receipts, start) == [])
  }

  @Test("with many under way the newest are told late, never early")
  func bounded() {
    var receipts = RoomReceipts()
    for number in 1...1_000 { receipts.place(number, at: number) }
    receipts.taken(upTo: 63)
    #expect(tell(&receipts, start) == ["delivered 63"])
    receipts.taken(upTo: 999)
    #expect(receipts.nextDeadline == nil)
    receipts.taken(upTo: 1_000)
    #expect(tell(&receipts, start, isLast: true) == ["delivered 1000"])
  }
}
