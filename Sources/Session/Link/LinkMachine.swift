package import Timeline

/// When to connect, when to wait, when to stop: the life of a connection over many links.
///
/// | state | `begin` | `opened` | `failed` | `failed`, refused | `failed`, reconnecting | `cutWait` | `stop` |
/// |---|---|---|---|---|---|---|---|
/// | idle | connecting | | | | | | ended |
/// | connecting | | online | waiting | refused | waiting 0 s | | ended |
/// | online | | | waiting | refused | waiting 0 s | | ended |
/// | waiting | connecting | | | | | waiting 0 s | ended |
/// | refused | connecting | | | | | refused 0 s | ended |
///
/// `waiting` and `refused` become `ended` at once where the limits say so: no retries left, or a
/// refusal in a run that doesn't wait for better credentials. The machine opens no connection and
/// reads no clock: `failed` returns what follows, and `isDue` says when to `begin` again.
package struct LinkMachine: Sendable {
  package struct Limits: Sendable {
    package var backoff: Backoff.Bounds
    /// How long a link must have lasted to count as a success, which resets the backoff: a server
    /// that accepts and drops at once must not be hammered.
    package var stableAfter: Duration
    /// Failures in a row that are still followed by another attempt; nil: all.
    package var retries: Int?
    /// Whether a refusal parks the connection instead of ending the run.
    package var waitsWhenRefused: Bool
    /// The shortest wait after a refusal, which a person usually has to mend.
    package var refusedWait: Duration

    package init(
      backoff: Backoff.Bounds, stableAfter: Duration, retries: Int?, waitsWhenRefused: Bool,
      refusedWait: Duration = .seconds(60)
    ) {
      self.backoff = backoff
      self.stableAfter = stableAfter
      self.retries = retries
      self.waitsWhenRefused = waitsWhenRefused
      self.refusedWait = refusedWait
    }
  }

  package enum State: Equatable, Sendable {
    case idle
    case connecting
    case online(since: Instant)
    case waiting(until: Instant)
    case refused(until: Instant)
    case ended
  }

  /// What follows a failure.
  package enum Consequence: Equatable, Sendable {
    case retry(after: Duration)
    case parked(retryAfter: Duration)
    /// No further attempt; the end tells which exit status that is.
    case ended
  }

  package private(set) var state = State.idle
  /// Attempts since the last stable link, the present one included.
  package private(set) var attempt = 0
  private var backoff: Backoff
  private let limits: Limits

  package init(limits: Limits) {
    self.limits = limits
    backoff = Backoff(bounds: limits.backoff)
  }

  package var isOnline: Bool {
    if case .online = state { return true }
    return false
  }

  /// Whether the server's last word was no, and somebody has to mend that.
  package var isParked: Bool {
    if case .refused = state { return true }
    return false
  }

  /// When the next attempt is due.
  package var nextDeadline: Instant? {
    switch state {
    case .waiting(let until), .refused(let until): until
    default: nil
    }
  }

  /// Starts an attempt; the caller connects.
  package mutating func begin() {
    guard state != .ended else { return }
    state = .connecting
    attempt += 1
  }

  /// The handshake is done.
  package mutating func opened(now: Instant) {
    guard state == .connecting else { return }
    state = .online(since: now)
  }

  /// The attempt or the link is over. `chance` is uniform over UInt32.
  package mutating func failed(_ end: LinkEnd, now: Instant, chance: UInt32) -> Consequence {
    guard state != .ended else { return .ended }
    if case .online(let since) = state, now - since >= limits.stableAfter {
      backoff.reset()
      attempt = 0
    }
    if end == .reconnecting {
      // Nothing went wrong: no retry is used up, and the backoff stays where it is.
      state = .waiting(until: now)
      return .retry(after: .zero)
    }
    if end.isRefusal {
      guard limits.waitsWhenRefused else { return stop() }
      let wait = max(limits.refusedWait, end.retryAfter ?? .zero)
      state = .refused(until: now + wait)
      return .parked(retryAfter: wait)
    }
    if let retries = limits.retries, backoff.failureCount >= retries { return stop() }
    let wait = max(backoff.nextWait(chance: chance), end.retryAfter ?? .zero)
    state = .waiting(until: now + wait)
    return .retry(after: wait)
  }

  /// Whether the wait is over and `begin` is due.
  package func isDue(now: Instant) -> Bool {
    switch state {
    case .waiting(let until), .refused(let until): now >= until
    default: false
    }
  }

  /// Makes the next attempt due at once (USR1), if there is a wait.
  package mutating func cutWait(now: Instant) {
    switch state {
    case .waiting: state = .waiting(until: now)
    case .refused: state = .refused(until: now)
    default: break
    }
  }

  /// No further attempt.
  @discardableResult
  package mutating func stop() -> Consequence {
    state = .ended
    return .ended
  }
}
