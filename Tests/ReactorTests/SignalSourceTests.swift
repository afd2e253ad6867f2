import CLinux
import Glibc
import Posix
import Reactor
import TestSupport
import Testing

private final class Receiver: SignalReceiver {
  private(set) var signals: [CInt] = []
  var action: (() -> Void)?

  func received(_ signal: CInt) {
    signals.append(signal)
    action?()
  }
}

/// The signals go to this thread only: a test process has others, which don't block them.
@Suite("Signals are events of the loop", .serialized)
struct SignalSourceTests {
  @Test("blocked signals arrive through the loop, in the order of their numbers")
  func receives() throws {
    // The thread is the test runner's: it gets its mask back.
    var old = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &old)
    defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
    SignalMask.block([SIGUSR1, SIGUSR2, SIGHUP])
    let loop = try EventLoop()
    let receiver = Receiver()
    let source = try SignalSource([SIGUSR1, SIGHUP, SIGUSR2], loop: loop, receiver: receiver)
    for signal in [SIGUSR1, SIGHUP, SIGUSR1] { pthread_kill(pthread_self(), signal) }
    try loop.turn { receiver.signals.count >= 2 }
    #expect(receiver.signals == [SIGHUP, SIGUSR1])
    // The receiver may close the source while it is told.
    receiver.action = { source.close() }
    pthread_kill(pthread_self(), SIGUSR1)
    pthread_kill(pthread_self(), SIGUSR2)
    try loop.turn { receiver.signals.count >= 3 }
    #expect(receiver.signals == [SIGHUP, SIGUSR1, SIGUSR1])
    #expect(loop.registrationCount == 0)
    receiver.action = nil
    // Takes the last one away, which would end the process if this thread ever unblocked it.
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGUSR2)
    var none = timespec()
    #expect(sigtimedwait(&set, nil, &none) == SIGUSR2)
    loop.close()
  }
}
