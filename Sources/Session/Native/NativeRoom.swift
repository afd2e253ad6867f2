import Timeline

/// A room as the session knows it: what is wished, where its join stands, and its parts.
///
/// | join | wished or messages wait | joined | error, or no answer in time | not_joined | link lost |
/// |---|---|---|---|---|---|
/// | none | join is sent: asked | ignored | | | |
/// | asked | | done | failed | | none |
/// | done | neither: leave is sent, none | taken anew | | none | none |
/// | failed | a `join` line: none | done, late | | | none |
struct NativeRoom {
  enum Join: Equatable {
    case none
    case asked(until: Instant)
    case done
    case failed
  }

  let name: [UInt8]
  /// Whether the user wants to be in it: from the start, by a `join` line, or by writing to it.
  var isWished = true
  var join = Join.none
  /// In this run: what the room's history has is no news any more.
  var hasBeenJoined = false
  var outbox = RoomOutbox()
  var cursor = RoomCursor()
  var receipts = RoomReceipts()
  var recent = RecentMessages()
  var typing = TypingThrottle()
  /// When the answer to the request for history must be there.
  var historyDeadline: Instant?

  init(_ name: [UInt8]) {
    self.name = name
  }

  /// Whether the room should be joined, for its messages in or out.
  var isNeeded: Bool { isWished || !outbox.isEmpty }

  mutating func linkLost() {
    join = .none
    historyDeadline = nil
    outbox.linkLost()
    cursor.linkLost()
    receipts.linkLost()
    typing.linkLost()
  }

  /// When something must happen while the link is up. What was already due at `sent`, when the room
  /// could speak last, waits for the link and not for the time.
  func nextDeadline(after sent: Instant) -> Instant? {
    var deadlines: [Instant] = []
    if case .asked(let until) = join { deadlines.append(until) }
    if let historyDeadline { deadlines.append(historyDeadline) }
    if let deadline = typing.deadline { deadlines.append(deadline) }
    if join == .done {
      if let deadline = receipts.nextDeadline, deadline > sent { deadlines.append(deadline) }
      if let held = outbox.heldUntil, held > sent { deadlines.append(held) }
    }
    return deadlines.min()
  }
}
