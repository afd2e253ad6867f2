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
/// | draining | end of input, TERM, INT, enough records, time over, closed standard output | no input is read; the outbox empties | closing when it is empty, no link can help, or time is over |
/// | closing | the Close frame is queued | records still arrive until the server's Close | finished at the server's Close, the end of the transport, or the deadline |
/// | finished | | nothing | |
///
/// A second stop finishes at once.
package final class Bridge {
  /// What only the shell can do.
  package enum Action: Equatable, Sendable {
    /// Read the credentials, connect, then call `transportConnected` or `linkFailed`.
    case connect(attempt: Int)
    /// Close the transport, or give the attempt up.
    case dropTransport
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
  var hasTransport = false
  let fillWithChance: (inout [UInt32]) -> Void
  var chance: MaskingKeys

  // Delivery.
  var outbox = EphemeralOutbox()
  var ackProbe = AckProbe()
  var isReportedFull = false

  // Input.
  var dialect: PlainDialect
  var splitter: LineSplitter
  var lineNumber = 0
  var hasInputEnded = false

  // Output.
  var recordCount = 0
  var outputBlockedSince: Instant?
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
    if interrupted { verdict.isInterrupted = true }
    if course != .running, isHasty { return finish() }
    isHasty = true
    drain(now)
  }

  /// USR1: a wait is cut short, a link is given up for a new one.
  package func reconnect(_ now: Moment) {
    guard course == .running else { return }
    if link.reconnectNow(now: now.instant) { return }
    if connection != nil { leaveLink(reason: "asked to reconnect", now) }
  }

  /// Reading or writing a standard stream failed; `reason` names the call and the error.
  package func streamFailed(reason: String, _ now: Moment) {
    note(.error, reason, now)
    verdict.hasInputOutputError = true
    drain(now)
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
      link.nextDeadline, handshakeDeadline, connection?.nextDeadline, ackProbe.deadline,
      endOfDuration,
    ]
    if outputBlockedSince != nil, link.nextDeadline != nil { deadlines[0] = nil }
    if let since = outputBlockedSince, connection != nil {
      deadlines.append(since + settings.stallTimeout)
    }
    switch course {
    case .draining(let until), .closing(let until): deadlines.append(until)
    case .running, .finished: break
    }
    return deadlines.compactMap { $0 }.min()
  }

  /// Does what is due.
  ///
  /// `unsentByteCount` is what the kernel still holds of what was written: while it shrinks, a slow
  /// link is alive though nothing is acknowledged.
  package func advance(_ now: Moment, unsentByteCount: Int?) {
    if let end = endOfDuration, now.instant >= end {
      endOfDuration = nil
      drain(now)
    }
    switch course {
    case .draining(let until) where now.instant >= until: closeForGood(now)
    case .closing(let until) where now.instant >= until: finish()
    default: break
    }
    if let deadline = handshakeDeadline, now.instant >= deadline { handshakeIsLate(now) }
    if let since = outputBlockedSince, connection != nil,
      now.instant >= since + settings.stallTimeout
    {
      giveUpBlockedOutput(now)
    }
    if let deadline = ackProbe.deadline, now.instant >= deadline {
      probeIsLate(now, unsentByteCount: unsentByteCount)
    }
    if connection != nil, let event = connection?.advance(to: now.instant) {
      handle(event, now)
    }
    if link.isDue(now: now.instant), outputBlockedSince == nil { beginAttempt(now) }
  }

  // MARK: The way to the end

  /// Reads no more; ends when the outbox is empty, or can't be emptied in time.
  func drain(_ now: Moment) {
    guard course == .running else { return }
    course = .draining(until: now.instant + settings.drainTimeout)
    reports.append(.state(LinkReport(.stopping)), now.timestamp, to: &standardError)
  }

  /// Whether waiting longer could still help what is queued.
  private var canStillDeliver: Bool {
    if outbox.isEmpty || verdict.isRefused { return false }
    // After a signal nobody wants to sit through a backoff.
    return isHasty ? link.isOnline : link.state != .ended
  }

  /// Goes from draining to closing as soon as nothing is left to wait for.
  func closeWhenDrained(_ now: Moment) {
    guard case .draining = course, !canStillDeliver else { return }
    closeForGood(now)
  }

  private func closeForGood(_ now: Moment) {
    reportUndelivered(now)
    guard connection != nil, outputBlockedSince == nil else { return finish() }
    connection?.sendClose(.normal, reason: [], now: now.instant)
    course = .closing(
      until: now.instant + (isHasty ? settings.hastyCloseTimeout : .seconds(5)))
  }

  private func reportUndelivered(_ now: Moment) {
    guard !outbox.isEmpty else { return }
    verdict.isUnavailable = true
    note(
      .error,
      "\(outbox.count) message\(outbox.count == 1 ? " was" : "s were") not delivered and "
        + "\(outbox.count == 1 ? "is" : "are") lost, since nothing is kept on disk yet", now)
  }

  func finish() {
    guard course != .finished else { return }
    course = .finished
    link.stop()
    dropTransport()
    actions.append(.finish(verdict.outcome))
  }

  func dropTransport() {
    handshake = nil
    connection = nil
    handshakeDeadline = nil
    handshakeOutput.removeAll()
    if hasTransport {
      hasTransport = false
      actions.append(.dropTransport)
    }
  }

  /// How long the last records may wait for a reader that doesn't read, once the run is over.
  package var flushPatience: Duration {
    isHasty ? settings.hastyCloseTimeout : .seconds(1)
  }

  /// Standard error isn't read, and has piled up too much.
  package func dropErrors(_ now: Moment) {
    standardError.removeAll()
    note(.error, "standard error wasn't read: reports were dropped here", now)
  }

  /// A line for people on standard error.
  package func note(_ level: LogLevel, _ text: String, _ now: Moment) {
    reports.appendNote(level, text, now.timestamp, to: &standardError)
  }
}
