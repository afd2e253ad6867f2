import Glibc
import Posix
import Reactor
import Testing
import Timeline

/// Writes down what it is told, and does what a test asks for at that moment.
final class Recorder: ReadinessHandler {
  private(set) var events: [(Readiness, RegistrationID)] = []
  var action: ((Readiness, RegistrationID) -> Void)?

  func ready(_ readiness: Readiness, on registration: RegistrationID) {
    events.append((readiness, registration))
    action?(readiness, registration)
  }

  var readiness: [Readiness] {
    events.map(\.0)
  }

  func clear() {
    events = []
  }
}

/// Ends a test that would wait for ever.
final class Limit: TurnHook {
  private let deadline = MonotonicClock.now() + .seconds(20)
  private(set) var isReached = false

  func beforeSleep(now: Instant) -> Instant? {
    deadline
  }

  func deadlinePassed(now: Instant) {
    isReached = true
  }
}

extension EventLoop {
  /// Turns until the condition holds; a failure when it doesn't within 20 s.
  func turn(until condition: () -> Bool) throws {
    let limit = Limit()
    attach(limit)
    defer { detach(limit) }
    while !condition() {
      try #require(!limit.isReached, "the condition did not come about")
      try turn()
    }
  }

  /// One turn that doesn't wait.
  func glance() throws {
    let impatience = Impatience()
    attach(impatience)
    defer { detach(impatience) }
    try turn()
  }
}

private final class Impatience: TurnHook {
  func beforeSleep(now: Instant) -> Instant? {
    now
  }

  func deadlinePassed(now: Instant) {}
}

/// A pipe without blocking, whose ends can be closed one by one.
final class PipeBox {
  private var reader: FileDescriptor?
  private var writer: FileDescriptor?

  init() throws {
    let pipe = try Pipe()
    reader = FileDescriptor(adopting: fcntl(pipe.readEnd.number, F_DUPFD_CLOEXEC, 3))
    writer = FileDescriptor(adopting: fcntl(pipe.writeEnd.number, F_DUPFD_CLOEXEC, 3))
  }

  var readEnd: CInt { reader?.number ?? -1 }
  var writeEnd: CInt { writer?.number ?? -1 }

  func closeReadEnd() { reader = nil }
  func closeWriteEnd() { writer = nil }

  func write(_ text: String) {
    let result = Array(text.utf8).withUnsafeBytes { IO.write(writeEnd, $0) }
    #expect(result == .bytes(text.utf8.count))
  }

  /// Reads once, up to 64 bytes.
  @discardableResult
  func read() -> IOResult {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { IO.read(readEnd, into: $0) }
  }
}
