import Timeline

/// Says how fast a client may send: `burst` at once, then `perSecond`.
///
/// It holds one instant, when the bucket is full again; a token taken moves that on by the time
/// that one needs to come back. Who takes more than there is gets into debt and isn't read from until
/// it is paid; beyond two seconds of debt nothing is granted. That bounds both what one large read
/// can hold and how long a client's pings wait.
struct TokenBucket: Sendable {
  enum Outcome: Equatable, Sendable {
    /// Do it; read no more until the instant, if there is one.
    case granted(pauseUntil: Instant?)
    /// Don't; a token is there after the wait.
    case refused(wait: Duration)
  }

  static let maximumDebt = Duration.seconds(2)

  /// How long one token needs to come.
  private let interval: Int64
  /// How long a full bucket needs to.
  private let capacity: Int64
  private var fullAt = Instant(nanoseconds: .min)

  init(_ rate: HubLimits.Rate) {
    // From a billion tokens a second to one in eleven days.
    let perSecond = rate.perSecond > 0.000_001 ? rate.perSecond : 0.000_001
    let nanoseconds = 1_000_000_000 / perSecond
    interval = max(1, Int64(min(nanoseconds, 1_000_000_000_000_000)))
    let (product, overflow) = interval.multipliedReportingOverflow(by: Int64(max(rate.burst, 1)))
    capacity = overflow ? .max / 4 : min(product, .max / 4)
  }

  /// Takes a token.
  mutating func take(_ now: Instant) -> Outcome {
    let next = max(fullAt, now) + .nanoseconds(interval)
    let debt = next - now - .nanoseconds(capacity)
    guard debt <= Self.maximumDebt else { return .refused(wait: debt) }
    fullAt = next
    return .granted(pauseUntil: debt > .zero ? now + debt : nil)
  }

  /// Takes a token for what can't be refused; the debt just doesn't grow beyond its maximum.
  ///
  /// - Returns: until when to read no more, if the client is in debt.
  mutating func charge(_ now: Instant) -> Instant? {
    let most = now + .nanoseconds(capacity) + Self.maximumDebt
    fullAt = min(max(fullAt, now) + .nanoseconds(interval), most)
    let debt = fullAt - now - .nanoseconds(capacity)
    return debt > .zero ? now + debt : nil
  }

  /// Takes a token if there is one.
  mutating func takeIfPresent(_ now: Instant) -> Bool {
    let next = max(fullAt, now) + .nanoseconds(interval)
    guard next - now <= .nanoseconds(capacity) else { return false }
    fullAt = next
    return true
  }

  /// How long it takes until a token is there.
  func wait(_ now: Instant) -> Duration {
    max(.zero, max(fullAt, now) + .nanoseconds(interval) - now - .nanoseconds(capacity))
  }
}
