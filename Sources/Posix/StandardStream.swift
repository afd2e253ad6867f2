import CLinux
import Glibc

/// Standard input, output or error, used without blocking and without changing it for others.
///
/// O_NONBLOCK belongs to the open file description, which the parent and its other children share:
/// set there, it makes their reads and writes fail. So a pipe, FIFO, terminal or device is opened
/// anew through /proc/self/fd/N, a socket is used with MSG_DONTWAIT, and a regular file, which never
/// says "would block", is used as it is. Where opening anew is refused (another user's terminal, a
/// FIFO whose reader has gone), each call asks poll(2) first and moves no more than a pipe takes whole.
package final class StandardStream {
  package enum Kind: Equatable, Sendable {
    case regularFile
    /// A pipe or FIFO.
    case pipe
    case terminal
    /// A device that is no terminal, such as /dev/null.
    case device
    case socket
    case other
  }

  package enum Direction: Sendable {
    case input
    case output
  }

  package let kind: Kind
  /// What to register with the loop.
  package let descriptor: CInt
  /// `stdin`, `stdout` or `stderr`.
  package let name: String

  private let standard: CInt
  private var reopened: FileDescriptor?
  private let way: Way
  private var isOpen = true

  private enum Way {
    /// On a description of our own with O_NONBLOCK, or on a file that never blocks.
    case direct
    /// `recv` and `send`.
    case socket
    /// `poll` first, then a bounded read or write on the shared description.
    case asking
  }

  /// - Parameters:
  ///   - standard: the descriptor's number, usually 0, 1 or 2; it stays the process's.
  ///   - mayOpenAnew: false shares the description in any case.
  package init(
    _ standard: CInt, _ direction: Direction, mayOpenAnew: Bool = true
  ) throws(SystemError) {
    self.standard = standard
    name =
      switch standard {
      case STDIN_FILENO: "stdin"
      case STDOUT_FILENO: "stdout"
      case STDERR_FILENO: "stderr"
      default: "descriptor \(standard)"
      }
    var status = stat()
    guard fstat(standard, &status) == 0 else { throw .current("fstat", name) }
    kind = Self.kind(of: standard, status)
    var own: FileDescriptor?
    switch kind {
    case .regularFile: way = .direct
    case .socket: way = .socket
    case .pipe, .terminal, .device, .other:
      own = mayOpenAnew ? Self.openAnew(standard, direction, kind) : nil
      way = own == nil ? .asking : .direct
    }
    descriptor = own?.number ?? standard
    reopened = own
  }

  /// Reads what is there, up to the buffer's size.
  ///
  /// To be read until `.wouldBlock` or `.end`, or at least asked again when reading resumes: a pipe
  /// whose writers have gone may say so only to a read.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
    guard isOpen else { return .end }
    switch way {
    case .direct: return IO.read(descriptor, into: buffer, object: name)
    case .socket: return IO.receive(descriptor, into: buffer, object: name)
    case .asking:
      let found = IO.poll(descriptor, for: CInt(POLLIN), milliseconds: 0)
      if found == 0 { return .wouldBlock }
      // A read of what is there doesn't wait for more to fill the buffer.
      return IO.read(descriptor, into: buffer, object: name)
    }
  }

  /// Writes as much as is taken now.
  package func write(_ bytes: UnsafeRawBufferPointer) -> IOResult {
    guard isOpen else {
      return .failed(SystemError(call: "write", object: name, number: EBADF))
    }
    switch way {
    case .direct: return IO.write(descriptor, bytes, object: name)
    case .socket: return IO.send(descriptor, bytes, object: name)
    case .asking:
      let found = IO.poll(descriptor, for: CInt(POLLOUT), milliseconds: 0)
      if found == 0 { return .wouldBlock }
      // A pipe that polls writable has room for a page (pipe(7)); more could block.
      let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(PIPE_BUF)))
      return IO.write(descriptor, piece, object: name)
    }
  }

  /// Whether two streams lead to the same pipe, file, terminal or socket.
  package func isSame(as other: StandardStream) -> Bool {
    var own = stat()
    var its = stat()
    guard fstat(descriptor, &own) == 0, fstat(other.descriptor, &its) == 0 else { return false }
    return own.st_dev == its.st_dev && own.st_ino == its.st_ino
  }

  /// Whether the stream is on a description of our own, or can't block (for tests and diagnosis).
  package var isIndependent: Bool {
    way != .asking
  }

  /// Lets go of the stream, so that the other end sees it: /dev/null takes the standard number's
  /// place, which must not become a socket's. The registration is removed before.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    let null = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
    if null >= 0 {
      // dup2 leaves the copy open on exec, as a standard stream should be.
      _ = dup2(null, standard)
      _ = Glibc.close(null)
    }
    reopened = nil
  }

  private static func kind(of descriptor: CInt, _ status: stat) -> Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .regularFile
    case S_IFIFO: .pipe
    case S_IFSOCK: .socket
    case S_IFCHR: isatty(descriptor) == 1 ? .terminal : .device
    default: .other
    }
  }

  private static func openAnew(
    _ standard: CInt, _ direction: Direction, _ kind: Kind
  ) -> FileDescriptor? {
    let mode = direction == .input ? O_RDONLY : O_WRONLY
    let flags = mode | O_NONBLOCK | O_NOCTTY
    guard let own = try? FileDescriptor.open("/proc/self/fd/\(standard)", flags) else { return nil }
    if kind == .pipe && direction == .input {
      // A named FIFO opened after its last writer has gone never reports the hang-up, even with
      // bytes left in it (fs/pipe.c, fifo_open); the description that was open before does. And
      // without a writer no read of it blocks.
      let found = IO.poll(standard, for: 0, milliseconds: 0)
      if found & CInt(POLLHUP) != 0 { return nil }
    }
    return own
  }
}
