import Timeline

/// The ids of messages that were accepted, with what they stand for, beyond their time in a history.
///
/// An id belongs to a user and a room. It and its content are kept as digests, so that an entry
/// costs the same whatever its length. Each such pair keeps the newest ids. When all together are too
/// many, each pair that has at least half as many as the average loses the oldest eighth: a flood
/// costs the flooder his, and a sixteenth of all is free again, so that it doesn't happen often.
struct KnownIDs {
  /// What became of a message.
  struct Entry: Equatable, Sendable {
    var content: Digest
    var seq: Int
    var timestamp: Timestamp
    /// When it was accepted.
    var instant: Instant
  }

  private struct Shelf {
    var entries: [Digest: Entry] = [:]
    /// The ids in the order of acceptance, from `head` on.
    private var order: [Digest] = []
    private var head = 0

    mutating func append(_ entry: Entry, as id: Digest) {
      if entries.updateValue(entry, forKey: id) == nil { order.append(id) }
    }

    var oldest: Entry? { head < order.count ? entries[order[head]] : nil }

    mutating func dropOldest() {
      guard head < order.count else { return }
      entries[order[head]] = nil
      head &+= 1
      guard head > 64, head > order.count / 2 else { return }
      order.removeSubrange(0..<head)
      head = 0
    }
  }

  private let maximumCount: Int
  private let maximumTotal: Int
  private let lifetime: Duration
  /// By room and user.
  private var shelves: [UInt64: [ByteKey: Shelf]] = [:]
  /// How many ids are remembered.
  private(set) var count = 0

  init(_ limits: HubLimits) {
    maximumCount = max(1, limits.maximumKnownIDs)
    maximumTotal = max(1, limits.maximumTotalKnownIDs)
    lifetime = limits.knownIDLifetime
  }

  /// What is known of an id.
  func entry(of id: Digest, room: UInt64, user: ByteKey, _ now: Instant) -> Entry? {
    guard let entry = shelves[room]?[user]?.entries[id], now - entry.instant < lifetime else {
      return nil
    }
    return entry
  }

  /// Remembers an id that isn't known.
  mutating func insert(_ entry: Entry, as id: Digest, room: UInt64, user: ByteKey) {
    // In place: a shelf taken out, or `self` looked at meanwhile, would be copied whole.
    count &+= Self.insert(
      entry, id, maximumCount, lifetime, &shelves[room, default: [:]][user, default: Shelf()])
    if count > maximumTotal { shrink() }
  }

  /// Returns by how many the shelf has grown.
  private static func insert(
    _ entry: Entry, _ id: Digest, _ maximumCount: Int, _ lifetime: Duration,
    _ shelf: inout Shelf
  ) -> Int {
    let before = shelf.entries.count
    while let oldest = shelf.oldest, entry.instant - oldest.instant >= lifetime {
      shelf.dropOldest()
    }
    shelf.append(entry, as: id)
    if shelf.entries.count > maximumCount { shelf.dropOldest() }
    return shelf.entries.count &- before
  }

  /// Forgets a room.
  mutating func remove(room: UInt64) {
    for shelf in (shelves.removeValue(forKey: room) ?? [:]).values {
      count &-= shelf.entries.count
    }
  }

  /// Forgets a user in a room.
  mutating func remove(room: UInt64, user: ByteKey) {
    guard let shelf = shelves[room]?.removeValue(forKey: user) else { return }
    count &-= shelf.entries.count
    if shelves[room]?.isEmpty == true { shelves[room] = nil }
  }

  private mutating func shrink() {
    let shelfCount = shelves.values.reduce(0) { $0 &+ $1.count }
    let least = count / max(1, shelfCount) / 2
    for (room, users) in shelves {
      for (user, shelf) in users where shelf.entries.count >= least {
        let loss = shelf.entries.count / 8 &+ 1
        if loss >= shelf.entries.count {
          remove(room: room, user: user)
        } else {
          for _ in 0..<loss { shelves[room]?[user]?.dropOldest() }
          count &-= loss
        }
      }
    }
  }
}
