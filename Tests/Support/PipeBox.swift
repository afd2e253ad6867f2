import Glibc
package import Posix

/// A pipe whose ends can be closed one by one.
package final class PipeBox {
  private var reader: FileDescriptor?
  private var writer: FileDescriptor?

  package init(isBlocking: Bool = false) throws {
    let pipe = try Pipe(isBlocking: isBlocking)
    reader = FileDescriptor(adopting: fcntl(pipe.readEnd.number, F_DUPFD_CLOEXEC, 3))
    writer = FileDescriptor(adopting: fcntl(pipe.writeEnd.number, F_DUPFD_CLOEXEC, 3))
  }

  package var readEnd: CInt { reader?.number ?? -1 }
  package var writeEnd: CInt { writer?.number ?? -1 }

  package func closeReadEnd() { reader = nil }
  package func closeWriteEnd() { writer = nil }

  /// Writes a text that the pipe has room for.
  package func write(_ text: String) {
    let result = Array(text.utf8).withUnsafeBytes { IO.write(writeEnd, $0) }
    precondition(result == .bytes(text.utf8.count), "the pipe took only \(result)")
  }

  /// Reads once, up to 64 bytes.
  @discardableResult
  package func read() -> IOResult {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { IO.read(readEnd, into: $0) }
  }
}
