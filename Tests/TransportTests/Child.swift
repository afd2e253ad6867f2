import Glibc
import Posix
import Testing

/// A program that runs beside the test, ended with this object.
final class Child {
  private let pid: pid_t
  private let output: FileDescriptor
  private let input: FileDescriptor
  private var text: [UInt8] = []

  /// Starts a program found through PATH; its stderr goes to /dev/null.
  init(_ arguments: [String]) throws {
    let outputPipe = try Pipe(isBlocking: true)
    let inputPipe = try Pipe(isBlocking: true)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, inputPipe.readEnd.number, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, outputPipe.writeEnd.number, STDOUT_FILENO)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    var pid: pid_t = 0
    let result = posix_spawnp(&pid, arguments[0], &actions, nil, pointers, environ)
    guard result == 0 else {
      throw SystemError(call: "posix_spawnp", object: arguments[0], number: result)
    }
    self.pid = pid
    output = FileDescriptor(adopting: fcntl(outputPipe.readEnd.number, F_DUPFD_CLOEXEC, 3))
    input = FileDescriptor(adopting: fcntl(inputPipe.writeEnd.number, F_DUPFD_CLOEXEC, 3))
  }

  deinit {
    kill(pid, SIGKILL)
    _ = wait()
  }

  /// Reads its next line of output; waits for it at most 20 s.
  func line() throws -> String {
    while true {
      if let end = text.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: text[..<end], as: UTF8.self)
        text.removeSubrange(...end)
        return line
      }
      try #require(IO.poll(output.number, for: CInt(POLLIN), milliseconds: 20_000) != 0)
      var buffer = [UInt8](repeating: 0, count: 4096)
      let result = buffer.withUnsafeMutableBytes { IO.read(output.number, into: $0) }
      guard case .bytes(let count) = result else {
        throw SystemError(call: "read", object: "child", number: EPIPE)
      }
      text += buffer[..<count]
    }
  }

  func write(_ line: String) {
    _ = Array("\(line)\n".utf8).withUnsafeBytes { IO.write(input.number, $0) }
  }

  private func wait() -> CInt {
    var status: CInt = 0
    while waitpid(pid, &status, 0) == -1 && errno == EINTR {}
    return status
  }

  /// Runs a program to its end; returns whether it ended with 0.
  static func run(_ arguments: [String]) -> Bool {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    pointers.append(nil)
    defer { for pointer in pointers { free(pointer) } }
    var pid: pid_t = 0
    guard posix_spawnp(&pid, arguments[0], &actions, nil, pointers, environ) == 0 else {
      return false
    }
    var status: CInt = 0
    while waitpid(pid, &status, 0) == -1 && errno == EINTR {}
    return status == 0
  }
}
