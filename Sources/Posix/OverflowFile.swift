import CLinux
import Glibc

/// A queue of bytes on disk, without a name and bounded, for what memory should not hold.
///
/// It is a ring: positions only grow, and a byte stands at its position modulo the limit, so that a
/// queue that is never quite empty doesn't grow the file. Empty, it gives its disk space back.
package final class OverflowFile {
  /// The most bytes it holds.
  package let limit: Int
  private let file: FileDescriptor
  private var head = 0
  private var tail = 0

  /// Makes the file in a directory: without a name (O_TMPFILE) where the file system can, otherwise
  /// with a name that is removed at once.
  ///
  /// - Parameter directory: nil stands for `$TMPDIR`, or /var/tmp: /tmp may be memory.
  package init(limit: Int, directory: String? = nil) throws(SystemError) {
    precondition(limit > 0, "an overflow file needs room")
    self.limit = limit
    let directory = directory ?? Self.defaultDirectory
    do {
      file = try FileDescriptor.open(directory, clinux_O_TMPFILE | O_RDWR, mode: 0o600)
    } catch {
      // EOPNOTSUPP: not on this file system; EISDIR, ENOENT: not in this kernel (open(2)).
      guard [EOPNOTSUPP, EISDIR, ENOENT, EINVAL].contains(error.number) else { throw error }
      file = try Self.makeAndUnlink(in: directory)
    }
  }

  init(limit: Int, file: consuming FileDescriptor) {
    self.limit = limit
    self.file = file
  }

  /// The file's size on disk.
  var size: Int {
    do { return Int(try file.status().st_size) } catch { return 0 }
  }

  /// The bytes that wait.
  package var count: Int {
    tail - head
  }

  package var isEmpty: Bool {
    count == 0
  }

  /// Adds bytes at the end: all of them, or none.
  ///
  /// Returns false when they would exceed the limit. When writing fails (a full disk), none has been
  /// added either.
  package func append(_ bytes: UnsafeRawBufferPointer) throws(SystemError) -> Bool {
    guard bytes.count <= limit - count else { return false }
    var done = 0
    while done < bytes.count {
      let offset = (tail + done) % limit
      let length = min(bytes.count - done, limit - offset)
      let piece = UnsafeRawBufferPointer(rebasing: bytes[done..<done + length])
      let written = pwrite(file.number, piece.baseAddress, length, off_t(offset))
      if written < 0 {
        if errno == EINTR { continue }
        throw .current("pwrite", "overflow file")
      }
      done += written
    }
    tail += bytes.count
    return true
  }

  /// Takes bytes from the front, up to the buffer's size; returns how many, 0 when empty.
  ///
  /// After a failed read nothing has been taken.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    let wanted = min(buffer.count, count)
    var done = 0
    while done < wanted {
      let offset = (head + done) % limit
      let length = min(wanted - done, limit - offset)
      let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + length])
      let found = pread(file.number, piece.baseAddress, length, off_t(offset))
      if found < 0 {
        if errno == EINTR { continue }
        throw .current("pread", "overflow file")
      }
      // Only somebody who truncates the file through /proc can make it end here.
      guard found > 0 else {
        throw SystemError(call: "pread", object: "overflow file", number: EIO)
      }
      done += found
    }
    head += wanted
    if isEmpty { reset() }
    return wanted
  }

  private func reset() {
    if tail == 0 { return }
    (head, tail) = (0, 0)
    // A failure would only keep the disk space until the next time.
    _ = ftruncate(file.number, 0)
  }

  private static var defaultDirectory: String {
    if let path = getenv("TMPDIR"), path.pointee != 0 { return String(cString: path) }
    return "/var/tmp"
  }

  static func makeAndUnlink(in directory: String) throws(SystemError) -> FileDescriptor {
    var template = Array("\(directory)/wsii.XXXXXX".utf8CString)
    let number = clinux_mkostemp(&template, O_CLOEXEC)
    guard number >= 0 else { throw .current("mkostemp", directory) }
    _ = unlink(&template)
    return FileDescriptor(adopting: number)
  }
}
