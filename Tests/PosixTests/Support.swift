import Glibc
import Posix

/// A directory of its own for one test, removed with what is in it.
final class Scratch {
  let path: String

  init() {
    var template = Array("/tmp/wsii-test.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no scratch directory") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        _ = unlink("\(path)/\(name)")
      }
      closedir(directory)
    }
    rmdir(path)
  }

  func file(_ name: String, _ content: String = "", mode: mode_t = 0o600) -> String {
    let result = "\(path)/\(name)"
    do {
      let file = try FileDescriptor.open(result, O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
      _ = fchmod(file.number, mode)
      _ = IO.write(file.number, Array(content.utf8))
    } catch { fatalError("\(error)") }
    return result
  }
}

extension IO {
  static func write(_ descriptor: CInt, _ bytes: [UInt8]) -> IOResult {
    bytes.withUnsafeBytes { write(descriptor, $0) }
  }

  static func send(_ descriptor: CInt, _ bytes: [UInt8]) -> IOResult {
    bytes.withUnsafeBytes { send(descriptor, $0) }
  }

  /// The result, and the bytes as text.
  static func read(_ descriptor: CInt, _ size: Int = 64) -> (IOResult, String) {
    take(size) { read(descriptor, into: $0, object: "x") }
  }

  static func receive(_ descriptor: CInt, _ size: Int = 64) -> (IOResult, String) {
    take(size) { receive(descriptor, into: $0, object: "x") }
  }

  static func take(
    _ size: Int = 64, _ call: (UnsafeMutableRawBufferPointer) -> IOResult
  ) -> (IOResult, String) {
    var buffer = [UInt8](repeating: 0, count: size)
    let result = buffer.withUnsafeMutableBytes(call)
    guard case .bytes(let count) = result else { return (result, "") }
    return (result, String(decoding: buffer[..<count], as: UTF8.self))
  }
}

extension StandardStream {
  func read(_ size: Int = 64) -> (IOResult, String) {
    IO.take(size) { read(into: $0) }
  }

  func write(_ bytes: [UInt8]) -> IOResult {
    bytes.withUnsafeBytes { write($0) }
  }
}

/// Two connected Unix sockets, blocking.
struct SocketPair: ~Copyable {
  let one: FileDescriptor
  let other: FileDescriptor

  init() {
    var ends: [CInt] = [-1, -1]
    guard socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
      fatalError("no socket pair")
    }
    one = FileDescriptor(adopting: ends[0])
    other = FileDescriptor(adopting: ends[1])
  }
}

/// The open file description's flags.
func statusFlags(_ descriptor: CInt) -> CInt {
  fcntl(descriptor, F_GETFL)
}

func isOpen(_ descriptor: CInt) -> Bool {
  fcntl(descriptor, F_GETFD) != -1
}

func isClosedOnExec(_ descriptor: CInt) -> Bool {
  fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0
}

/// A pipe whose ends can be closed one by one.
final class PipeBox {
  private var reader: FileDescriptor?
  private var writer: FileDescriptor?

  init(isBlocking: Bool = false) throws {
    let pipe = try Pipe(isBlocking: isBlocking)
    reader = FileDescriptor(adopting: fcntl(pipe.readEnd.number, F_DUPFD_CLOEXEC, 3))
    writer = FileDescriptor(adopting: fcntl(pipe.writeEnd.number, F_DUPFD_CLOEXEC, 3))
  }

  var readEnd: CInt { reader?.number ?? -1 }
  var writeEnd: CInt { writer?.number ?? -1 }

  func closeReadEnd() { reader = nil }
  func closeWriteEnd() { writer = nil }
}
