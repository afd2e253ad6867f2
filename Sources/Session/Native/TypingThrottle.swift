import Timeline

/// How often a room hears that we type: never more than every 300 ms, and no longer than we do.
///
/// | state | typing line | stopTyping line | message | 5 s of silence | link lost |
/// |---|---|---|---|---|---|
/// | still | typing; said unless the last time was under 300 ms ago | said, under the same limit | | | |
/// | typing | stays; said under the same limit | still; said | still; stopTyping is said | still; stopTyping is said | still |
struct TypingThrottle {
  static let interval = Duration.milliseconds(300)
  static let patience = Duration.seconds(5)

  private var lastSaid: Instant?
  /// When the silence that ends our typing is over.
  private(set) var deadline: Instant?

  /// Returns whether `typing` is to be sent.
  mutating func typing(_ now: Instant) -> Bool {
    deadline = now + Self.patience
    return isAllowed(now)
  }

  /// A stopTyping line; returns whether it is to be sent.
  mutating func stopTyping(_ now: Instant) -> Bool {
    if deadline == nil { return isAllowed(now) }
    deadline = nil
    return true
  }

  /// A message was taken; returns whether `stopTyping` is to be sent before it.
  mutating func message() -> Bool {
    defer { deadline = nil }
    return deadline != nil
  }

  /// Returns whether `stopTyping` is to be sent.
  mutating func advance(_ now: Instant) -> Bool {
    guard let deadline, now >= deadline else { return false }
    self.deadline = nil
    return true
  }

  mutating func linkLost() {
    deadline = nil
    lastSaid = nil
  }

  private mutating func isAllowed(_ now: Instant) -> Bool {
    if let lastSaid, now < lastSaid + Self.interval { return false }
    lastSaid = now
    return true
  }
}
