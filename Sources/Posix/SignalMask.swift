package import CLinux
import Glibc

/// The signals that a process takes from a descriptor instead of by interruption.
package enum SignalMask {
  /// Blocks signals for this thread and for all that it starts later.
  ///
  /// To be called before any thread exists: libcurl's resolver threads inherit the mask, and a signal
  /// that any thread doesn't block would be delivered there, with its default effect.
  package static func block(_ signals: [CInt]) {
    var set = makeSet(signals)
    _ = pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Gives a child between fork and exec what a program expects: nothing blocked, and the default
  /// effects. (Ignored signals stay ignored over an exec, and a shell pipeline needs SIGPIPE.)
  ///
  /// With posix_spawn the same is said by POSIX_SPAWN_SETSIGMASK and POSIX_SPAWN_SETSIGDEF.
  package static let ignoredSignals = [SIGPIPE, SIGXFSZ]

  /// A descriptor that the blocked signals are read from; the corresponding C function is `signalfd`.
  package static func descriptor(for signals: [CInt]) throws(SystemError) -> FileDescriptor {
    var set = makeSet(signals)
    let number = signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
    guard number >= 0 else { throw .current("signalfd", "") }
    return FileDescriptor(adopting: number)
  }

  package static func makeSet(_ signals: [CInt]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
