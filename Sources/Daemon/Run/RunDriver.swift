import Bytes
import Glibc
import Posix
import Reactor
import Session
import Timeline
import Transport
import WebSocket

/// Moves the bytes that a `Bridge` decides about: standard streams, the transport, signals, time.
///
/// All of it happens once a turn, in `beforeSleep`: read what is ready and wanted, let the bridge
/// settle, write what is there, do what it asks for. Readiness only sets marks, so an order that
/// matters (a frame's records before the next read, a batch's probe after its last frame) is written
/// in one place.
final class RunDriver: TurnHook, ReadinessHandler, ConnectAttemptDelegate, SignalReceiver {
  /// One read's size: with 64 KiB pipes and socket buffers of a few hundred KiB, more gains nothing.
  private static let bufferSize = 256 * 1024
  /// Reads of one source in a turn, after which the others get their share.
  private static let readsPerTurn = 4

  let loop: EventLoop
  let bridge: Bridge
  private let connector: Connector
  private let handshakes: HandshakeMaker
  private(set) var outcome: Outcome?
  /// Once the outcome is known: when what is written last has stood still for too long.
  private var flushDeadline: Instant?
  private var flushedCount = 0
  /// Standard output and standard error are one pipe, terminal or file.
  private let isShared: Bool

  private var attempt: ConnectAttempt?
  private var request: HandshakeMaker.Prepared?
  private var stream: (any ByteStream)?
  private var streamRegistration: RegistrationID?
  private var isStreamReadable = false
  private var isStreamWritable = false

  private let input: StandardStream?
  private var inputRegistration: RegistrationID?
  private var isInputReadable = false
  private let output: OutputSink
  private let errors: OutputSink

  private let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: RunDriver.bufferSize, alignment: 64)

  /// An `input` of nil is one that never says anything and never ends.
  init(
    loop: EventLoop, bridge: Bridge, handshakes: HandshakeMaker, input: StandardStream?,
    output: OutputSink, errors: OutputSink
  ) throws(SystemError) {
    self.loop = loop
    self.bridge = bridge
    self.handshakes = handshakes
    self.input = input
    self.output = output
    self.errors = errors
    isShared = output.stream.isSame(as: errors.stream)
    connector = Connector(loop: loop)
    loop.attach(self)
    if let input {
      // A regular file is always ready. Everything else is watched for edges, so that a writer who
      // has hung up costs no wake-ups while we don't read.
      isInputReadable = input.kind == .regularFile
      if !isInputReadable {
        inputRegistration = try loop.add(input.descriptor, .readable, .edge, handler: self)
      }
    }
  }

  deinit {
    buffer.deallocate()
  }

  private var now: Moment {
    Moment(instant: loop.now, timestamp: WallClock.now())
  }

  // MARK: What the loop tells

  func ready(_ readiness: Readiness, on registration: RegistrationID) {
    if registration == streamRegistration {
      if readiness.allowsReading || readiness.contains(.peerEnded) { isStreamReadable = true }
      if readiness.allowsWriting { isStreamWritable = true }
    } else if registration == inputRegistration {
      isInputReadable = true
    }
  }

  func received(_ signal: CInt) {
    switch signal {
    case SIGUSR1: bridge.reconnect(now)
    case SIGINT: bridge.stop(interrupted: true, now)
    default: bridge.stop(interrupted: false, now)
    }
  }

  func connected(_ attempt: ConnectAttempt, _ stream: any ByteStream) {
    guard attempt === self.attempt, let request else { return stream.close() }
    self.attempt = nil
    do throws(SystemError) {
      streamRegistration = try loop.add(
        stream.descriptor, [.readable, .writable, .peerEnded], .edge, handler: self)
    } catch {
      stream.close()
      return bridge.linkFailed(.unreachable(reason: error.description), now)
    }
    self.stream = stream
    // The edge of a socket that was writable from the start has passed before we listened.
    isStreamWritable = true
    isStreamReadable = true
    bridge.transportConnected(request.handshake, secrets: request.secrets, now)
  }

  func failed(_ attempt: ConnectAttempt, _ error: TransportError) {
    guard attempt === self.attempt else { return }
    self.attempt = nil
    bridge.linkFailed(LinkEnd(error), now)
  }

  // MARK: A turn

  func beforeSleep(now instant: Instant) -> Instant? {
    let now = self.now
    let isMore = readTransport(now)
    let isMoreInput = readInput(now)
    bridge.settle(now)
    perform(now)
    sendTransport(now)
    writeOutput(now)
    bridge.settle(now)
    perform(now)
    writeErrors(now)
    postponeFlushDeadline()
    if isMore || isMoreInput || hasLeftover { loop.askForTurn() }
    if outcome != nil, isAllWritten { loop.stop() }
    return [bridge.nextDeadline, output.nextDeadline, errors.nextDeadline, flushDeadline]
      .compactMap { $0 }.min()
  }

  /// A reader that takes something, however slowly, is waited for.
  private func postponeFlushDeadline() {
    guard flushDeadline != nil else { return }
    let count = output.writtenCount &+ errors.writtenCount
    guard count != flushedCount else { return }
    flushedCount = count
    flushDeadline = loop.now + bridge.flushPatience
  }

  private var isAllWritten: Bool {
    bridge.standardOutput.isEmpty && output.isEmpty && bridge.standardError.isEmpty
      && errors.isEmpty
  }

  func deadlinePassed(now instant: Instant) {
    if let flushDeadline, instant >= flushDeadline { abandonOutput() }
    // What has arrived may be what the bridge waits for.
    _ = readTransport(now)
    bridge.advance(now, unsentByteCount: stream.flatMap(\.unsentByteCount))
  }

  /// Nobody takes the last records: says so, as far as standard error is read, and ends.
  private func abandonOutput() {
    let left = bridge.standardOutput.count + output.count
    if left > 0 {
      bridge.outputAbandoned(byteCount: left, now)
      perform(now)
      writeErrors(now)
    }
    loop.stop()
  }

  /// Whether the last steps of a turn have made work for the first ones of another.
  private var hasLeftover: Bool {
    bridge.hasActions || (isStreamWritable && bridge.hasTransportOutput && stream != nil)
      || (isStreamReadable && mayReadTransport) || (isInputReadable && mayReadInput)
  }

  private var mayReadTransport: Bool {
    stream != nil && bridge.wantsTransport && (!output.isPausing || output.isBlocked)
  }

  private func readTransport(_ now: Moment) -> Bool {
    for _ in 0..<Self.readsPerTurn {
      guard isStreamReadable, mayReadTransport, let stream else { return false }
      switch stream.receive(into: buffer) {
      case .bytes(let count):
        withBuffer(count) { bridge.transportReceived($0, now) }
        // Records go out between reads: the reader works while we parse the next piece.
        writeOutput(now)
      case .wouldBlock:
        isStreamReadable = false
      case .end:
        isStreamReadable = false
        bridge.transportEnded(error: nil, now)
      case .failed(let error):
        isStreamReadable = false
        bridge.transportEnded(error: error.description, now)
      }
      perform(now)
    }
    return isStreamReadable && mayReadTransport
  }

  /// Not while the reports of earlier lines pile up, unless nobody reads them at all.
  private var mayReadInput: Bool {
    input != nil && bridge.wantsInput && (!errors.isPausing || errors.isBlocked)
  }

  private func readInput(_ now: Moment) -> Bool {
    // After a signal the bridge waits to hear that nothing more is there.
    if !isInputReadable { bridge.inputRested() }
    for _ in 0..<Self.readsPerTurn {
      guard isInputReadable, mayReadInput, let input else { return false }
      switch input.read(into: buffer) {
      case .bytes(let count):
        withBuffer(count) { bridge.inputReceived($0, now) }
        bridge.settle(now)
        sendTransport(now)
      case .wouldBlock:
        isInputReadable = false
        bridge.inputRested()
      case .end:
        isInputReadable = false
        bridge.inputEnded(now)
      case .failed(let error):
        isInputReadable = false
        bridge.streamFailed(reason: error.description, now)
        bridge.inputEnded(now)
      }
    }
    return isInputReadable && mayReadInput
  }

  private func withBuffer(_ count: Int, _ body: (Span<UInt8>) -> Void) {
    let filled = UnsafeBufferPointer(
      start: buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), count: count)
    body(filled.span)
  }

  private func sendTransport(_ now: Moment) {
    while isStreamWritable, let stream, bridge.hasTransportOutput {
      guard let result = bridge.withTransportOutput({ stream.send($0) }) else { return }
      switch result {
      case .bytes(let count): bridge.transportSent(count, now)
      case .wouldBlock: isStreamWritable = false
      case .end, .failed:
        // What the server said last may still wait to be read, and explains more than EPIPE does.
        isStreamWritable = false
        isStreamReadable = true
      }
    }
  }

  private func writeOutput(_ now: Moment) {
    switch output.flush(&bridge.standardOutput, now: now.instant) {
    case nil:
      if let error = output.takeOverflowFailure() {
        bridge.note(.warning, "records that nobody reads can't go to a file: \(error)", now)
      }
      bridge.outputWritten(output.writtenCount)
      bridge.outputPaused(output.isPausing, now)
      bridge.outputBlocked(output.isBlocked, now)
    case .closed?:
      output.close()
      bridge.outputClosed(now)
    case .failed(let error)?:
      output.close()
      bridge.standardOutput.removeAll()
      bridge.streamFailed(reason: error.description, now)
    }
  }

  /// Standard error can't complain about itself: what can't be written there is dropped.
  private func writeErrors(_ now: Moment) {
    if isShared {
      // Two queues of their own would write into the middle of each other's records.
      let reports = bridge.standardError.withUnsafeBytes { Array($0) }
      bridge.standardError.removeAll()
      if !reports.isEmpty {
        bridge.shareOutput(reports)
        writeOutput(now)
      }
      return
    }
    if errors.flush(&bridge.standardError, now: now.instant) != nil {
      errors.close()
      bridge.standardError.removeAll()
    }
    if errors.isBlocked, bridge.standardError.count > 4 * OutputSink.memoryLimit {
      bridge.dropErrors(now)
    }
  }

  // MARK: What the bridge asks for

  private func perform(_ now: Moment) {
    for action in bridge.takeActions() {
      switch action {
      case .connect: connect(now)
      case .dropTransport: dropTransport()
      case .finish(let outcome):
        self.outcome = outcome
        flushDeadline = now.instant + bridge.flushPatience
      }
    }
  }

  private func connect(_ now: Moment) {
    handshakes.prepare(lastUserID: bridge.identity?.userID) { [weak self] result in
      guard let self else { return }
      switch result {
      case .success(let prepared):
        request = prepared
        attempt = connector.connect(prepared.target, delegate: self)
      case .failure(let error):
        bridge.linkFailed(.noCredentials(reason: error.description), self.now)
      }
      loop.askForTurn()
    }
  }

  private func dropTransport() {
    handshakes.cancel()
    attempt?.cancel()
    attempt = nil
    if let streamRegistration { loop.remove(streamRegistration) }
    streamRegistration = nil
    stream?.close()
    stream = nil
    isStreamReadable = false
    isStreamWritable = false
  }

  // MARK: The end

  /// Lets everything go; the loop has stopped.
  func close() {
    dropTransport()
    output.close()
    errors.close()
    connector.close()
    if let inputRegistration { loop.remove(inputRegistration) }
    loop.detach(self)
  }
}

extension LinkEnd {
  /// What a transport's failure means for the link.
  init(_ error: TransportError) {
    if case .proxyRefused(let status) = error.kind, status == 407 {
      self = .refusedByProxy(reason: error.description)
    } else {
      self = .unreachable(reason: error.description)
    }
  }
}
