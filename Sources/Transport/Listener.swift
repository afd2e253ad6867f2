import CLinux
import Glibc
package import Posix
package import Reactor

/// Takes what a listener has accepted.
package protocol ListenerDelegate: AnyObject {
  /// The stream is the delegate's to register and to close.
  func accepted(_ stream: SocketStream, by listener: Listener)
  /// A connection could not be taken: it was closed at once for lack of descriptors, or accepting
  /// failed for a while. The listener goes on.
  func refused(_ error: SystemError, by listener: Listener)
}

/// A listening socket, TCP or Unix.
package final class Listener: ReadinessHandler {
  /// Where it listens; for port 0 with the port that the system has chosen.
  package let address: SocketAddress

  private let loop: EventLoop
  private weak var delegate: (any ListenerDelegate)?
  private var socket: FileDescriptor?
  private var registration: RegistrationID?
  /// Given back for a moment when no descriptor is left, so that a waiting connection can be taken
  /// and closed: left in the queue, it would keep its client waiting for an answer.
  private var spare: FileDescriptor?
  private var createdPath: CreatedPath?

  /// Starts to listen; the delegate is not held.
  ///
  /// A Unix socket gets mode 0600. One that somebody listens on is not stolen: EADDRINUSE, as for a
  /// TCP port; one that nobody listens on any more is replaced. Anything else at the path is left alone.
  package init(
    _ address: SocketAddress, loop: EventLoop, delegate: any ListenerDelegate
  ) throws(SystemError) {
    self.loop = loop
    self.delegate = delegate
    let socket: FileDescriptor
    switch address {
    case .tcp:
      socket = try Self.bindTCP(address)
      self.address = Self.boundAddress(of: socket.number, asked: address)
    case .unix(let path):
      socket = try Self.bindUnix(path)
      createdPath = CreatedPath(path)
      self.address = address
    }
    guard listen(socket.number, SOMAXCONN) == 0 else {
      throw .current("listen", address.description)
    }
    spare = Self.openSpare()
    let number = socket.number
    self.socket = consume socket
    // Edge-triggered: should accepting fail for a while, the loop doesn't spin on what waits.
    registration = try loop.add(number, .readable, .edge, handler: self)
  }

  /// Stops listening, and removes the Unix socket if it is still this one.
  package func close() {
    if let registration { loop.remove(registration) }
    registration = nil
    socket = nil
    spare = nil
    createdPath?.remove()
    createdPath = nil
  }

  package func ready(_ readiness: Readiness, on registration: RegistrationID) {
    // The delegate may close the listener, hence the question each time.
    while let number = socket?.number {
      let accepted = clinux_accept4(
        number, CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue))
      if accepted >= 0 {
        take(FileDescriptor(adopting: accepted))
        continue
      }
      let error = SystemError.current("accept4", address.description)
      switch error.number {
      case EAGAIN: return
      // The client has gone again, or a network error of its own is reported here (accept(2)).
      case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
        EOPNOTSUPP, ENETUNREACH:
        continue
      case EMFILE, ENFILE:
        // Also said when nobody waits, because the descriptor is wanted first.
        guard turnAway(number) else { return }
        delegate?.refused(error, by: self)
      default:
        delegate?.refused(error, by: self)
        return
      }
    }
  }

  private func take(_ socket: consuming FileDescriptor) {
    if case .tcp = address {
      // Fails only when the connection is over already.
      var on: CInt = 1
      _ = setsockopt(
        socket.number, CInt(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<CInt>.size))
    }
    let stream = SocketStream(adopting: socket, peer: "client of \(address)")
    if let delegate { delegate.accepted(stream, by: self) } else { stream.close() }
  }

  /// Takes one waiting connection with the spare descriptor and closes it; false when that failed.
  private func turnAway(_ number: CInt) -> Bool {
    // Without a spare (lost when it could not be opened again) this fails, and what waits is taken
    // when the next connection comes.
    spare = nil
    let accepted = clinux_accept4(number, CInt(SOCK_CLOEXEC.rawValue))
    if accepted >= 0 { _ = FileDescriptor(adopting: accepted) }
    spare = Self.openSpare()
    return accepted >= 0
  }

  private static func openSpare() -> FileDescriptor? {
    // Without it the listener works, only less kindly when descriptors run out.
    do { return try FileDescriptor.open("/dev/null", O_RDONLY) } catch { return nil }
  }

  // MARK: Binding

  private static func bindTCP(_ address: SocketAddress) throws(SystemError) -> FileDescriptor {
    guard let (family, storage, size) = address.systemForm else {
      throw SystemError(call: "bind", object: address.description, number: EADDRNOTAVAIL)
    }
    let socket = try FileDescriptor.socket(family: family)
    // A restart must not wait for connections of the last run to fade away.
    var on: CInt = 1
    let optionSize = socklen_t(MemoryLayout<CInt>.size)
    _ = setsockopt(socket.number, SOL_SOCKET, SO_REUSEADDR, &on, optionSize)
    if family == AF_INET6 {
      // [::]:7717 and 0.0.0.0:7717 are two addresses.
      _ = setsockopt(socket.number, CInt(IPPROTO_IPV6), IPV6_V6ONLY, &on, optionSize)
    }
    let result = withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket.number, $0, size) }
    }
    guard result == 0 else { throw .current("bind", address.description) }
    return socket
  }

  private static func boundAddress(of socket: CInt, asked: SocketAddress) -> SocketAddress {
    guard case .tcp(let host, _) = asked else { return asked }
    var six = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutablePointer(to: &six) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    guard result == 0 else { return asked }
    // The port stands at the same place in both families.
    return .tcp(host: host, port: UInt16(bigEndian: six.sin6_port))
  }

  private static func bindUnix(_ path: String) throws(SystemError) -> FileDescriptor {
    let object = "unix:\(path)"
    let socket = try FileDescriptor.socket(family: AF_UNIX)
    // On Linux the mode set before binding becomes the path's: there is no moment in which others
    // could connect, and the process's umask is left alone.
    guard fchmod(socket.number, 0o600) == 0 else { throw .current("fchmod", object) }
    for isLastTry in [false, true] {
      let result = UnixAddress.with(path) { bind(socket.number, $0, $1) }
      if result == 0 { return socket }
      guard result != nil else {
        throw SystemError(call: "bind", object: object, number: ENAMETOOLONG)
      }
      let error = SystemError.current("bind", object)
      guard error.number == EADDRINUSE, !isLastTry, isDead(path) else { throw error }
      guard unlink(path) == 0 else { throw .current("unlink", path) }
    }
    throw SystemError(call: "bind", object: object, number: EADDRINUSE)
  }

  /// A socket stands at the path, and nobody listens on it.
  private static func isDead(_ path: String) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK,
      let probe = try? FileDescriptor.socket(family: AF_UNIX)
    else { return false }
    let result = UnixAddress.with(path) { connect(probe.number, $0, $1) }
    return result == -1 && errno == ECONNREFUSED
  }
}

/// A path that this process has made, known again by device and inode.
private struct CreatedPath {
  let path: String
  let device: dev_t
  let inode: ino_t

  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    self.path = path
    device = status.st_dev
    inode = status.st_ino
  }

  func remove() {
    // Somebody else's by now is left alone; gone by now is as good.
    guard let now = CreatedPath(path), now.device == device, now.inode == inode else { return }
    _ = unlink(path)
  }
}
