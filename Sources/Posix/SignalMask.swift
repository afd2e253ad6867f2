import CLinux
package import Glibc

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

  /// Lets a child begin as a program expects: nothing blocked, and default effects for the signals
  /// that are ignored here. (Ignored signals stay ignored over an exec, and a shell's pipeline needs
  /// SIGPIPE.) The corresponding C functions are `posix_spawnattr_setsigmask` and `…_setsigdefault`;
  /// the flags for both are the caller's to set.
  package static func setDefaults(_ attributes: inout posix_spawnattr_t) {
    var none = makeSet([])
    var ignored = makeSet([SIGPIPE, SIGXFSZ])
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &ignored)
  }

  /// A descriptor that the blocked signals are read from; the corresponding C function is `signalfd`.
  package static func descriptor(for signals: [CInt]) throws(SystemError) -> FileDescriptor {
    var set = makeSet(signals)
    let number = signalfd(-1, &set, CInt(SFD_CLOEXEC | SFD_NONBLOCK))
    guard number >= 0 else { throw .current("signalfd", "") }
    return FileDescriptor(adopting: number)
  }

  /// Not for other targets: with CLinux imported, the compiler takes `sigset_t` for CLinux's or for
  /// Glibc's by the kind of build, and a signature that holds it only compiles in one of them.
  static func makeSet(_ signals: [CInt]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    return set
  }
}
