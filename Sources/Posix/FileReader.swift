import CLinux
import Glibc
import Timeline

/// A small file, such as a configuration or a token, read as a whole.
package struct FileContents: Equatable, Sendable {
  package let bytes: [UInt8]
  /// The permission bits.
  package let mode: UInt32
  /// False for a pipe, whose bytes come once.
  package let isRegularFile: Bool

  /// Group or others may read it, which a secret's file should not allow. False for anything that is
  /// no regular file: a pipe of our own says nothing by its mode.
  package var isReadableByOthers: Bool { isRegularFile && mode & 0o044 != 0 }
}

/// Why a small file was not read.
package enum FileError: Error, Equatable, Sendable, CustomStringConvertible {
  case system(SystemError)
  case tooLarge(path: String, limit: Int)
  /// Its writer gave neither bytes nor an end in time; only a pipe or terminal can.
  case noEnd(path: String)

  package var description: String {
    switch self {
    case .system(let error): error.description
    case .tooLarge(let path, let limit): "\(path): larger than \(limit) bytes"
    case .noEnd(let path): "\(path): no end in time"
    }
  }
}

/// Reads small files.
package enum FileReader {
  /// Reads a file to its end.
  ///
  /// Pipes are fine (`--token-file <(pass show chat)`), and waited for, at most so long.
  ///
  /// - Parameters:
  ///   - limit: more bytes are refused.
  ///   - patience: how long a pipe is waited for.
  ///   - followsLinks: false refuses a path whose last part is a symbolic link (ELOOP).
  package static func read(
    _ path: String, limit: Int = 1 << 20, followsLinks: Bool = true,
    patience: Duration = .seconds(5)
  ) throws(FileError) -> FileContents {
    // Non-blocking, so that a FIFO without a writer doesn't hang the open.
    let flags = O_RDONLY | O_NOCTTY | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
    let file = try open(path, flags)
    let bytes = try readToEnd(file.descriptor.number, path, limit, MonotonicClock.now() + patience)
    return FileContents(
      bytes: bytes, mode: UInt32(file.status.st_mode) & 0o7777,
      isRegularFile: file.status.st_mode & S_IFMT == S_IFREG)
  }

  private struct OpenFile: ~Copyable {
    let status: stat
    let descriptor: FileDescriptor
  }

  private static func open(
    _ path: String, _ flags: CInt
  ) throws(FileError) -> OpenFile {
    do {
      let descriptor = try FileDescriptor.open(path, flags)
      return OpenFile(status: try descriptor.status(), descriptor: descriptor)
    } catch {
      throw .system(error)
    }
  }

  private static func readToEnd(
    _ number: CInt, _ path: String, _ limit: Int, _ deadline: Instant
  ) throws(FileError) -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      switch buffer.withUnsafeMutableBytes({ IO.read(number, into: $0, object: path) }) {
      case .bytes(let count):
        guard count <= limit - result.count else { throw .tooLarge(path: path, limit: limit) }
        result.append(contentsOf: buffer[..<count])
      case .end: return result
      case .wouldBlock:
        let left = (deadline - MonotonicClock.now()).wholeMilliseconds
        guard left > 0 else { throw .noEnd(path: path) }
        _ = IO.poll(number, for: CInt(POLLIN), milliseconds: CInt(clamping: left))
      case .failed(let error): throw .system(error)
      }
    }
  }
}
