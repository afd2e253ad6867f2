/// A point on a clock that never steps back and goes on while the machine sleeps (CLOCK_BOOTTIME).
///
/// The core never reads a clock: whoever calls it passes the present instant in, so a test or a
/// simulation runs on any time it likes.
package struct Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since an origin that means nothing outside this boot.
  package var nanoseconds: Int64

  @inlinable
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  @inlinable
  package static func < (left: Instant, right: Instant) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The instant after a while; a wait too long to be represented ends at the far end of time.
  package static func + (start: Instant, wait: Duration) -> Instant {
    let (sum, overflow) = start.nanoseconds.addingReportingOverflow(wait.wholeNanoseconds)
    guard overflow else { return Instant(nanoseconds: sum) }
    return Instant(nanoseconds: wait < .zero ? .min : .max)
  }

  /// The time from one instant to another; negative when `start` is the later one.
  package static func - (end: Instant, start: Instant) -> Duration {
    let (difference, overflow) = end.nanoseconds.subtractingReportingOverflow(start.nanoseconds)
    guard overflow else { return .nanoseconds(difference) }
    return .nanoseconds(end > start ? Int64.max : Int64.min)
  }
}

extension Duration {
  /// The duration in nanoseconds, held at the ends of Int64 (292 years) where it does not fit.
  package var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflowAgain) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    guard overflow || overflowAgain else { return sum }
    return seconds < 0 ? .min : .max
  }

  /// The duration in milliseconds, rounded toward zero.
  package var wholeMilliseconds: Int64 {
    wholeNanoseconds / 1_000_000
  }
}

extension Duration {
  /// The duration for people: `250 ms`, `1.5 s`, `40 s`.
  package var shortText: String {
    let milliseconds = wholeMilliseconds
    if abs(milliseconds) < 1000 { return "\(milliseconds) ms" }
    let tenths = milliseconds / 100
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(abs(tenths % 10)) s"
  }
}
