import Timeline

/// The ping whose pong proves that the server has read everything before it.
///
/// One probe is on the way at a time: RFC 6455, section 5.5.3 lets a peer answer only the newest of
/// several pings, so more of them would prove no more.
struct AckProbe {
  private var sequence: UInt64 = 0
  /// How many messages of the run the outstanding probe covers.
  private var coveredCount: Int?
  private(set) var deadline: Instant?
  private var unsentByteCount = Int.max

  var isOutstanding: Bool { coveredCount != nil }

  /// Begins a probe; returns the ping's payload.
  mutating func begin(covering count: Int, deadline: Instant) -> [UInt8] {
    sequence &+= 1
    coveredCount = count
    self.deadline = deadline
    unsentByteCount = .max
    return payload
  }

  /// `wsii` and eight bytes of a counter: no keepalive ping looks like that.
  private var payload: [UInt8] {
    Array("wsii".utf8)
      + stride(from: 56, through: 0, by: -8).map {
        UInt8(truncatingIfNeeded: sequence >> UInt64($0))
      }
  }

  /// Takes a pong; returns how many messages are proved to have arrived.
  mutating func take(_ pong: [UInt8]) -> Int? {
    guard let count = coveredCount, pong == payload else { return nil }
    coveredCount = nil
    deadline = nil
    return count
  }

  /// Whether the deadline may be put off, because the kernel's send queue has shrunk since the last
  /// time: a slow link isn't a dead one.
  mutating func hasProgress(unsentByteCount count: Int?) -> Bool {
    guard let count, count < unsentByteCount else { return false }
    let isFirstLook = unsentByteCount == .max
    unsentByteCount = count
    return count > 0 || !isFirstLook
  }

  mutating func postpone(until deadline: Instant) {
    if isOutstanding { self.deadline = deadline }
  }

  /// The link is gone, and the probe with it.
  mutating func cancel() {
    coveredCount = nil
    deadline = nil
  }
}
