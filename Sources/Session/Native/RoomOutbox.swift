import Timeline

/// One room's accepted messages that the server has not answered for good, in their order.
///
/// | message | sent | ack | nack for good | nack for now | link lost |
/// |---|---|---|---|---|---|
/// | queued | in flight | ignored | ignored | ignored | queued |
/// | in flight | | gone | gone, reported | refused | queued |
/// | refused | | gone | gone, reported | | queued |
///
/// What was sent on the link is a prefix of what waits. Once a message is refused for now, nothing
/// more is sent, and the answers to the rest of the prefix are awaited: a server that keeps order
/// refuses them too. When the whole prefix is answered it is queued again, and goes out from the
/// refused message on when the wait is over. So nothing unanswered is sent twice on a link, and an
/// answer can't be taken for the answer to a later try.
struct RoomOutbox {
  struct Message: Equatable {
    var id: [UInt8]
    var frame: [UInt8]
    /// Line of standard input, counted from 1.
    var line: Int
    var lacksSenderID = false
    var lacksSenderName = false
    var isRefused = false

    /// What the message is taken to cost: its bytes, and what keeping it costs beside them.
    var weight: Int { frame.count + 64 }
  }

  /// Messages from `head` on; before it stand emptied places.
  private var messages: [Message] = []
  private var head = 0
  /// How many of the waiting messages were sent on this link, and how many of those are refused.
  private(set) var sentCount = 0
  private(set) var refusedCount = 0
  /// Until when a refusal keeps the room from sending.
  private(set) var heldUntil: Instant?
  private(set) var byteCount = 0
  private(set) var inFlightByteCount = 0

  var count: Int { messages.count - head }
  var isEmpty: Bool { head == messages.count }
  /// Messages that an answer is owed for.
  var inFlightCount: Int { sentCount - refusedCount }

  mutating func accept(_ message: Message) {
    messages.append(message)
    byteCount += message.weight
  }

  /// Whether the next message may go out now.
  func maySend(_ now: Instant) -> Bool {
    sentCount < count && refusedCount == 0 && heldUntil.map { now >= $0 } ?? true
  }

  /// The next message for the wire; `maySend` must have said yes.
  mutating func send(_ body: (inout Message) -> Bool) -> Bool {
    let index = head + sentCount
    let before = messages[index].weight
    let isSent = body(&messages[index])
    byteCount += messages[index].weight - before
    guard isSent else { return false }
    heldUntil = nil
    sentCount += 1
    inFlightByteCount += messages[index].weight
    return true
  }

  /// The length of the next message for the wire, completed; nil if there is none.
  func nextLength(_ body: (Message) -> Int) -> Int? {
    sentCount < count ? body(messages[head + sentCount]) : nil
  }

  /// Takes the next message for the wire out: no server would take it.
  mutating func withdrawNext() -> Message? {
    sentCount < count ? remove(at: head + sentCount) : nil
  }

  /// The server has the message; nil if no such message is in flight.
  mutating func acknowledge(_ id: [UInt8]) -> Message? {
    guard let index = sentIndex(of: id) else { return nil }
    return take(at: index)
  }

  /// The server will never take the message; nil if no such message is in flight.
  mutating func refuseForGood(_ id: [UInt8]) -> Message? { acknowledge(id) }

  /// The server doesn't take the message now. Returns false if no such message is in flight.
  mutating func refuseForNow(_ id: [UInt8], until: Instant) -> Bool {
    guard let index = sentIndex(of: id), !messages[index].isRefused else { return false }
    messages[index].isRefused = true
    refusedCount += 1
    inFlightByteCount -= messages[index].weight
    heldUntil = max(heldUntil ?? until, until)
    requeueAnswered()
    return true
  }

  /// Whatever was sent and not answered is unknown: it will be sent again.
  mutating func linkLost() {
    for index in head..<head + sentCount { messages[index].isRefused = false }
    sentCount = 0
    refusedCount = 0
    inFlightByteCount = 0
    heldUntil = nil
  }

  // MARK: Parts

  /// A window's length at most, and the first one in the usual case. Ids may stand twice, if the
  /// user gave one twice; the oldest one without an answer is meant.
  private func sentIndex(of id: [UInt8]) -> Int? {
    var refused: Int?
    for index in head..<head + sentCount where messages[index].id == id {
      if !messages[index].isRefused { return index }
      refused = refused ?? index
    }
    return refused
  }

  private mutating func take(at index: Int) -> Message {
    let message = messages[index]
    if message.isRefused {
      refusedCount -= 1
    } else {
      inFlightByteCount -= message.weight
    }
    sentCount -= 1
    _ = remove(at: index)
    requeueAnswered()
    return message
  }

  private mutating func remove(at index: Int) -> Message {
    let message = messages[index]
    byteCount -= message.weight
    var place = index
    while place > head {
      messages[place] = messages[place - 1]
      place -= 1
    }
    messages[head] = Message(id: [], frame: [], line: 0)
    head += 1
    // Each message is moved at most once on average.
    if head == messages.count {
      messages.removeAll(keepingCapacity: messages.capacity <= 1_024)
      head = 0
    } else if head >= 64, head > messages.count / 2 {
      messages.removeSubrange(0..<head)
      head = 0
    }
    return message
  }

  private mutating func requeueAnswered() {
    guard refusedCount > 0, refusedCount == sentCount else { return }
    for index in head..<head + sentCount { messages[index].isRefused = false }
    sentCount = 0
    refusedCount = 0
  }
}
