import Bytes
import JSONText
package import Timeline
import WebSocket

/// Lines in, messages out to the server, acknowledgements.
extension Bridge {
  /// How much may wait unsent while the link is up: reading further ahead than the socket takes
  /// would only move the producer's pipe into our memory.
  static let readAheadBytes = 256 * 1024

  /// Whether standard input is wanted; while it isn't, its writer waits.
  package var wantsInput: Bool {
    guard course == .running || restToRead > 0, !hasInputEnded, !isFull,
      waitingByteCount < settings.outboxMaximum
    else { return false }
    // Reports of what is taken go to the same place as records, which nobody reads at present.
    if speech == .native, outputBlockedSince != nil { return false }
    return !link.isOnline || unsentByteCount < Self.readAheadBytes
  }

  /// Nothing more waits in standard input at present.
  package func inputRested() {
    restToRead = 0
  }

  /// Bytes from standard input; the buffer is only borrowed.
  package func inputReceived(_ bytes: Span<UInt8>, _ now: Moment) {
    if restToRead > 0 { restToRead = max(restToRead - bytes.count, 0) }
    var position = 0
    guard speech == .plain, !reports.showsMessages else {
      while let line = splitter.next(bytes, at: &position) {
        lineNumber += 1
        take(line, bytes, now)
      }
      return
    }
    while let (line, composed) = OutboundStream.run(
      &splitter, &dialect, &outbox, bytes, at: &position, lineNumber: &lineNumber)
    {
      if case .inChunk(let range) = line, let composed {
        finish(composed, bytes.extracting(range), nil, now)
      } else {
        take(line, bytes, now)
      }
    }
  }

  /// Standard input has ended; what stood there without a line break is a line.
  package func inputEnded(_ now: Moment) {
    guard !hasInputEnded else { return }
    hasInputEnded = true
    restToRead = 0
    if let line = splitter.end() {
      lineNumber += 1
      takeLast(line, now)
    }
    if !settings.staysAfterInput { drain(now) }
  }

  private func take(_ line: LineSplitter.Line, _ bytes: Span<UInt8>, _ now: Moment) {
    switch line {
    case .inChunk(let range):
      accept(bytes.extracting(range), now)
    case .assembled:
      let assembled = splitter.assembled
      accept(assembled.span, now)
    case .tooLong(let count):
      let start = splitter.assembled
      refuse(
        start.span, lineNumber, "\(count) bytes are over --max-message \(settings.maximumMessage)",
        now)
    }
  }

  /// A line that doesn't point into an input.
  private func takeLast(_ line: LineSplitter.Line, _ now: Moment) {
    let none: [UInt8] = []
    take(line, none.span, now)
  }

  private func accept(_ line: Span<UInt8>, _ now: Moment) {
    switch speech {
    case .plain: finish(dialect.compose(line), line, nil, now)
    case .native: acceptNative(line, number: lineNumber, id: makeID(now), now)
    case .undecided: keepUndecided(line, now)
    }
  }

  /// `id` is nil for a message that has none yet.
  func finish(
    _ composed: PlainDialect.Composed, _ line: Span<UInt8>, _ id: MessageID?, _ now: Moment
  ) {
    switch composed {
    case .line(let kind):
      queue(kind, line, id, now)
    case .built(let kind):
      let built = dialect.built
      queue(kind, built.span, id, now)
    case .skipped:
      break
    case .refused(let reason):
      refuse(line, lineNumber, reason, now)
    }
  }

  private func queue(
    _ kind: MessageKind, _ payload: Span<UInt8>, _ id: MessageID?, _ now: Moment
  ) {
    guard reports.showsMessages else {
      return outbox.accept(kind, payload, line: lineNumber, id: nil)
    }
    let id = id ?? makeID(now)
    outbox.accept(kind, payload, line: lineNumber, id: id)
    tell(.accepted(id: .local(id), line: lineNumber), now)
  }

  func refuse(_ line: Span<UInt8>, _ number: Int, _ reason: String, _ now: Moment) {
    verdict.hasBadInput = true
    firstRefusal = firstRefusal ?? "stdin line \(number): \(reason)"
    // Enough to recognise the line by; the writer cuts it to what it shows.
    let input = line.extracting(first: 1024).withUnsafeBufferPointer { Array($0) }
    tell(.error(source: "stdin", line: number, reason: reason, input: input), now)
  }

  // MARK: To the server

  /// Brings what has happened this turn to its end: messages become frames, a batch is followed by
  /// its probe, a drained outbox ends the run.
  package func settle(_ now: Moment) {
    sendQueued(now)
    tellFullness(now)
    closeWhenDrained(now)
    takeFrameTraces(now)
  }

  private func sendQueued(_ now: Moment) {
    guard link.isOnline, connection?.isOpen ?? false else { return }
    guard speech == .plain else { return sendNative(now) }
    // The probe follows the first few messages and not the whole window: a link that is cut again
    // and again before it has carried a window would otherwise never have one acknowledged.
    if settings.ackBy == .pong, !ackProbe.isOutstanding {
      sendMessages(upTo: outbox.inFlightCount + Self.messagesBeforeProbe)
      if outbox.inFlightCount > 0 { sendProbe(now) }
    }
    sendMessages(upTo: .max)
    guard outbox.inFlightCount > 0 else { return }
    switch settings.ackBy {
    case .pong: break
    case .write:
      if connection?.output.isEmpty ?? false { acknowledge(upTo: outbox.sentCount, now) }
    }
  }

  private static let messagesBeforeProbe = 64

  private func sendMessages(upTo count: Int) {
    OutboundStream.send(
      &outbox, &connection, messages: min(settings.windowMessages, count),
      bytes: settings.windowBytes, outputBytes: Self.readAheadBytes)
  }

  private func sendProbe(_ now: Moment) {
    guard connection?.sendPing(ackProbe.payload) ?? false, let count = connection?.output.count
    else { return }
    ackProbe.begin(covering: outbox.sentCount, outputCount: count, now: now.instant)
  }

  /// Whether bytes wait for the transport.
  package var hasTransportOutput: Bool {
    !handshakeOutput.isEmpty || connection.map { !$0.output.isEmpty } ?? false
  }

  /// Lends the bytes that wait for the transport, oldest first.
  package func withTransportOutput<Result>(
    _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result? {
    if !handshakeOutput.isEmpty { return handshakeOutput.withUnsafeBytes(body) }
    return connection?.output.withUnsafeBytes(body)
  }

  /// The transport has taken so many bytes.
  package func transportSent(_ count: Int, _ now: Moment) {
    ackProbe.transportTook(count)
    if !handshakeOutput.isEmpty {
      handshakeOutput.consume(count)
    } else {
      connection?.consumeOutput(count, now: now.instant)
      if settings.ackBy == .write, connection?.output.isEmpty ?? false {
        acknowledge(upTo: outbox.sentCount, now)
      }
    }
  }

  func acknowledge(upTo count: Int, _ now: Moment) {
    if reports.showsMessages {
      outbox.acknowledge(upTo: count) { message in
        guard let id = message.id else { return }
        tell(.delivered(id: .local(id)), now)
      }
    } else {
      outbox.acknowledge(upTo: count) { _ in }
    }
  }

  /// Looks after an acknowledgement that hasn't come.
  func checkProbe(_ now: Moment, unsentByteCount: Int?) {
    if isReadingStopped { return ackProbe.restart(now: now.instant) }
    guard ackProbe.isLate(unsentByteCount: unsentByteCount, now: now.instant) else { return }
    endLink(.lost(reason: "nothing was acknowledged for \(settings.ackTimeout.shortText)"), now)
  }

  private func tellFullness(_ now: Moment) {
    let held = waitingByteCount
    if !isFull, held >= settings.outboxMaximum {
      isFull = true
      tellFullness(.full, "\(waitingCount) messages wait; standard input isn't read", now)
    } else if isFull, held <= settings.outboxMaximum / 2 {
      isFull = false
      tellFullness(presentState, "standard input is read again", now)
    }
  }

  /// What is said about reading is true only while there is something to read.
  private func tellFullness(_ state: LinkReport.State, _ reason: String, _ now: Moment) {
    guard course == .running, !hasInputEnded else { return }
    tell(.state(LinkReport(state, reason: reason)), now)
  }

  private var presentState: LinkReport.State {
    switch link.state {
    case .online: .online
    case .connecting: .connecting
    case .refused: .refused
    case .idle, .waiting, .ended: .offline
    }
  }
}
