import Glibc
package import Timeline

/// The clock for waits: never set back, and running on while the machine sleeps.
package enum MonotonicClock {
  /// The present instant; the corresponding C function is `clock_gettime` of CLOCK_BOOTTIME.
  package static func now() -> Instant {
    var time = timespec()
    // Fails only for a clock that the kernel doesn't know; CLOCK_BOOTTIME is older than epoll_pwait.
    _ = clock_gettime(CLOCK_BOOTTIME, &time)
    return Instant(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }
}

/// The clock on the wall, for what is shown and stored; it may be set at any moment.
package enum WallClock {
  /// The present time; the corresponding C function is `clock_gettime` of CLOCK_REALTIME.
  package static func now() -> Timestamp {
    var time = timespec()
    _ = clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(
      unixMilliseconds: Int64(time.tv_sec) &* 1000 &+ Int64(time.tv_nsec) / 1_000_000)
  }
}
