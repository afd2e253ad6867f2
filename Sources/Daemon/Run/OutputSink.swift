import Bytes
import Glibc
import Posix
import Reactor
import Timeline

/// Writes a queue to a standard stream that may be slow, or stand still.
///
/// | mode | holds | begun by | ends |
/// |---|---|---|---|
/// | direct | the caller's queue | | |
/// | pausing | the caller's queue, full; the caller reads no more | queue at `memoryLimit` | queue half empty |
/// | overflowing | `older`, then the file, then the caller's queue | pausing for `patience` | the file is used up; `older`, its last piece, still goes first |
///
/// A reader that is merely slower than the server costs nothing but its pace: the pipe's
/// back-pressure goes through to the server. One that stands still would soon keep us from the
/// server's pings, so its records go to an unlinked file. When that is full too, `isBlocked`.
final class OutputSink: ReadinessHandler {
  enum Failure: Equatable {
    /// The reader has gone (EPIPE).
    case closed
    case failed(SystemError)
  }

  /// TCP holds back the rest, and all of wsii stays under 3 MiB of private memory that is its own.
  static let memoryLimit = 256 * 1024
  /// Well below what servers give a pong, well above a reader's hiccup.
  static let patience = Duration.seconds(2)

  let stream: StandardStream
  private let loop: EventLoop
  private let overflowLimit: Int
  private var registration: RegistrationID?
  private var isWritable = true
  private var isClosed = false

  private var pausedSince: Instant?
  private var older = ByteQueue()
  private var overflow: OverflowFile?
  /// Why an overflow file could not be made or written, until it is told; then no other is made.
  private var overflowFailure: SystemError?
  private var mayOverflow: Bool
  private var refill: [UInt8] = []
  /// Bytes that the stream has taken, which tells a slow reader from one that stands still.
  private(set) var writtenCount = 0

  /// An `overflowLimit` of 0 forbids the file.
  init(_ stream: StandardStream, overflowLimit: Int, loop: EventLoop) {
    self.stream = stream
    self.overflowLimit = overflowLimit
    mayOverflow = overflowLimit > 0
    self.loop = loop
  }

  /// Why what memory doesn't hold can't go to a file; told once.
  func takeOverflowFailure() -> SystemError? {
    defer { overflowFailure = nil }
    return overflowFailure
  }

  /// Whether the caller should put nothing more into the queue, for now.
  var isPausing: Bool { pausedSince != nil && overflow == nil }
  /// Whether memory and file are full, or the file can't be had.
  private(set) var isBlocked = false
  /// Whether everything given so far has been written, apart from the caller's queue.
  var isEmpty: Bool { older.isEmpty && overflow == nil }

  /// Bytes that were taken from the caller's queue and aren't written.
  var count: Int { older.count + (overflow?.count ?? 0) }

  /// When `flush` wants to be called though nothing became writable.
  var nextDeadline: Instant? {
    guard overflow == nil, !isBlocked else { return nil }
    return pausedSince.map { $0 + Self.patience }
  }

  /// Writes what can be written. `take` consumes from the caller's queue.
  func flush(_ queue: inout ByteQueue, now: Instant) -> Failure? {
    if isClosed {
      queue.removeAll()
      return nil
    }
    if let failure = writeOut(&queue) { return failure }
    steer(&queue, now)
    return nil
  }

  /// Nothing is written any more.
  func close() {
    isClosed = true
    if let registration { loop.remove(registration) }
    registration = nil
    overflow = nil
    older.removeAll()
    isBlocked = false
    pausedSince = nil
  }

  func ready(_ readiness: Readiness, on registration: RegistrationID) {
    guard readiness.allowsWriting else { return }
    isWritable = true
    // Level-triggered and paused again at once: the next write tells more than the readiness.
    try? loop.modify(registration, [])
  }

  // MARK: Parts

  private func writeOut(_ queue: inout ByteQueue) -> Failure? {
    while isWritable {
      if older.isEmpty, overflow != nil, let failure = refillFromOverflow() { return failure }
      if !older.isEmpty {
        if let failure = write(&older) { return failure }
      } else if overflow == nil, !queue.isEmpty {
        if let failure = write(&queue) { return failure }
      } else {
        break
      }
    }
    return nil
  }

  private func write(_ queue: inout ByteQueue) -> Failure? {
    switch queue.withUnsafeBytes({ stream.write($0) }) {
    case .bytes(let count):
      queue.consume(count)
      writtenCount &+= count
    case .wouldBlock:
      isWritable = false
      return awaitRoom()
    case .end:
      return .closed
    case .failed(let error):
      return error.isBrokenPipe ? .closed : .failed(error)
    }
    return nil
  }

  private func awaitRoom() -> Failure? {
    do throws(SystemError) {
      if let registration {
        try loop.modify(registration, .writable)
      } else {
        registration = try loop.add(stream.descriptor, .writable, handler: self)
      }
      return nil
    } catch {
      return .failed(error)
    }
  }

  private func refillFromOverflow() -> Failure? {
    guard let file = overflow else { return nil }
    if file.isEmpty {
      overflow = nil
      return nil
    }
    if refill.isEmpty { refill = [UInt8](repeating: 0, count: 256 * 1024) }
    do throws(SystemError) {
      let count = try refill.withUnsafeMutableBufferPointer { bytes throws(SystemError) in
        try file.read(into: UnsafeMutableRawBufferPointer(bytes))
      }
      older.append(refill.span, 0..<count)
      if file.isEmpty { overflow = nil }
      return nil
    } catch {
      return .failed(error)
    }
  }

  /// Decides where what is left goes.
  private func steer(_ queue: inout ByteQueue, _ now: Instant) {
    if overflow != nil { return spill(&queue) }
    if older.isEmpty { refill = [] }
    if queue.count >= Self.memoryLimit {
      pausedSince = pausedSince ?? now
    } else if queue.count <= Self.memoryLimit / 2 {
      pausedSince = nil
    }
    isBlocked = false
    guard let since = pausedSince, now >= since + Self.patience else { return }
    guard mayOverflow else {
      isBlocked = true
      return
    }
    startOverflow(&queue)
  }

  private func startOverflow(_ queue: inout ByteQueue) {
    do throws(SystemError) {
      overflow = try OverflowFile(limit: overflowLimit)
      pausedSince = nil
      spill(&queue)
    } catch {
      failOverflow(error)
      isBlocked = true
    }
  }

  private func spill(_ queue: inout ByteQueue) {
    guard let overflow, !queue.isEmpty else { return }
    do throws(SystemError) {
      let hasRoom = try queue.withUnsafeBytes { bytes throws(SystemError) in
        try overflow.append(bytes)
      }
      if hasRoom { queue.removeAll() }
      isBlocked = !hasRoom && queue.count >= Self.memoryLimit
    } catch {
      failOverflow(error)
      isBlocked = queue.count >= Self.memoryLimit
    }
  }

  private func failOverflow(_ error: SystemError) {
    // A full disk refuses again and again while the file that is there is used up.
    if mayOverflow { overflowFailure = error }
    mayOverflow = false
  }
}

extension SystemError {
  var isBrokenPipe: Bool { number == EPIPE || number == ECONNRESET }
}
