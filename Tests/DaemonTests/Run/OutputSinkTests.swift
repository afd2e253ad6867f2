import Bytes
import Posix
import Reactor
import Testing
import Timeline

@testable import Daemon

@Suite struct OutputSinkTests {
  /// Keeps the loop from waiting: the reader is on its thread.
  private final class Spin: TurnHook {
    func beforeSleep(now: Instant) -> Instant? { now }
    func deadlinePassed(now: Instant) {}
  }

  private static let start = Instant(nanoseconds: 1_000_000_000)

  private static func bytes(_ range: Range<Int>) -> [UInt8] {
    range.map { UInt8(truncatingIfNeeded: $0 % 251) }
  }

  /// Takes what the pipe holds.
  private static func read(_ number: CInt, into bytes: inout [UInt8]) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    if case .bytes(let count) = buffer.withUnsafeMutableBytes({ IO.read(number, into: $0) }) {
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  @Test("a reader that stops again at the last piece of the file stops nothing, and loses nothing")
  func readerThatStopsTwice() throws {
    let pipe = try Pipe()
    let loop = try EventLoop()
    loop.attach(Spin())
    let sink = OutputSink(
      try StandardStream(pipe.writeEnd.number, .output), overflowLimit: 1 << 20, loop: loop)
    defer { loop.close() }
    let (first, second) = (2 * OutputSink.memoryLimit, OutputSink.memoryLimit)
    let all = Self.bytes(0..<first + second)
    var queue = ByteQueue()
    queue.append(contentsOf: Array(all[..<first]))
    var failure = sink.flush(&queue, now: Self.start)
    #expect(failure == nil && sink.isPausing && !sink.isBlocked)
    #expect(sink.nextDeadline == Self.start + OutputSink.patience)
    var now = Self.start + OutputSink.patience
    failure = sink.flush(&queue, now: now)
    #expect(failure == nil && queue.isEmpty && !sink.isPausing && !sink.isBlocked)
    #expect(sink.nextDeadline == nil)

    var found: [UInt8] = []
    let number = pipe.readEnd.number
    // Up to a place where 96 KiB are left, of which a pipe holds 64: the sink has the others.
    var turns = 0
    while found.count < first - 112 * 1024, turns < 10_000 {
      Self.read(number, into: &found)
      try loop.turn()
      failure = sink.flush(&queue, now: now)
      #expect(failure == nil)
      turns += 1
    }
    #expect(!sink.isEmpty && !sink.isPausing && !sink.isBlocked && sink.nextDeadline == nil)

    now = now + .seconds(60)
    queue.append(contentsOf: Array(all[first...]))
    failure = sink.flush(&queue, now: now)
    #expect(failure == nil && sink.isPausing && sink.nextDeadline == now + OutputSink.patience)
    now = now + OutputSink.patience
    failure = sink.flush(&queue, now: now)
    #expect(failure == nil && queue.isEmpty && !sink.isPausing && !sink.isBlocked)

    while found.count < all.count, turns < 10_000 {
      Self.read(number, into: &found)
      try loop.turn()
      failure = sink.flush(&queue, now: now)
      #expect(failure == nil)
      turns += 1
    }
    #expect(found == all && sink.isEmpty)
    sink.close()
  }

  @Test("without a file, a reader that stops blocks once patience is over")
  func noFile() throws {
    let pipe = try Pipe()
    let loop = try EventLoop()
    let sink = OutputSink(
      try StandardStream(pipe.writeEnd.number, .output), overflowLimit: 0, loop: loop)
    defer { loop.close() }
    var queue = ByteQueue()
    queue.append(contentsOf: Self.bytes(0..<2 * OutputSink.memoryLimit))
    var failure = sink.flush(&queue, now: Self.start)
    #expect(failure == nil && sink.isPausing && !sink.isBlocked)
    let late = Self.start + OutputSink.patience
    #expect(sink.nextDeadline == late)
    failure = sink.flush(&queue, now: late)
    #expect(failure == nil && sink.isBlocked && sink.nextDeadline == nil)
    sink.close()
  }
}
