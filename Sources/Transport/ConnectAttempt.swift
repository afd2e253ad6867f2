import Posix
import Timeline

/// Is told, once, how an attempt to connect has ended; never from within `connect` itself.
package protocol ConnectAttemptDelegate: AnyObject {
  /// The connection stands, and is the delegate's to register and to close.
  func connected(_ attempt: ConnectAttempt, _ stream: any ByteStream)
  func failed(_ attempt: ConnectAttempt, _ error: TransportError)
}

/// One attempt to connect, until it is told to its delegate or cancelled.
package final class ConnectAttempt {
  package let target: TransportTarget
  let easy: CurlEasy?
  /// Known before anything was tried (a bad option, no library).
  let earlyFailure: TransportError?
  let deadline: Instant
  weak var delegate: (any ConnectAttemptDelegate)?
  weak var connector: Connector?

  init(
    target: TransportTarget, easy: CurlEasy?, earlyFailure: TransportError?, deadline: Instant,
    delegate: any ConnectAttemptDelegate, connector: Connector
  ) {
    self.target = target
    self.easy = easy
    self.earlyFailure = earlyFailure
    self.deadline = deadline
    self.delegate = delegate
    self.connector = connector
  }

  /// Ends the attempt in whatever phase, at once and without a word to the delegate.
  ///
  /// Harmless when it has ended already.
  package func cancel() {
    connector?.forget(self)
  }
}
