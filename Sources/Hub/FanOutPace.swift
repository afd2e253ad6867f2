package import Timeline

/// Decides when what many clients are told at once goes out.
///
/// A call of the system for each frame of each client costs a hub twenty times what the frame itself
/// does (2.5 µs, and 0.1 µs in a call with many others). A few frames are worth that: they go out with
/// the turn that made them. Once there are more than `threshold` in a window, which no reader of a
/// room could follow anyway, they wait for each other until the window ends.
///
/// | earlier frames of this window, or all of the one before | go out |
/// |---|---|
/// | up to `threshold` | at once |
/// | more | at the window's end |
package struct FanOutPace {
  /// As long as a person takes to notice that something was late.
  package static let window = Duration.milliseconds(100)
  /// A room of 40 people in which 50 messages a second are said is told all of them at once.
  package static let threshold = 200

  private var windowEnd = Instant(nanoseconds: .min)
  private var count = 0
  private var previousCount = 0
  private var isBusy = false

  package init() {}

  /// So many frames were queued.
  package mutating func note(_ frames: Int, _ now: Instant) {
    if now >= windowEnd {
      previousCount = now < windowEnd + Self.window ? count : 0
      count = 0
      windowEnd = now + Self.window
    }
    isBusy = max(count, previousCount) > Self.threshold
    count = frames > .max - count ? .max : count + frames
  }

  /// When what was queued last is to go out, `now` if at once.
  package func due(_ now: Instant) -> Instant {
    isBusy ? max(windowEnd, now) : now
  }
}
