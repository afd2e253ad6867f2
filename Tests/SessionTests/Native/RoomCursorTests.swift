import Testing

@testable import Session

@Suite struct RoomCursorTests {
  private let first: [UInt8] = [1]
  private let second: [UInt8] = [2]

  private func level(_ seq: Int) -> RoomCursor {
    var cursor = RoomCursor()
    _ = cursor.joined(epoch: first, seq: seq, oldest: 1, history: 0)
    return cursor
  }

  @Test(
    "a first join begins at the end, or as far back as was asked and the server has",
    arguments: [
      (41, 1, 0, 41, true), (41, 1, 5, 36, false), (41, 39, 5, 38, false), (3, 1, 5, 0, false),
      (0, 1, 5, 0, true), (41, 42, 5, 41, true), (41, 99, 5, 41, true), (41, 0, 99, 0, false),
    ])
  func firstJoin(_ seq: Int, _ oldest: Int, _ history: Int, _ start: Int, _ isLevel: Bool) {
    var cursor = RoomCursor()
    #expect(cursor.phase == .detached)
    #expect(cursor.joined(epoch: first, seq: seq, oldest: oldest, history: history) == nil)
    #expect(cursor.position == RoomCursor.Position(epoch: first, seq: start))
    #expect(cursor.phase == (isLevel ? .level : .behind))
  }

  @Test("live messages are taken in their order, once, and not when one is missing")
  func live() {
    var cursor = level(41)
    #expect(cursor.take(live: 42, isBlocked: false) == true)
    #expect(cursor.take(live: 42, isBlocked: false) == false)
    #expect(cursor.take(live: 7, isBlocked: false) == false)
    #expect(cursor.phase == .level)
    #expect(cursor.take(live: 44, isBlocked: false) == false)
    #expect(cursor.phase == .behind)
    #expect(cursor.take(live: 43, isBlocked: false) == false)
    #expect(cursor.position?.seq == 42)
  }

  @Test("before the first join nothing is taken")
  func early() {
    var cursor = RoomCursor()
    #expect(cursor.take(live: 1, isBlocked: false) == false)
    #expect(cursor.take(answered: 1, isBlocked: false) == (nil, false))
    #expect(cursor.endAnswer(isMore: true, isBlocked: false) == nil)
  }

  @Test("an answer fills what was missing; what came live meanwhile is in it")
  func answer() {
    var cursor = level(41)
    _ = cursor.take(live: 44, isBlocked: false)
    cursor.ask()
    #expect(cursor.phase == .asking)
    #expect(cursor.take(live: 45, isBlocked: false) == false)
    for seq in 41...45 {
      #expect(cursor.take(answered: seq, isBlocked: false) == (nil, seq > 41))
    }
    #expect(cursor.endAnswer(isMore: false, isBlocked: false) == nil)
    #expect(cursor.phase == .level)
    #expect(cursor.take(live: 46, isBlocked: false) == true)
    #expect(cursor.take(answered: 47, isBlocked: false) == (nil, false))
  }

  @Test("more of the answer is asked for, but not for ever")
  func pages() {
    var cursor = level(2)
    _ = cursor.take(live: 9, isBlocked: false)
    cursor.ask()
    _ = cursor.take(answered: 3, isBlocked: false)
    #expect(cursor.endAnswer(isMore: true, isBlocked: false) == nil)
    #expect(cursor.phase == .behind)
    cursor.ask()
    #expect(
      cursor.endAnswer(isMore: true, isBlocked: false) == RoomCursor.Gap(after: 3, before: 10))
    #expect(cursor.phase == .level)
    #expect(cursor.take(live: 10, isBlocked: false) == true)
  }

  @Test("what an answer lacks is a gap with exact bounds, at its start, inside, or at its end")
  func gaps() {
    var cursor = level(10)
    _ = cursor.take(live: 30, isBlocked: false)
    cursor.ask()
    #expect(
      cursor.take(answered: 21, isBlocked: false) == (RoomCursor.Gap(after: 10, before: 21), true))
    #expect(cursor.take(answered: 22, isBlocked: false) == (nil, true))
    #expect(
      cursor.take(answered: 25, isBlocked: false) == (RoomCursor.Gap(after: 22, before: 25), true))
    #expect(
      cursor.endAnswer(isMore: false, isBlocked: false) == RoomCursor.Gap(after: 25, before: 31))
  }

  @Test("on the next link the rest is fetched; another count is a gap and begins at the oldest")
  func nextLink() {
    var cursor = level(10)
    cursor.linkLost()
    #expect(cursor.phase == .detached)
    #expect(cursor.take(live: 11, isBlocked: false) == false)
    #expect(cursor.joined(epoch: first, seq: 10, oldest: 1, history: 9) == nil)
    #expect(cursor.phase == .level)
    #expect(cursor.joined(epoch: first, seq: 12, oldest: 1, history: 9) == nil)
    #expect(cursor.phase == .behind)
    #expect(
      cursor.joined(epoch: first, seq: 8, oldest: 3, history: 0)
        == RoomCursor.Gap(after: 10, before: 3))
    #expect(cursor.position?.seq == 2)
    #expect(cursor.phase == .behind)
    #expect(
      cursor.joined(epoch: second, seq: 0, oldest: 1, history: 0)
        == RoomCursor.Gap(after: 2, before: 1, epoch: second))
    #expect(cursor.position == RoomCursor.Position(epoch: second, seq: 0))
    #expect(cursor.phase == .level)
  }

  @Test("while standard output is blocked nothing is taken, and nothing is lost")
  func blocked() {
    var cursor = level(10)
    #expect(cursor.take(live: 11, isBlocked: true) == false)
    #expect(cursor.phase == .behind)
    cursor.ask()
    #expect(cursor.take(answered: 11, isBlocked: true) == (nil, false))
    #expect(cursor.endAnswer(isMore: false, isBlocked: true) == nil)
    #expect(cursor.phase == .behind)
    cursor.ask()
    #expect(cursor.take(answered: 11, isBlocked: false) == (nil, true))
    #expect(cursor.endAnswer(isMore: false, isBlocked: false) == nil)
    #expect(cursor.phase == .level)
  }

  @Test("a room that was left begins anew")
  func left() {
    var cursor = level(10)
    cursor.forget()
    #expect(cursor.position == nil)
    #expect(cursor.joined(epoch: second, seq: 30, oldest: 1, history: 0) == nil)
    #expect(cursor.position?.seq == 30)
  }
}
