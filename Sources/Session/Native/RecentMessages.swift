/// Which messages of a room's former counts were handed over.
///
/// A server that lost its history begins a new count, and is sent again what it had stored and told without
/// its acknowledgement coming through. Such a message has a new number, so the cursor can't know it; its sender
/// and its id do. Within one count the server compares ids itself, so nothing is withheld there.
struct RecentMessages {
  /// What a window of the native protocol's senders may resend, twice over; 2 KiB a room at most.
  static let capacity = 256

  /// Of the present count; a ring once it is full.
  private var present: [Int] = []
  private var next = 0
  private var former: [Int] = []

  /// A message is handed over. A digest is kept in its place: with SipHash's key nobody can make two alike.
  mutating func note(sender: [UInt8]?, id: [UInt8]) {
    guard !id.isEmpty else { return }
    if present.count < Self.capacity {
      present.append(digest(sender, id))
    } else {
      present[next] = digest(sender, id)
      next = (next + 1) % Self.capacity
    }
  }

  /// Whether it was handed over in a former count.
  func isKnown(sender: [UInt8]?, id: [UInt8]) -> Bool {
    !former.isEmpty && former.contains(digest(sender, id))
  }

  mutating func beginAnew() {
    former = Array((former + present[next...] + present[..<next]).suffix(Self.capacity))
    present = []
    next = 0
  }

  private func digest(_ sender: [UInt8]?, _ id: [UInt8]) -> Int {
    var hasher = Hasher()
    hasher.combine(sender)
    hasher.combine(id)
    return hasher.finalize()
  }
}
