package import Timeline

/// When to ask a silent peer for life, and when to take it for dead (RFC 6455, section 5.5.2).
///
/// Any byte from the peer is life, not only a pong. The peer's time to answer starts when the ping
/// has left our queue, and starts again while what stands before it in the queue still moves: behind
/// megabytes on a slow line a ping isn't late. While reading is stopped on purpose the clock stands
/// still, since the answer may be waiting unread.
package struct Keepalive: Sendable {
  package enum Action: Equatable, Sendable {
    case nothing
    case sendPing
    case giveUp
  }

  private let interval: Duration
  private let timeout: Duration
  private var lastLife = Instant(nanoseconds: 0)
  private var pingSince: Instant?
  /// Bytes of output up to the ping's end that the transport hasn't taken.
  private var outputBeforePing = 0
  private var isPaused = false

  /// - Parameters:
  ///   - interval: silence after which a ping is due.
  ///   - timeout: silence after the ping that means the connection is dead.
  package init(interval: Duration = .seconds(20), timeout: Duration = .seconds(10)) {
    self.interval = interval
    self.timeout = timeout
  }

  /// The connection is open, or the peer has sent something.
  mutating func noteLife(_ now: Instant) {
    lastLife = now
    pingSince = nil
  }

  /// The ping asked for stands in the output, with `outputCount` bytes up to its end.
  mutating func notePing(_ now: Instant, outputCount: Int) {
    pingSince = now
    outputBeforePing = outputCount
  }

  /// The transport has taken bytes of the output.
  mutating func noteOutputTaken(_ count: Int, now: Instant) {
    guard pingSince != nil, outputBeforePing > 0 else { return }
    outputBeforePing = max(0, outputBeforePing - count)
    pingSince = now
  }

  mutating func pause() {
    isPaused = true
  }

  mutating func resume(_ now: Instant) {
    isPaused = false
    lastLife = now
    if pingSince != nil { pingSince = now }
  }

  /// When `advance` will have something to do; nil while paused.
  package var nextDeadline: Instant? {
    guard !isPaused else { return nil }
    return pingSince.map { $0 + timeout } ?? lastLife + interval
  }

  /// Says what is due. After a suspend that swallowed both waits the peer still gets its ping.
  func action(at now: Instant) -> Action {
    guard let deadline = nextDeadline, now >= deadline else { return .nothing }
    return pingSince == nil ? .sendPing : .giveUp
  }
}
