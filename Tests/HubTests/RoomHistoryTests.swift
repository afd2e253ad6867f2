import Testing

@testable import Hub

@Suite struct RoomHistoryTests {
  private func history(_ count: Int, maximum: Int = 10, bytes: Int = .max) -> RoomHistory {
    var history = RoomHistory(maximumCount: maximum, maximumBytes: bytes)
    for number in 0..<count { history.append(message(number + 1)) }
    return history
  }

  @Test("it is numbered from 1, and the oldest go first", arguments: [0, 1, 9, 10, 11, 500])
  func numbers(_ count: Int) {
    let history = history(count)
    #expect(history.lastSeq == count)
    #expect(history.count == min(count, 10))
    #expect(history.oldest == max(1, count - 9))
    #expect(history[history.oldest - 1] == nil && history[count + 1] == nil)
    for seq in history.oldest..<(count + 1) {
      #expect(history[seq]?.bytes == message(seq).bytes)
    }
    #expect(history.cost == (history.oldest..<(count + 1)).reduce(0) { $0 + message($1).cost })
  }

  @Test("bytes are bounded too, down to no message at all")
  func bounds() {
    let two = history(100, bytes: 2 * message(1).cost + 1)
    #expect(two.count == 2 && two.oldest == 99)
    var none = history(3, bytes: 10)
    #expect(none.count == 0 && none.oldest == 4 && none.cost == 0)
    none.dropOldest()
    #expect(none.count == 0 && none.lastSeq == 3)
    #expect(history(5, maximum: 0).oldest == 6)
  }

  @Test(
    "pages go forward and backward",
    arguments: [
      // 21 to 30 are kept.
      (.after(0), 100, 21..<31, false), (.after(24), 3, 25..<28, true),
      (.after(27), 3, 28..<31, false), (.after(30), 3, 31..<31, false),
      (.after(.max - 1), 3, 31..<31, false), (.after(5), 1, 21..<22, true),
      (.before(31), 100, 21..<31, false), (.before(26), 2, 24..<26, true),
      (.before(23), 2, 21..<23, false), (.before(21), 5, 21..<21, false),
      (.before(0), 5, 21..<21, false), (.before(.max - 1), 1, 30..<31, true),
      (.newest, 4, 27..<31, true), (.newest, 10, 21..<31, false),
    ] as [(HistoryQuery.Edge, Int, Range<Int>, Bool)])
  func pages(_ edge: HistoryQuery.Edge, _ count: Int, _ seqs: Range<Int>, _ hasMore: Bool) {
    let page = history(30).page(HistoryQuery(edge: edge, count: count), maximumBytes: .max)
    #expect(page.seqs == seqs && page.hasMore == hasMore)
  }

  @Test("a page has its bytes, or one message", arguments: [(0, 1), (100, 1), (250, 2), (303, 3)])
  func pageBytes(_ bytes: Int, _ count: Int) {
    let history = history(8)
    let forward = history.page(HistoryQuery(edge: .after(2), count: 9), maximumBytes: bytes)
    #expect(forward.seqs == 3..<(3 + count) && forward.hasMore)
    let backward = history.page(HistoryQuery(edge: .newest, count: 9), maximumBytes: bytes)
    #expect(backward.seqs == (9 - count)..<9 && backward.hasMore)
  }

  @Test("an empty one answers everything with nothing")
  func empty() {
    for edge in [HistoryQuery.Edge.after(0), .after(7), .before(0), .before(7), .newest] {
      let page = history(0).page(HistoryQuery(edge: edge, count: 5), maximumBytes: 1_000)
      #expect(page.seqs.isEmpty && !page.hasMore)
    }
  }
}
