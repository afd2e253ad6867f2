import CLinux
import Glibc
import Posix
import Reactor
import Timeline

/// Runs the shell command that prints a token, without blocking the loop.
///
/// The command has its standard output as its result, /dev/null as its standard input, our standard
/// error for its complaints, and ten seconds. The result is what it has written when it ends: what it
/// leaves in the background, such as an agent, may hold the output for as long as it likes.
final class TokenCommand: ReadinessHandler, TurnHook {
  private static let timeLimit = Duration.seconds(10)
  /// How often a command is asked whether it has ended, where the kernel doesn't tell.
  private static let statusInterval = Duration.milliseconds(5)
  private static let maximumOutput = 65_536

  private let loop: EventLoop
  private var done: ((Result<String, HandshakeMaker.Failure>) -> Void)?
  private var process: pid_t = -1
  private var pipe: FileDescriptor?
  private var pipeRegistration: RegistrationID?
  /// Tells the command's end; nil where the kernel, or a filter, has no such descriptors.
  private var processDescriptor: FileDescriptor?
  private var processRegistration: RegistrationID?
  private var output: [UInt8] = []
  private let deadline: Instant

  /// - Parameter mayWatch: false asks again and again, as where the kernel doesn't tell.
  init(
    _ line: String, loop: EventLoop, mayWatch: Bool = true,
    _ done: @escaping (Result<String, HandshakeMaker.Failure>) -> Void
  ) {
    self.loop = loop
    self.done = done
    deadline = loop.now + Self.timeLimit
    loop.attach(self)
    do throws(SystemError) {
      try start(line)
      if mayWatch { watch() }
    } catch {
      // Told in the next turn, as every other end is.
      startError = error
    }
  }

  private var startError: SystemError?

  /// Ends the command without a word.
  func cancel() {
    done = nil
    endProcess()
  }

  func ready(_ readiness: Readiness, on registration: RegistrationID) {
    if registration == processRegistration { collect() } else { readPipe() }
  }

  func beforeSleep(now: Instant) -> Instant? {
    if startError != nil { return now }
    return processRegistration == nil ? now + Self.statusInterval : deadline
  }

  func deadlinePassed(now: Instant) {
    if let startError { return fail(startError.description) }
    if processRegistration == nil { collect() }
    if done != nil, now >= deadline { fail("gave no token in 10 s") }
  }

  /// Looks whether the command has ended, and takes what it has written.
  private func collect() {
    var status: CInt = 0
    let ended = waitpid(process, &status, WNOHANG)
    if ended < 0 { return fail(SystemError.current("waitpid", "").description) }
    guard ended == process else { return }
    process = -1
    readPipe()
    if done != nil { conclude(status) }
  }

  private func readPipe() {
    guard let number = pipe?.number else { return }
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      switch buffer.withUnsafeMutableBytes({ IO.read(number, into: $0) }) {
      case .bytes(let count):
        output.append(contentsOf: buffer[..<count])
        if output.count > Self.maximumOutput { return fail("printed more than 64 KiB") }
      case .wouldBlock:
        return
      case .end:
        return closePipe()
      case .failed(let error):
        return fail(error.description)
      }
    }
  }

  private func conclude(_ status: CInt) {
    // WIFEXITED and WEXITSTATUS are macros that Swift doesn't see (wait(2)).
    guard status & 0x7F == 0 else { return fail("was ended by signal \(status & 0x7F)") }
    guard status >> 8 & 0xFF == 0 else { return fail("ended with status \(status >> 8 & 0xFF)") }
    guard let text = String(validating: output, as: UTF8.self) else {
      return fail("printed something that isn't UTF-8")
    }
    finish(.success(text))
  }

  private func fail(_ reason: String) {
    finish(.failure(HandshakeMaker.Failure(description: "--token-command \(reason)")))
  }

  private func finish(_ result: Result<String, HandshakeMaker.Failure>) {
    endProcess()
    let done = done
    self.done = nil
    done?(result)
  }

  private func endProcess() {
    closePipe()
    if let processRegistration { loop.remove(processRegistration) }
    processRegistration = nil
    processDescriptor = nil
    loop.detach(self)
    guard process > 0 else { return }
    // The whole group: the shell may wait for what it has started.
    _ = kill(-process, SIGKILL)
    // It may have left its group.
    _ = kill(process, SIGKILL)
    var status: CInt = 0
    _ = waitpid(process, &status, 0)
    process = -1
  }

  private func closePipe() {
    if let pipeRegistration { loop.remove(pipeRegistration) }
    pipeRegistration = nil
    pipe = nil
  }

  private func watch() {
    guard let descriptor = try? FileDescriptor.process(process) else { return }
    processRegistration = try? loop.add(descriptor.number, .readable, handler: self)
    processDescriptor = consume descriptor
  }

  private func start(_ line: String) throws(SystemError) {
    // The command expects a blocking pipe; only our end, a description of its own, must not block.
    let ends = try Pipe(isBlocking: true)
    _ = fcntl(ends.readEnd.number, F_SETFL, O_NONBLOCK)
    let write = ends.writeEnd.number
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, write, STDOUT_FILENO)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A program expects no signal blocked or ignored; a group of its own lets us end all of it.
    SignalMask.setDefaults(&attributes)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    let texts = ["/bin/sh", "-c", line]
    var arguments = texts.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let error = posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, environ)
    guard error == 0 else {
      process = -1
      throw SystemError(call: "posix_spawn", object: "/bin/sh", number: error)
    }
    pipeRegistration = try loop.add(ends.readEnd.number, .readable, .edge, handler: self)
    // The other end closes here, so that the command's end is seen.
    pipe = ends.keepingReadEnd()
  }
}
