import Bytes
import Timeline
import WebSocket

/// The native protocol's share of a run, and finding out whether the server speaks it.
///
/// | speech | the link's first frame | 2 s of silence | lines meanwhile |
/// |---|---|---|---|
/// | undecided | a welcome: native; another: plain | plain | kept as they are |
/// | native | not a welcome: the link fails | | messages and requests |
/// | plain | | | frames |
///
/// Nothing leads back to undecided, and nothing but undecided leads on.
extension Bridge {
  /// How long a server that greets may take to do so before it is held to be one that doesn't.
  static let silence = Duration.seconds(2)
  /// What a native server adds to a message of the longest kind, and less than what it puts into one
  /// answer to a request for history.
  private static let nativeFrameExcess = 64 * 1024

  /// The longest message that a link takes.
  var maximumFrame: Int {
    speech == .plain
      ? settings.maximumMessage : max(settings.maximumMessage, 1 << 20) + Self.nativeFrameExcess
  }

  /// Who we were at the last greeting: without a token a server makes somebody up, and messages that
  /// are sent again must come from the same.
  package var identity: NativeIdentity? { native?.identity }

  // MARK: What waits

  var waitingCount: Int { outbox.count + (native?.count ?? 0) + undecided.lines.count }

  var waitingByteCount: Int {
    outbox.heldByteCount + (native?.byteCount ?? 0) + undecided.byteCount
  }

  var unsentByteCount: Int {
    outbox.unsentByteCount + (native?.unsentByteCount ?? 0) + undecided.byteCount
  }

  /// Whether a native server has answered for all that was sent, and nothing is missing.
  package var isSettled: Bool { waitingCount == 0 && (native?.isLevel ?? true) }

  // MARK: Finding out

  /// The handshake is done, and the server speaks or doesn't.
  func awaitGreeting(_ now: Moment) {
    native?.linkOpened(now.instant)
    if speech == .undecided { silenceDeadline = now.instant + Self.silence }
  }

  func speechIsPlain(reason: String, _ now: Moment) {
    speech = .plain
    silenceDeadline = nil
    native = nil
    note(.notice, "\(reason): dialect plain, a line is a frame", now)
    if outputBlockedSince != nil { connection?.pauseReading() }
    tellOnline(now)
    for line in undecided.take() {
      let number = lineNumber
      lineNumber = line.number
      finish(dialect.compose(line.text.span), line.text.span, line.id, now)
      lineNumber = number
    }
  }

  private func speechIsNative(_ now: Moment) {
    speech = .native
    silenceDeadline = nil
    note(.info, "dialect native", now)
    native?.outputBlocked(outputBlockedSince != nil)
  }

  /// Once the greeting has told who we are and what the server takes.
  private func acceptUndecided(_ now: Moment) {
    for line in undecided.take() {
      acceptNative(
        line.text.span, number: line.number, id: line.id,
        Moment(instant: now.instant, timestamp: line.timestamp))
    }
  }

  // MARK: Lines

  func makeID(_ now: Moment) -> MessageID {
    MessageID(timestamp: now.timestamp, chance: (chance.next(), chance.next(), chance.next()))
  }

  /// Keeps a line for later; what no dialect would send is refused at once.
  func keepUndecided(_ line: Span<UInt8>, _ now: Moment) {
    switch dialect.compose(line) {
    case .skipped: break
    case .refused(let reason): refuse(line, lineNumber, reason, now)
    case .line, .built:
      undecided.keep(
        UndecidedLines.Line(
          text: line.withUnsafeBufferPointer { Array($0) }, number: lineNumber, id: makeID(now),
          timestamp: now.timestamp))
    }
  }

  func acceptNative(_ line: Span<UInt8>, number: Int, id: MessageID, _ now: Moment) {
    switch native?.take(line, number: number, id: id, now) {
    case .accepted(let name)?: tell(.accepted(id: name, line: number), now)
    case .refused(let reason)?: refuse(line, number, reason, now)
    case .done?, nil: break
    }
  }

  // MARK: Frames

  /// The messages of the input, as long as the server isn't found to speak plainly.
  func receiveNative(_ bytes: Span<UInt8>, at position: inout Int, _ now: Moment) {
    while speech != .plain,
      let event = connection?.receive(bytes, at: &position, now: now.instant)
    {
      switch event {
      case .message(let kind, .input(let range)): deliver(kind, bytes, range, now)
      case .message(let kind, .assembled):
        let message = connection?.assembled ?? []
        deliver(kind, message.span, 0..<message.count, now)
      default: handle(event, now)
      }
    }
  }

  private func deliver(
    _ kind: MessageKind, _ bytes: Span<UInt8>, _ range: Range<Int>, _ now: Moment
  ) {
    let wasUndecided = speech == .undecided
    if wasUndecided {
      guard native?.isGreeting(kind, bytes, range) ?? false else {
        speechIsPlain(reason: "the server's first frame is no welcome", now)
        return deliverPlain(kind, bytes, range, now)
      }
      speechIsNative(now)
    }
    native?.receive(kind, bytes, range, now)
    handleNativeEvents(now)
    if wasUndecided { acceptUndecided(now) }
  }

  /// The message that told that the server speaks plainly.
  private func deliverPlain(
    _ kind: MessageKind, _ bytes: Span<UInt8>, _ range: Range<Int>, _ now: Moment
  ) {
    guard !hasOutputClosed, !isOutputComplete else { return }
    var reportBytes: [UInt8] = []
    let delivered = standardOutput.appendInPlace { records in
      dialect.deliver(kind, bytes, range, records: &records, reports: &reportBytes)
    }
    switch delivered {
    case .record:
      recordCount += 1
      if isOutputComplete { drain(now) }
    case .report: if !reports.isQuiet { standardError.append(contentsOf: reportBytes) }
    case .invalidText: failInvalidText(now)
    }
  }

  /// Does what the session asks for, in its order.
  func handleNativeEvents(_ now: Moment) {
    for event in native?.takeEvents() ?? [] {
      switch event {
      case .welcomed: tellOnline(now)
      case .record(let bytes, let receipt): place(bytes, receipt, now)
      case .passed(let receipt): native?.placed(receipt, endingAt: outputByteCount)
      case .report(let report):
        if case .failed = report {
          verdict.hasBadInput = true
          firstRefusal = firstRefusal ?? report.sentence
        }
        tell(report, now)
      case .note(let level, let text): note(level, text, now)
      case .invalidText: failInvalidText(now)
      // Several rooms may find the same link broken.
      case .broken(let end): if hasTransport { endLink(end, now) }
      }
    }
    if speech == .native { watchForAnswer(now) }
  }

  private func place(_ record: [UInt8], _ receipt: NativeSession.Receipt?, _ now: Moment) {
    guard !hasOutputClosed, !isOutputComplete else { return }
    standardOutput.append(contentsOf: record)
    outputByteCount += record.count
    if let receipt { native?.placed(receipt, endingAt: outputByteCount) }
    recordCount += 1
    if isOutputComplete { drain(now) }
  }

  /// So many bytes of standard output have been written, in the whole run.
  package func outputWritten(_ count: Int) {
    guard speech == .native, count > outputWrittenCount else { return }
    outputWrittenCount = count
    native?.outputTaken(upTo: count)
  }

  /// What goes to standard output without being a record, because standard error is the same pipe.
  package func shareOutput(_ bytes: [UInt8]) {
    standardOutput.append(contentsOf: bytes)
    outputByteCount += bytes.count
  }

  func sendNative(_ now: Moment, isLast: Bool = false) {
    native?.send(now.instant, isLast: isLast) { kind, payload in
      guard (connection?.output.count ?? .max) < Self.readAheadBytes else { return false }
      return connection?.send(kind, payload.span, 0..<payload.count) ?? false
    }
    handleNativeEvents(now)
    watchForAnswer(now)
  }

  /// Lets the probe's clock run for the server's next answer, from when what was sent has arrived.
  private func watchForAnswer(_ now: Moment) {
    guard let since = native?.owedSince, let count = connection?.output.count else {
      probedSince = nil
      if native != nil { ackProbe.cancel() }
      return
    }
    guard since != probedSince else { return }
    probedSince = since
    ackProbe.begin(covering: 0, outputCount: count, now: now.instant)
  }

  // MARK: Time

  var nativeDeadline: Instant? {
    guard let native else { return nil }
    return [native.nextDeadline, silenceDeadline].compactMap { $0 }.min()
  }

  func advanceNative(_ now: Moment) {
    if let deadline = silenceDeadline, now.instant >= deadline {
      return speechIsPlain(
        reason: "the server said nothing for \(Self.silence.shortText)", now)
    }
    guard speech == .native else { return }
    native?.advance(now.instant)
    handleNativeEvents(now)
  }

  // MARK: Reports

  /// Says what wsii has to say: on standard error, or, where standard output carries the records of a
  /// native server, there; then people at a terminal are told on standard error as well.
  func tell(_ report: Report, _ now: Moment) {
    let isForOutput =
      speech == .native && !settings.native.isText && !settings.outputIsTerminal
      && !hasOutputClosed
    if isForOutput {
      let count = standardOutput.count
      reports.appendAsRecord(report, now.timestamp, to: &standardOutput)
      outputByteCount += standardOutput.count - count
    }
    if !isForOutput || reports.isForPeople {
      reports.append(report, now.timestamp, to: &standardError)
    }
  }

  func tellOnline(_ now: Moment) {
    guard link.isOnline else { return }
    tell(.state(LinkReport(.online, attempt: link.attempt)), now)
  }
}
