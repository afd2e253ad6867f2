/// How far a room's messages have been handed over, and how the rest is got.
///
/// The position is (epoch, seq): all up to seq is handed over. On a link a room is in one phase:
///
/// | phase | joined | live message | history answer | link lost |
/// |---|---|---|---|---|
/// | detached | level, or behind | skipped, the join tells | skipped | |
/// | level | as detached | the next one is taken; a later one: behind | skipped | detached |
/// | behind | as detached | skipped | skipped | detached |
/// | asking | as detached | skipped, it will be in the answer | its messages are taken; behind if there is more, else level | detached |
///
/// In `behind` the session owes the server a request for what follows the position; sending it makes
/// the phase `asking`, so one request a room is under way. A live message while asking was sent before
/// the answer, so the answer has it; what follows the last answer live is the next one.
///
/// A message that is blocked (standard output is full) isn't taken: the room is behind, and asks when
/// there is room again.
struct RoomCursor {
  struct Position: Equatable {
    var epoch: [UInt8]
    var seq: Int
  }

  enum Phase: Equatable {
    case detached
    case level
    case behind
    case asking
  }

  /// Messages that can't be had: all after `after` and before `before`. With an epoch, `before`
  /// counts in that one.
  struct Gap: Equatable {
    var after: Int
    var before: Int
    var epoch: [UInt8]?
  }

  private(set) var position: Position?
  private(set) var phase = Phase.detached
  /// The newest message that the server is known to have.
  private var newest = 0
  /// Where the request that is under way began, so that an answer without progress is seen.
  private var askedAfter = 0

  /// The answer to a join. `history` is what a first join brings of the past.
  mutating func joined(epoch: [UInt8], seq: Int, oldest: Int, history: Int) -> Gap? {
    // A room whose history is empty has its oldest message in the future.
    let oldest = min(max(oldest, 1), seq + 1)
    var gap: Gap?
    if let known = position {
      if known.epoch != epoch || seq < known.seq {
        gap = Gap(
          after: known.seq, before: oldest, epoch: known.epoch == epoch ? nil : epoch)
        position = Position(epoch: epoch, seq: oldest - 1)
      }
    } else {
      position = Position(epoch: epoch, seq: max(oldest - 1, seq - min(seq, history)))
    }
    newest = seq
    phase = seq > (position?.seq ?? 0) ? .behind : .level
    return gap
  }

  /// A live message; returns whether it is to be handed over.
  mutating func take(live seq: Int, isBlocked: Bool) -> Bool {
    guard let known = position else { return false }
    newest = max(newest, seq)
    guard phase == .level, seq > known.seq else { return false }
    guard seq == known.seq + 1, !isBlocked else {
      phase = .behind
      return false
    }
    position?.seq = seq
    return true
  }

  /// The request for what follows the position is on its way.
  mutating func ask() {
    phase = .asking
    askedAfter = position?.seq ?? 0
  }

  /// A message of the answer; tells what is missing before it, and whether it is to be handed over.
  mutating func take(answered seq: Int, isBlocked: Bool) -> (gap: Gap?, isNext: Bool) {
    guard let known = position, phase == .asking, !isBlocked, seq > known.seq else {
      return (nil, false)
    }
    position?.seq = seq
    newest = max(newest, seq)
    return (seq == known.seq + 1 ? nil : Gap(after: known.seq, before: seq), true)
  }

  /// The answer is over; returns what it should have had and didn't. Without a position in the
  /// server's history an `isMore` would go on for ever, so it counts only with progress.
  mutating func endAnswer(isMore: Bool, isBlocked: Bool) -> Gap? {
    guard let known = position, phase == .asking else { return nil }
    if isBlocked || (isMore && known.seq > askedAfter) {
      phase = .behind
      return nil
    }
    phase = .level
    guard newest > known.seq else { return nil }
    position?.seq = newest
    return Gap(after: known.seq, before: newest + 1)
  }

  /// The link is gone.
  mutating func linkLost() {
    phase = .detached
  }

  /// The room was left: what comes until the next join is not wanted.
  mutating func forget() {
    position = nil
    phase = .detached
  }
}
