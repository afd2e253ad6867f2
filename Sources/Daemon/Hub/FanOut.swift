import Hub
import Timeline

/// Frames for many clients, kept once until they are sent to each.
///
/// It holds frames for one list of clients at a time. A client that must have something else first
/// takes its part early; what it has then isn't given to it again.
struct FanOut {
  /// So much is due at once, whatever the pace says.
  static let maximumByteCount = 256 << 10

  private(set) var targets: [ClientID] = []
  private(set) var bytes: [UInt8] = []
  private var pace = FanOutPace()
  /// By slot: which target stands there, and how much of `bytes` it has.
  private var takers: [Taker?] = []

  private struct Taker {
    /// Slots are used again at once: what one link wasn't given must not go to the next one.
    var id: ClientID
    var taken = 0
  }

  var isEmpty: Bool { bytes.isEmpty }

  /// Whether a frame for these clients may stand beside those that wait: the same array, which is
  /// what a room's messages come with as long as nobody joins or leaves.
  func takes(_ clients: [ClientID]) -> Bool {
    guard !bytes.isEmpty else { return false }
    return targets.withUnsafeBufferPointer { ours in
      clients.withUnsafeBufferPointer { theirs in
        ours.baseAddress == theirs.baseAddress && ours.count == theirs.count
      }
    }
  }

  /// Begins with other clients; what waited must have been sent.
  mutating func begin(_ clients: [ClientID]) {
    for id in targets { takers[id.slot] = nil }
    targets = clients
    for id in clients {
      while takers.count <= id.slot { takers.append(nil) }
      takers[id.slot] = Taker(id: id)
    }
  }

  mutating func append(_ frame: [UInt8], _ now: Instant) {
    bytes.append(contentsOf: frame)
    pace.note(targets.count, now)
  }

  /// When what waits is to be sent; nil if nothing waits.
  func due(_ now: Instant) -> Instant? {
    if isEmpty { return nil }
    return bytes.count >= Self.maximumByteCount ? now : pace.due(now)
  }

  /// What the client doesn't have yet, as a range of `bytes`; nil if there is nothing. It has it now.
  mutating func take(_ id: ClientID) -> Range<Int>? {
    guard id.slot < takers.count, let taker = takers[id.slot], taker.id == id,
      taker.taken < bytes.count
    else { return nil }
    takers[id.slot]?.taken = bytes.count
    return taker.taken..<bytes.count
  }

  /// All targets have taken their part.
  mutating func removeAll() {
    for id in targets { takers[id.slot]?.taken = 0 }
    bytes.removeAll(keepingCapacity: bytes.capacity <= 2 * Self.maximumByteCount)
  }
}
