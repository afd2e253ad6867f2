import Glibc
package import Posix

extension SocketStream {
  /// Connects to an address of this machine, and waits for it; for a question at the start of a
  /// program. What may take its time is a `Connector`'s.
  ///
  /// - Parameter address: a TCP address.
  package static func connect(
    to address: SocketAddress, milliseconds: CInt
  ) throws(SystemError) -> SocketStream {
    guard let (family, storage, size) = address.systemForm else {
      throw SystemError(call: "connect", object: address.description, number: EAFNOSUPPORT)
    }
    let socket = try FileDescriptor.socket(family: family)
    let result = withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(socket.number, $0, size)
      }
    }
    var number = result == 0 ? 0 : errno
    if number == EINPROGRESS {
      number = ETIMEDOUT
      if IO.poll(socket.number, for: CInt(POLLOUT), milliseconds: milliseconds) != 0 {
        var length = socklen_t(MemoryLayout<CInt>.size)
        if getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &number, &length) != 0 { number = errno }
      }
    }
    guard number == 0 else {
      throw SystemError(call: "connect", object: address.description, number: number)
    }
    return SocketStream(adopting: socket, peer: address.description)
  }
}
