package import CLinux
import Glibc

/// The one owner of a descriptor; the descriptor is closed when the owner goes.
package struct FileDescriptor: ~Copyable {
  /// The number, to be lent to a call; never to be closed by the borrower.
  package let number: CInt

  /// Takes over a descriptor that some other call has opened.
  package init(adopting number: CInt) {
    self.number = number
  }

  deinit {
    // On Linux the number is free again even after an error, so a second try could close somebody
    // else's descriptor. What a failed close can mean for data is asked by a sync before it.
    _ = Glibc.close(number)
  }

  /// Opens a file, closed on exec; the corresponding C function is `open`.
  ///
  /// - Parameter flags: the access mode and other O_ flags; O_CLOEXEC is added.
  package static func open(
    _ path: String, _ flags: CInt, mode: mode_t = 0o600
  ) throws(SystemError) -> FileDescriptor {
    var number: CInt
    repeat {
      number = Glibc.open(path, flags | O_CLOEXEC, mode)
    } while number < 0 && errno == EINTR
    guard number >= 0 else { throw .current("open", path) }
    return FileDescriptor(adopting: number)
  }

  /// Makes a socket, non-blocking and closed on exec; the corresponding C function is `socket`.
  package static func socket(
    family: CInt, kind: CInt = CInt(SOCK_STREAM.rawValue)
  ) throws(SystemError) -> FileDescriptor {
    let flags = CInt(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    let number = Glibc.socket(family, kind | flags, 0)
    guard number >= 0 else { throw .current("socket", "") }
    return FileDescriptor(adopting: number)
  }

  /// A descriptor that becomes readable when the process ends, closed on exec; the corresponding C
  /// function is `pidfd_open`.
  package static func process(_ id: pid_t) throws(SystemError) -> FileDescriptor {
    let number = clinux_pidfd_open(id)
    guard number >= 0 else { throw .current("pidfd_open", "") }
    return FileDescriptor(adopting: number)
  }

  /// The kind, mode, size and owner of what is open here; the corresponding C function is `fstat`.
  package func status() throws(SystemError) -> stat {
    var result = stat()
    guard fstat(number, &result) == 0 else { throw .current("fstat", "") }
    return result
  }
}

/// A pipe's two ends, closed on exec.
package struct Pipe: ~Copyable {
  package var readEnd: FileDescriptor
  package var writeEnd: FileDescriptor

  /// Keeps the end to read from; the other one is closed.
  package consuming func keepingReadEnd() -> FileDescriptor {
    readEnd
  }

  /// The corresponding C function is `pipe2`.
  ///
  /// - Parameter isBlocking: false sets O_NONBLOCK at both ends.
  package init(isBlocking: Bool = false) throws(SystemError) {
    var ends: (CInt, CInt) = (-1, -1)
    let flags = isBlocking ? O_CLOEXEC : O_CLOEXEC | O_NONBLOCK
    let result = withUnsafeMutableBytes(of: &ends) { bytes in
      clinux_pipe2(bytes.assumingMemoryBound(to: CInt.self).baseAddress, flags)
    }
    guard result == 0 else { throw .current("pipe2", "") }
    readEnd = FileDescriptor(adopting: ends.0)
    writeEnd = FileDescriptor(adopting: ends.1)
  }
}
