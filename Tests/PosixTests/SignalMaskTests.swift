import CLinux
import Glibc
import Posix
import Testing

/// Each in a process of its own.
@Suite("Signals can be blocked for a descriptor to take them")
struct SignalMaskTests {
  @Test("a blocked signal waits, also in threads that are started later")
  func blocks() async {
    await #expect(processExitsWith: .exitCode(7)) {
      // The process that started this one may have blocked some.
      var empty = sigset_t()
      pthread_sigmask(SIG_SETMASK, &empty, nil)
      SignalMask.block([SIGUSR1, SIGUSR2])
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        { _ in
          var mask = sigset_t()
          pthread_sigmask(SIG_BLOCK, nil, &mask)
          let isBlocked = sigismember(&mask, SIGUSR1) == 1 && sigismember(&mask, SIGHUP) == 0
          return UnsafeMutableRawPointer(bitPattern: isBlocked ? 1 : 0)
        }, nil)
      var result: UnsafeMutableRawPointer?
      pthread_join(thread, &result)
      raise(SIGUSR2)
      var set = sigset_t()
      sigemptyset(&set)
      sigaddset(&set, SIGUSR2)
      var taken: CInt = 0
      sigwait(&set, &taken)
      exit(result != nil && taken == SIGUSR2 ? 7 : 1)
    }
  }

  @Test("a child is started with nothing blocked and SIGPIPE's default")
  func restoresDefaults() async {
    await #expect(processExitsWith: .exitCode(7)) {
      ProcessStart.ignoreSignalsOfWrites()
      SignalMask.block([SIGTERM])
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      SignalMask.setDefaults(&attributes)
      posix_spawnattr_setflags(
        &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
      // SIGTERM is bit 14, SIGPIPE bit 12, SIGXFSZ bit 24 of the masks (proc_pid_status(5)).
      let script =
        "grep -Eq '^SigBlk:.*000$' /proc/self/status && "
        + "grep -Eq '^SigIgn:.*[02468ace][0-9a-f]{2}[01234567][0-9a-f]{2}$' /proc/self/status && exit 5"
      let texts = ["sh", "-c", script]
      var arguments = texts.map { strdup($0) } + [nil]
      var process: pid_t = 0
      posix_spawn(&process, "/bin/sh", nil, &attributes, &arguments, environ)
      posix_spawnattr_destroy(&attributes)
      for argument in arguments { free(argument) }
      var status: CInt = 0
      waitpid(process, &status, 0)
      exit(status == 5 << 8 ? 7 : 1)
    }
  }
}
