import CLinux
import Glibc
import Posix
import Timeline

/// One timerfd on CLOCK_BOOTTIME: it fires at an instant, also one that passed while the machine
/// slept. (A timeout given to epoll_wait stands still during a suspend.)
struct DeadlineTimer: ~Copyable {
  private let descriptor: FileDescriptor
  private var armedFor: Instant?

  init() throws(SystemError) {
    let number = timerfd_create(CLOCK_BOOTTIME, CInt(TFD_CLOEXEC | TFD_NONBLOCK))
    guard number >= 0 else { throw .current("timerfd_create", "") }
    descriptor = FileDescriptor(adopting: number)
  }

  var number: CInt {
    descriptor.number
  }

  /// Makes sure that the timer fires at the instant, or before.
  ///
  /// A keepalive moves its deadline forward with every message: while the timer is armed for an
  /// earlier instant it is left alone, which saves a system call a turn for one early wake-up.
  mutating func arm(for deadline: Instant) {
    if let armedFor, armedFor <= deadline { return }
    // Zero would disarm; the clock is never there.
    let nanoseconds = max(deadline.nanoseconds, 1)
    var setting = itimerspec()
    setting.it_value.tv_sec = Int(nanoseconds / 1_000_000_000)
    setting.it_value.tv_nsec = Int(nanoseconds % 1_000_000_000)
    // Fails only for a bad descriptor or a value out of range, and these are neither.
    _ = timerfd_settime(descriptor.number, CInt(TFD_TIMER_ABSTIME), &setting, nil)
    armedFor = deadline
  }

  mutating func hasFired() {
    armedFor = nil
  }
}
