import Timeline

/// The ping whose pong proves that the server has read everything before it.
///
/// One probe is on the way at a time: RFC 6455, section 5.5.3 lets a peer answer only the newest of
/// several pings, so more of them would prove no more.
///
/// The server's time to answer doesn't run while the ping is still on its way to it, however slow
/// the link is. What has arrived is what the transport has taken less what the kernel still holds;
/// a look at that each quarter of the timeout tells a slow link from a dead one. What was written
/// behind the ping is left out of it: on a dead link the kernel goes on taking bytes for a while.
struct AckProbe {
  /// How many looks there are in one timeout.
  private static let looksPerTimeout = 4

  private struct Outstanding {
    /// How many messages of the run the pong will prove.
    var coveredCount: Int
    /// Where the ping ends, in bytes of this link.
    var end: Int
    /// How many of those bytes were known to have arrived at the last look.
    var arrivedCount: Int
    var lastProgress: Instant
    var nextLook: Instant
  }

  private let timeout: Duration
  private var sequence: UInt64 = 0
  private var outstanding: Outstanding?
  /// Bytes of this link that the transport has taken.
  private var takenCount = 0

  init(timeout: Duration) {
    self.timeout = timeout
  }

  var isOutstanding: Bool { outstanding != nil }
  /// When `isLate` wants to be asked.
  var deadline: Instant? { outstanding?.nextLook }

  /// What the next ping carries: `wsii` and eight bytes of a counter, which no other ping has.
  var payload: [UInt8] {
    Array("wsii".utf8)
      + stride(from: 56, through: 0, by: -8).map {
        UInt8(truncatingIfNeeded: sequence >> UInt64($0))
      }
  }

  /// The ping with `payload` stands at the end of `outputCount` bytes that wait for the transport.
  mutating func begin(covering count: Int, outputCount: Int, now: Instant) {
    outstanding = Outstanding(
      coveredCount: count, end: takenCount + outputCount, arrivedCount: takenCount,
      lastProgress: now, nextLook: now + lookInterval)
  }

  /// Takes a pong; returns how many messages are proved to have arrived.
  mutating func take(_ pong: [UInt8]) -> Int? {
    guard let outstanding, pong == payload else { return nil }
    sequence &+= 1
    self.outstanding = nil
    return outstanding.coveredCount
  }

  mutating func transportTook(_ count: Int) {
    takenCount += count
  }

  /// Looks how far the ping has come, and returns whether the server had its time to answer.
  ///
  /// - Parameter unsentByteCount: what the kernel holds; nil if that can't be known, then what it
  ///   has taken counts as arrived.
  mutating func isLate(unsentByteCount: Int?, now: Instant) -> Bool {
    guard var probe = outstanding, now >= probe.nextLook else { return false }
    let arrived = min(takenCount - min(unsentByteCount ?? 0, takenCount), probe.end)
    if arrived > probe.arrivedCount { probe.lastProgress = now }
    probe.arrivedCount = arrived
    let end = probe.lastProgress + timeout
    probe.nextLook = min(now + lookInterval, max(end, now + .milliseconds(1)))
    outstanding = probe
    return now >= end
  }

  /// The server's time to answer begins anew: nobody could have read its pong until now.
  mutating func restart(now: Instant) {
    let look = now + lookInterval
    outstanding?.lastProgress = now
    outstanding?.nextLook = look
  }

  /// The link is gone or closing, and the probe with it.
  mutating func cancel() {
    if outstanding != nil { sequence &+= 1 }
    outstanding = nil
  }

  /// Counts the bytes of a new link.
  mutating func linkBegan() {
    cancel()
    takenCount = 0
  }

  private var lookInterval: Duration {
    max(timeout / Self.looksPerTimeout, .milliseconds(1))
  }
}
