/// The newest messages of a room, numbered from 1 without holes.
struct RoomHistory {
  let maximumCount: Int
  let maximumBytes: Int
  /// The seq of the newest message ever, 0 before the first.
  private(set) var lastSeq = 0
  /// What the kept messages cost.
  private(set) var cost = 0
  /// From `head` on; what is before has been dropped. So dropping one moves no others.
  private var messages: [MessageFrame?] = []
  private var head = 0

  init(maximumCount: Int, maximumBytes: Int) {
    self.maximumCount = maximumCount
    self.maximumBytes = maximumBytes
  }

  /// How many messages are kept.
  var count: Int { messages.count &- head }

  /// The seq of the oldest kept message; of the next one if none is kept.
  var oldest: Int { lastSeq &- count &+ 1 }

  /// Keeps a message as number `lastSeq` + 1, and drops what is too much now.
  mutating func append(_ message: MessageFrame) {
    messages.append(message)
    lastSeq &+= 1
    cost &+= message.cost
    while count > maximumCount || cost > maximumBytes { dropOldest() }
  }

  mutating func dropOldest() {
    guard head < messages.count, let message = messages[head] else { return }
    messages[head] = nil
    cost &-= message.cost
    head &+= 1
    guard head > 64, head > messages.count / 2 else { return }
    messages.removeSubrange(0..<head)
    head = 0
  }

  /// The message of a seq; nil if it isn't kept.
  subscript(seq: Int) -> MessageFrame? {
    guard seq >= oldest, seq <= lastSeq else { return nil }
    return messages[head &+ seq &- oldest]
  }

  /// Finds the messages that answer a query.
  ///
  /// - Returns: their seqs, and whether there are more on the far side: newer ones for `after`,
  ///   older kept ones otherwise. The first message found is given whatever its length.
  func page(_ query: HistoryQuery, maximumBytes: Int) -> (seqs: Range<Int>, hasMore: Bool) {
    switch query.edge {
    case .after(let seq):
      let first = min(max(seq &+ 1, oldest), lastSeq &+ 1)
      var next = first
      var bytes = 0
      while let message = self[next], next &- first < query.count {
        bytes &+= message.record.count &+ 1
        if bytes > maximumBytes, next > first { break }
        next &+= 1
      }
      return (first..<next, next <= lastSeq)
    case .before(let seq): return page(before: min(seq, lastSeq &+ 1), query.count, maximumBytes)
    case .newest: return page(before: lastSeq &+ 1, query.count, maximumBytes)
    }
  }

  private func page(
    before seq: Int, _ maximumCount: Int, _ maximumBytes: Int
  ) -> (seqs: Range<Int>, hasMore: Bool) {
    let end = max(seq, oldest)
    var first = end
    var bytes = 0
    while let message = self[first &- 1], end &- first < maximumCount {
      bytes &+= message.record.count &+ 1
      if bytes > maximumBytes, first < end { break }
      first &-= 1
    }
    return (first..<end, first > oldest)
  }
}
