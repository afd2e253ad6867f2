import CLinux
import Glibc
package import Posix

/// Is told of a signal that was sent to the process.
package protocol SignalReceiver: AnyObject {
  func received(_ signal: CInt)
}

/// Signals as events of the loop (signalfd).
///
/// The signals must have been blocked by `SignalMask.block` before the first thread started. Signals
/// that come while one of the same number waits are one.
package final class SignalSource: ReadinessHandler {
  private let loop: EventLoop
  private weak var receiver: (any SignalReceiver)?
  private var descriptor: FileDescriptor?
  private var registration: RegistrationID?

  /// The receiver is not held.
  package init(
    _ signals: [CInt], loop: EventLoop, receiver: any SignalReceiver
  ) throws(SystemError) {
    self.loop = loop
    self.receiver = receiver
    let signals = try SignalMask.descriptor(for: signals)
    let number = signals.number
    descriptor = consume signals
    registration = try loop.add(number, .readable, handler: self)
  }

  /// Stops listening; the signals stay blocked.
  package func close() {
    if let registration { loop.remove(registration) }
    registration = nil
    descriptor = nil
  }

  package func ready(_ readiness: Readiness, on registration: RegistrationID) {
    // The receiver may close the source, hence the question each time.
    while let number = descriptor?.number {
      var info = signalfd_siginfo()
      let result = withUnsafeMutableBytes(of: &info) { IO.read(number, into: $0) }
      guard case .bytes(MemoryLayout<signalfd_siginfo>.size) = result else { return }
      receiver?.received(CInt(truncatingIfNeeded: info.ssi_signo))
    }
  }
}
