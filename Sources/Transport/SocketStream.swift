import Glibc
package import Posix

/// A socket of our own, such as one that a listener accepted.
package final class SocketStream: ByteStream {
  private var socket: FileDescriptor?
  package let descriptor: CInt
  private let peer: String

  /// Takes over a connected socket.
  ///
  /// - Parameter peer: how errors name the other side.
  package init(adopting socket: consuming FileDescriptor, peer: String) {
    descriptor = socket.number
    self.socket = consume socket
    self.peer = peer
  }

  package var mayHoldInput: Bool {
    false
  }

  package func receive(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
    guard socket != nil else { return .end }
    return IO.receive(descriptor, into: buffer, object: peer)
  }

  package func send(_ bytes: UnsafeRawBufferPointer) -> IOResult {
    guard socket != nil else {
      return .failed(SystemError(call: "send", object: peer, number: EPIPE))
    }
    return IO.send(descriptor, bytes, object: peer)
  }

  package func shutdownWrite() {
    if socket != nil { IO.shutdownWrite(descriptor) }
  }

  package func close() {
    socket = nil
  }
}
