package import CLinux
import Glibc

/// The calls that move bytes: each repeats itself after EINTR and turns EAGAIN into a value.
///
/// They take the descriptor's bare number, because some descriptors are owned elsewhere (by libcurl,
/// or by whoever started the process). `object` names the descriptor in an error.
package enum IO {
  /// Reads once; the corresponding C function is `read`.
  package static func read(
    _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer, object: String = ""
  ) -> IOResult {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return incoming(count, of: buffer.count) }
      if let result = failure("read", object) { return result }
    }
  }

  /// Writes once; the corresponding C function is `write`.
  package static func write(
    _ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, object: String = ""
  ) -> IOResult {
    while true {
      let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
      if count >= 0 { return .bytes(count) }
      if let result = failure("write", object) { return result }
    }
  }

  /// Writes several pieces in one call; the corresponding C function is `writev`.
  package static func write(
    _ descriptor: CInt, pieces: UnsafeBufferPointer<iovec>, object: String = ""
  ) -> IOResult {
    while true {
      let count = writev(descriptor, pieces.baseAddress, CInt(clamping: pieces.count))
      if count >= 0 { return .bytes(count) }
      if let result = failure("writev", object) { return result }
    }
  }

  /// Receives from a socket without blocking, whatever the socket's own mode.
  ///
  /// The corresponding C function is `recv` with MSG_DONTWAIT.
  package static func receive(
    _ socket: CInt, into buffer: UnsafeMutableRawBufferPointer, object: String = ""
  ) -> IOResult {
    while true {
      let count = recv(socket, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
      if count >= 0 { return incoming(count, of: buffer.count) }
      if let result = failure("recv", object) { return result }
    }
  }

  /// Sends on a socket without blocking and without SIGPIPE, whatever the socket's own mode.
  ///
  /// The corresponding C function is `send` with MSG_DONTWAIT and MSG_NOSIGNAL.
  package static func send(
    _ socket: CInt, _ bytes: UnsafeRawBufferPointer, object: String = ""
  ) -> IOResult {
    let flags = CInt(MSG_DONTWAIT | MSG_NOSIGNAL)
    while true {
      let count = Glibc.send(socket, bytes.baseAddress, bytes.count, flags)
      if count >= 0 { return .bytes(count) }
      if let result = failure("send", object) { return result }
    }
  }

  /// Ends the sending direction of a connection; the corresponding C function is `shutdown`.
  package static func shutdownWrite(_ socket: CInt) {
    // Fails when the connection is over already, which is what is wanted.
    _ = shutdown(socket, CInt(SHUT_WR))
  }

  /// Waits for a descriptor on its own, at most as long as given; zero asks without waiting.
  ///
  /// The corresponding C function is `poll`. Returns the events that were found, which may include
  /// POLLHUP, POLLERR and POLLNVAL unasked.
  package static func poll(_ descriptor: CInt, for events: CInt, milliseconds: CInt) -> CInt {
    var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    while Glibc.poll(&entry, 1, milliseconds) < 0 {
      // The only other errors are bugs (a bad pointer) or no kernel memory; neither has an answer.
      guard errno == EINTR else { return 0 }
    }
    return CInt(entry.revents)
  }

  private static func incoming(_ count: Int, of size: Int) -> IOResult {
    count == 0 && size > 0 ? .end : .bytes(count)
  }

  /// Nil after EINTR: the call is to be made again.
  private static func failure(_ call: String, _ object: String) -> IOResult? {
    let number = errno
    switch number {
    case EINTR: return nil
    case EAGAIN: return .wouldBlock
    default: return .failed(SystemError(call: call, object: object, number: number))
    }
  }
}
