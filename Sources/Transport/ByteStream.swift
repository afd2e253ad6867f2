package import Posix

/// An open connection that moves bytes both ways and never blocks: a plain socket, TLS through
/// libcurl, or a socket that a listener accepted. One owner, who closes it.
///
/// The owner registers `descriptor` with its event loop, best edge-triggered for reading and writing
/// at once: then it receives until `.wouldBlock` or `.end`, and sends until `.wouldBlock`.
package protocol ByteStream: AnyObject {
  /// What to register; valid until `close()`. Never to be read, written or closed directly.
  var descriptor: CInt { get }

  /// Received bytes may wait inside where epoll can't see them (decrypted by TLS): after a receive
  /// that was not answered by `.wouldBlock` or `.end`, ask again before waiting for readiness.
  var mayHoldInput: Bool { get }

  /// Receives what is there, up to the buffer's size.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> IOResult

  /// Sends from the start of the bytes as much as is taken now.
  ///
  /// After `.wouldBlock` the next send must begin with the same bytes (TLS may have encrypted them
  /// already) and have no fewer; they need not lie at the same address. After `.failed` a receive may
  /// still tell the peer's last words, such as the alert that says why TLS was ended.
  func send(_ bytes: UnsafeRawBufferPointer) -> IOResult

  /// Tells the peer that nothing more will be sent, while receiving goes on.
  ///
  /// Over TLS nothing is told before `close()`: libcurl has no call for it.
  func shutdownWrite()

  /// Ends the connection at once; again is harmless. The registration is removed before.
  func close()
}
