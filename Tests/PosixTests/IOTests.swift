import CLinux
import Glibc
import Posix
import TestSupport
import Testing
import Timeline

@Suite("Reads and writes have three ends")
struct IOTests {
  @Test("a pipe gives bytes, nothing for now, and its end")
  func readsPipe() throws {
    let scratchPipe = try PipeBox()
    #expect(IO.read(scratchPipe.readEnd) == (.wouldBlock, ""))
    #expect(IO.write(scratchPipe.writeEnd, Array("hello".utf8)) == .bytes(5))
    #expect(IO.read(scratchPipe.readEnd, 3) == (.bytes(3), "hel"))
    #expect(IO.read(scratchPipe.readEnd) == (.bytes(2), "lo"))
    scratchPipe.closeWriteEnd()
    #expect(IO.read(scratchPipe.readEnd) == (.end, ""))
  }

  @Test("no bytes asked for are no end")
  func readsNothing() throws {
    let pipe = try PipeBox()
    #expect(IO.read(pipe.readEnd, 0) == (.bytes(0), ""))
  }

  @Test("a full pipe takes a part, then would block; without its reader it fails")
  func writesPipe() throws {
    ProcessStart.ignoreSignalsOfWrites()
    let pipe = try PipeBox()
    let large = [UInt8](repeating: 7, count: 100_000)
    #expect(IO.write(pipe.writeEnd, large) == .bytes(65_536))
    #expect(IO.write(pipe.writeEnd, large) == .wouldBlock)
    pipe.closeReadEnd()
    #expect(
      IO.write(pipe.writeEnd, large)
        == .failed(SystemError(call: "write", object: "", number: EPIPE)))
  }

  @Test("sockets don't block, whatever their mode, and a closed peer is an error, not a signal")
  func movesOverSocket() {
    let pair = SocketPair()
    #expect(IO.receive(pair.one.number) == (.wouldBlock, ""))
    #expect(IO.send(pair.other.number, Array("hi".utf8)) == .bytes(2))
    #expect(IO.receive(pair.one.number) == (.bytes(2), "hi"))
    var sent = 0
    while case .bytes(let count) = IO.send(pair.one.number, [UInt8](repeating: 1, count: 65_536)) {
      sent += count
    }
    #expect(sent > 0)
    IO.shutdownWrite(pair.other.number)
    #expect(IO.receive(pair.one.number) == (.end, ""))
    #expect(IO.receive(-1) == (.failed(SystemError(call: "recv", object: "x", number: EBADF)), ""))
  }

  @Test("a peer that has closed is EPIPE")
  func sendsToNobody() {
    let pair = SocketPair()
    _ = shutdown(pair.other.number, CInt(SHUT_RDWR))
    #expect(
      IO.send(pair.one.number, [1])
        == .failed(SystemError(call: "send", object: "", number: EPIPE)))
  }

  @Test("poll tells readiness without waiting")
  func polls() throws {
    let pipe = try PipeBox()
    #expect(IO.poll(pipe.readEnd, for: CInt(POLLIN), milliseconds: 0) == 0)
    #expect(IO.poll(pipe.writeEnd, for: CInt(POLLOUT), milliseconds: 0) == CInt(POLLOUT))
    pipe.closeWriteEnd()
    #expect(IO.poll(pipe.readEnd, for: CInt(POLLIN), milliseconds: -1) == CInt(POLLHUP))
  }

  @Test("/dev/full refuses with ENOSPC")
  func fillsDisk() throws {
    let full = try FileDescriptor.open("/dev/full", O_WRONLY)
    #expect(
      IO.write(full.number, [1])
        == .failed(SystemError(call: "write", object: "", number: ENOSPC)))
  }

  @Test("an interrupted read is made again")
  func survivesInterruption() throws {
    // A global is made on its first use, which must not be the handler's.
    #expect(interruptions >= 0)
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { _ in eventfd_write(interruptions, 1) }
    sigaction(SIGURG, &action, nil)
    // The threads that tests run on block it.
    var urgent = sigset_t()
    sigemptyset(&urgent)
    sigaddset(&urgent, SIGURG)
    var old = sigset_t()
    pthread_sigmask(SIG_UNBLOCK, &urgent, &old)
    defer { pthread_sigmask(SIG_SETMASK, &old, nil) }
    let pipe = try PipeBox(isBlocking: true)
    let work = Interruption(
      thread: pthread_self(), task: try ownTask(), writeEnd: pipe.writeEnd)
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Interruption>.fromOpaque(context).takeUnretainedValue().perform()
        return nil
      }, Unmanaged.passUnretained(work).toOpaque())
    #expect(IO.read(pipe.readEnd) == (.bytes(4), "late"))
    pthread_join(thread, nil)
    withExtendedLifetime(work) {}
  }
}

/// What the handler of the signal counts up.
private let interruptions = eventfd(0, CInt(EFD_CLOEXEC))

/// The folder of the calling thread in /proc.
private func ownTask() throws -> String {
  var link = [CChar](repeating: 0, count: 64)
  let count = readlink("/proc/thread-self", &link, link.count)
  try #require(count > 0)
  return "/proc/" + String(decoding: link[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// Interrupts a thread that sleeps in a read, several times, then lets the read succeed.
private final class Interruption: Sendable {
  let thread: pthread_t
  /// Its folder in /proc.
  let task: String
  let writeEnd: CInt

  init(thread: pthread_t, task: String, writeEnd: CInt) {
    self.thread = thread
    self.task = task
    self.writeEnd = writeEnd
  }

  func perform() {
    for _ in 0..<5 {
      waitUntilAsleep()
      _ = pthread_kill(thread, SIGURG)
      guard IO.poll(interruptions, for: CInt(POLLIN), milliseconds: 20_000) != 0 else {
        _ = IO.write(writeEnd, Array("no signal".utf8))
        return
      }
      var count: eventfd_t = 0
      eventfd_read(interruptions, &count)
    }
    _ = IO.write(writeEnd, Array("late".utf8))
  }

  /// The kernel tells nobody that a thread has gone to sleep; its state can only be looked at.
  private func waitUntilAsleep() {
    let deadline = MonotonicClock.now() + .seconds(20)
    while MonotonicClock.now() < deadline {
      guard let file = try? FileReader.read("\(task)/stat") else { return }
      // proc_pid_stat(5): the state follows the name, which stands in parentheses.
      let text = String(decoding: file.bytes, as: UTF8.self)
      if text.split(separator: ")").last?.hasPrefix(" S ") == true { return }
      sched_yield()
    }
  }
}
