package import Bytes
import JSONText
package import Timeline
import WebSocket

/// A run: lines on one side, a server on the other, and everything that is decided between them.
///
/// It moves no byte and reads no clock itself. Three groups of verbs: what happened comes in
/// (`transportReceived`, `inputReceived`, `stop`, …), what to do goes out (`takeActions`, the three
/// queues, `wantsInput`, `wantsTransport`), and time passes (`nextDeadline`, `advance`). Whoever
/// drives it calls `settle` once a turn, after what happened and before writing.
///
/// | course | begun by | meanwhile | goes on to |
/// |---|---|---|---|
/// | running | `start` | everything | draining |
/// | draining | end of input, TERM, INT, enough records, time over, a standard stream's failure | no input is read; the outbox empties, over new links if need be | closing when it is empty, no link can help, or time is over; finished if there is no link |
/// | closing | the Close frame is queued | records and acknowledgements still arrive until the server's Close | finished when the transport ends, or at the deadline |
/// | finished | | nothing | |
///
/// A second stop finishes at once. A standard stream that fails after that corrects the outcome.
package final class Bridge {
  /// What only the shell can do.
  package enum Action: Equatable, Sendable {
    /// Read the credentials, connect, then call `transportConnected` or `linkFailed`.
    case connect(attempt: Int)
    /// Close the transport, or give the attempt up.
    case dropTransport
    /// The run is over: write what is in the two queues, then exit. It may come again with another
    /// outcome, if that writing fails.
    case finish(Outcome)
  }

  enum Course: Equatable {
    case running
    case draining(until: Instant)
    case closing(until: Instant)
    case finished
  }

  let settings: BridgeSettings
  /// Records for standard output, and reports with people's lines for standard error.
  package var standardOutput = ByteQueue()
  package var standardError = ByteQueue()
  var reports: ReportWriter
  var actions: [Action] = []
  var course = Course.running
  var verdict = Verdict()
  /// A stop by signal: the server's answer to our Close is waited for only shortly.
  var isHasty = false

  // The link.
  var link: LinkMachine
  var handshake: ClientHandshake?
  var connection: ConnectionMachine?
  var handshakeOutput = ByteQueue()
  var handshakeDeadline: Instant?
  /// Why the present link will have ended, as far as that is known before its transport ends.
  var knownEnd: LinkEnd?
  /// Until when a link that we leave may take to close in order.
  var leaveDeadline: Instant?
  var hasTransport = false
  let fillWithChance: (inout [UInt32]) -> Void
  var chance: MaskingKeys

  /// The first line that was refused and the last link's end, for a quiet run's only word.
  var firstRefusal: String?
  var lastEnd: LinkEnd?

  // Delivery.
  var outbox = EphemeralOutbox()
  var ackProbe: AckProbe
  /// From the outbox's limit until half of it is free again, so that it isn't told line by line.
  var isFull = false

  // The protocol.
  var speech: BridgeSettings.Speech
  /// Not in a plain run.
  var native: NativeSession?
  var undecided = UndecidedLines()
  /// When the silence of a server that hasn't greeted us has lasted long enough.
  var silenceDeadline: Instant?
  /// Since when the native server's answer is awaited that the probe now stands for.
  var probedSince: Instant?

  // Input.
  var dialect: PlainDialect
  var splitter: LineSplitter
  var lineNumber = 0
  var hasInputEnded = false
  /// After a stop: bytes of standard input that are still read, if they are there already. A pipe
  /// holds no more than a MiB (pipe(7)), and a producer that goes on writing must not hold us up.
  var restToRead = 0
  static let maximumRest = 1 << 20

  // Output.
  var recordCount = 0
  var isOutputPaused = false
  var outputBlockedSince: Instant?
  /// Bytes of a native run's standard output that were queued, and that were written.
  var outputByteCount = 0
  var outputWrittenCount = 0
  var hasOutputClosed = false
  var endOfDuration: Instant?

  /// `fillWithChance` overwrites an array with random bits, for masking keys, waits and ids: from
  /// entropy in a run, from a seed in a test.
  package init(
    settings: BridgeSettings, reports: ReportWriter,
    fillWithChance: @escaping (inout [UInt32]) -> Void
  ) {
    self.settings = settings
    self.reports = reports
    self.fillWithChance = fillWithChance
    chance = MaskingKeys(refill: fillWithChance)
    link = LinkMachine(limits: settings.link)
    ackProbe = AckProbe(timeout: settings.ackTimeout)
    speech = settings.speech
    native = settings.speech == .plain ? nil : NativeSession(settings.native)
    dialect = PlainDialect(format: settings.format, isForTerminal: settings.outputIsTerminal)
    splitter = LineSplitter(maximumLength: settings.maximumMessage)
  }

  // MARK: Life

  package func start(_ now: Moment) {
    endOfDuration = settings.duration.map { now.instant + $0 }
    beginAttempt(now)
  }

  /// TERM, INT or HUP: no more input; what is queued still goes out if the link is up.
  package func stop(interrupted: Bool, _ now: Moment) {
    let isNews = !isHasty || (interrupted && !verdict.isInterrupted)
    if interrupted { verdict.isInterrupted = true }
    if course == .finished {
      // The last records are being written: they wait no longer, and the end is the signal's.
      isHasty = true
      if isNews { correctOutcome() }
      return
    }
    if course != .running, isHasty { return finish(now) }
    isHasty = true
    // What was written to us before the signal is sent with the rest; without a link it could only
    // be read and lost.
    if course == .running, !hasInputEnded, connection?.isOpen ?? false {
      restToRead = Self.maximumRest
    }
    if case .closing(let until) = course {
      course = .closing(until: min(until, now.instant + settings.hastyCloseTimeout))
    }
    drain(now)
  }

  /// USR1: a wait is cut short; an attempt or a link is given up for a new one.
  package func reconnect(_ now: Moment) {
    switch course {
    case .running, .draining: break
    case .closing, .finished: return
    }
    if connection?.isOpen ?? false { return leaveLink(.reconnecting, now) }
    // Also a link that is closing already: who asks twice doesn't want to wait for the server.
    if hasTransport { endLink(.reconnecting, now) }
    link.cutWait(now: now.instant)
  }

  /// Reading or writing a standard stream failed; `reason` names the call and the error.
  package func streamFailed(reason: String, _ now: Moment) {
    note(.error, reason, now)
    verdict.hasInputOutputError = true
    drain(now)
    correctOutcome()
  }

  package var hasActions: Bool { !actions.isEmpty }

  package func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }

  // MARK: Time

  package var nextDeadline: Instant? {
    if course == .finished { return nil }
    var deadlines = [
      handshakeDeadline, connection?.nextDeadline, ackProbe.deadline, leaveDeadline, stallDeadline,
      endOfDuration, nativeDeadline,
    ]
    // No attempt is made while nobody reads what it would bring.
    if !stopsReading { deadlines.append(link.nextDeadline) }
    switch course {
    case .draining(let until), .closing(let until): deadlines.append(until)
    case .running, .finished: break
    }
    return deadlines.compactMap { $0 }.min()
  }

  /// Does what is due. Hand over first what the transport has: it may be what is waited for.
  ///
  /// `unsentByteCount` is what the kernel still holds of what was written: while it shrinks, a slow
  /// link is alive though nothing is acknowledged.
  package func advance(_ now: Moment, unsentByteCount: Int?) {
    guard course != .finished else { return }
    if let end = endOfDuration, now.instant >= end {
      endOfDuration = nil
      drain(now)
    }
    switch course {
    case .draining(let until) where now.instant >= until:
      closeForGood(now)
    case .closing(let until) where now.instant >= until:
      endLink(.lost(reason: "the server didn't answer our Close frame"), now)
    default: break
    }
    if let deadline = handshakeDeadline, now.instant >= deadline { handshakeIsLate(now) }
    if let deadline = stallDeadline, now.instant >= deadline { giveUpBlockedOutput(now) }
    if let deadline = leaveDeadline, now.instant >= deadline {
      endLink(.lost(reason: "the server didn't answer our Close frame"), now)
    }
    if let deadline = ackProbe.deadline, now.instant >= deadline {
      checkProbe(now, unsentByteCount: unsentByteCount)
    }
    if native != nil { advanceNative(now) }
    if let event = connection?.advance(to: now.instant) { handle(event, now) }
    // Not before the old transport is gone: what it still says would be taken for the new one's.
    if link.isDue(now: now.instant), !stopsReading, !hasActions { beginAttempt(now) }
  }

  // MARK: The way to the end

  /// Reads no more; ends when the outbox is empty, or can't be emptied in time.
  func drain(_ now: Moment) {
    guard course == .running else { return }
    course = .draining(until: now.instant + settings.drainTimeout)
    tell(.state(LinkReport(.stopping)), now)
  }

  /// Goes from draining to closing as soon as nothing is left to wait for.
  func closeWhenDrained(_ now: Moment) {
    if isDrained { closeForGood(now) }
  }

  /// Whether the run is draining, and waiting longer couldn't help what is still queued.
  var isDrained: Bool {
    guard case .draining(let end) = course else { return false }
    if link.state == .ended { return true }
    if restToRead > 0, connection?.isOpen ?? false { return false }
    if waitingCount == 0 { return true }
    // After a signal nobody wants to sit through a backoff.
    if isHasty { return !(connection?.isOpen ?? false) }
    return link.nextDeadline.map { $0 >= end } ?? false
  }

  private func closeForGood(_ now: Moment) {
    restToRead = 0
    guard connection != nil else { return finish(now) }
    sendNative(now, isLast: true)
    connection?.sendClose(.normal, reason: [], now: now.instant)
    // Without reading, the server's answer can't be seen; without a reader nobody wants it.
    let isBrief = isHasty || stopsReading || hasOutputClosed
    course = .closing(
      until: now.instant + (isBrief ? settings.hastyCloseTimeout : settings.closeTimeout))
  }

  func finish(_ now: Moment) {
    guard course != .finished else { return }
    judgeUndelivered(now)
    explainQuietly(now)
    course = .finished
    restToRead = 0
    link.stop()
    ackProbe.cancel()
    dropTransport()
    actions.append(.finish(verdict.outcome))
  }

  /// A quiet run says nothing while it goes well; a status that isn't 0 still needs a reason.
  private func explainQuietly(_ now: Moment) {
    guard reports.isQuiet else { return }
    switch verdict.outcome {
    case .refused, .otherUser, .protocolViolation, .unavailable:
      if let lastEnd { note(.error, lastEnd.explanation, now) }
    case .badInput:
      if let firstRefusal { note(.error, firstRefusal, now) }
    case .done, .inputOutputError, .interrupted, .brokenPipe: break
    }
  }

  private func judgeUndelivered(_ now: Moment) {
    let count = waitingCount
    guard count > 0 else { return }
    if link.isParked { verdict.isRefused = true } else { verdict.isUnavailable = true }
    note(
      .error,
      "\(count) message\(count == 1 ? " was" : "s were") not delivered and "
        + "\(count == 1 ? "is" : "are") lost, since nothing is kept on disk yet", now)
  }

  /// What goes wrong while the last records are written still counts.
  func correctOutcome() {
    if course == .finished { actions.append(.finish(verdict.outcome)) }
  }

  func dropTransport() {
    handshake = nil
    connection = nil
    handshakeDeadline = nil
    leaveDeadline = nil
    handshakeOutput.removeAll()
    if hasTransport {
      hasTransport = false
      actions.append(.dropTransport)
    }
  }

  /// How long the last records may wait for a reader that doesn't read, once the run is over.
  package var flushPatience: Duration {
    isHasty ? settings.hastyCloseTimeout : settings.drainTimeout
  }

  /// Standard error isn't read, and has piled up too much. The first line stays, since a part of it
  /// may be written already.
  package func dropErrors(_ now: Moment) {
    let firstLine = standardError.withUnsafeBytes { bytes in
      bytes.firstIndex(of: UInt8(ascii: "\n")).map { Array(bytes[...$0]) } ?? []
    }
    standardError.removeAll()
    standardError.append(contentsOf: firstLine)
    note(.error, "standard error wasn't read: reports were dropped here", now)
  }

  /// A line for people on standard error.
  package func note(_ level: LogLevel, _ text: String, _ now: Moment) {
    reports.appendNote(level, text, now.timestamp, to: &standardError)
  }
}
