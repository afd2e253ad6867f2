import Glibc
import Posix
import Testing

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
      var set = SignalMask.makeSet([SIGUSR2])
      var taken: CInt = 0
      sigwait(&set, &taken)
      exit(result != nil && taken == SIGUSR2 ? 7 : 1)
    }
  }
}
