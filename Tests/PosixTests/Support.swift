import Glibc
import Posix

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
