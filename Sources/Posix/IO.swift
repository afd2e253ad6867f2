import CLinux
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
    var count: Int
    repeat {
      count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
    } while count < 0 && errno == EINTR
    return count < 0 ? failure("read", object) : incoming(count, of: buffer.count)
  }

  /// Writes once; the corresponding C function is `write`.
  package static func write(
    _ descriptor: CInt, _ bytes: UnsafeRawBufferPointer, object: String = ""
  ) -> IOResult {
    var count: Int
    repeat {
      count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    } while count < 0 && errno == EINTR
    return count < 0 ? failure("write", object) : .bytes(count)
  }

  /// Receives from a socket without blocking, whatever the socket's own mode.
  ///
  /// The corresponding C function is `recv` with MSG_DONTWAIT.
  package static func receive(
    _ socket: CInt, into buffer: UnsafeMutableRawBufferPointer, object: String = ""
  ) -> IOResult {
    var count: Int
    repeat {
      count = recv(socket, buffer.baseAddress, buffer.count, CInt(MSG_DONTWAIT))
    } while count < 0 && errno == EINTR
    return count < 0 ? failure("recv", object) : incoming(count, of: buffer.count)
  }

  /// Sends on a socket without blocking and without SIGPIPE, whatever the socket's own mode.
  ///
  /// The corresponding C function is `send` with MSG_DONTWAIT and MSG_NOSIGNAL.
  package static func send(
    _ socket: CInt, _ bytes: UnsafeRawBufferPointer, object: String = ""
  ) -> IOResult {
    let flags = CInt(MSG_DONTWAIT | MSG_NOSIGNAL)
    var count: Int
    repeat {
      count = Glibc.send(socket, bytes.baseAddress, bytes.count, flags)
    } while count < 0 && errno == EINTR
    return count < 0 ? failure("send", object) : .bytes(count)
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
    // The only other errors are bugs (a bad pointer) or no kernel memory; nothing is found then.
    while Glibc.poll(&entry, 1, milliseconds) < 0 && errno == EINTR {}
    return CInt(entry.revents)
  }

  private static func incoming(_ count: Int, of size: Int) -> IOResult {
    count == 0 && size > 0 ? .end : .bytes(count)
  }

  private static func failure(_ call: String, _ object: String) -> IOResult {
    let number = errno
    if number == EAGAIN { return .wouldBlock }
    return .failed(SystemError(call: call, object: object, number: number))
  }
}
