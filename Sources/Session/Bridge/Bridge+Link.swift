import Bytes
package import Timeline
package import WebSocket

/// The link: attempts, the handshake, frames in, ends.
extension Bridge {
  func beginAttempt(_ now: Moment) {
    guard course == .running || isDraining else { return }
    link.begin()
    knownEnd = nil
    hasTransport = true
    reports.append(
      .state(LinkReport(.connecting, attempt: link.attempt)), now.timestamp, to: &standardError)
    actions.append(.connect(attempt: link.attempt))
  }

  private var isDraining: Bool {
    if case .draining = course { return true }
    return false
  }

  /// The transport stands; the upgrade request goes out. `secrets` are kept out of every report.
  package func transportConnected(
    _ handshake: ClientHandshake, secrets: [String], _ now: Moment
  ) {
    guard hasTransport, connection == nil else { return }
    reports.secrets = secrets
    self.handshake = handshake
    handshakeOutput.removeAll()
    handshakeOutput.append(contentsOf: handshake.request.bytes)
    handshakeDeadline = now.instant + settings.handshakeTimeout
    if settings.traces { trace(handshake.request.traceLines(isReceived: false), now) }
  }

  /// The attempt failed before the handshake.
  package func linkFailed(_ end: LinkEnd, _ now: Moment) {
    guard hasTransport else { return }
    endLink(end, now)
  }

  /// Bytes from the server; the buffer is only borrowed.
  package func transportReceived(_ bytes: Span<UInt8>, _ now: Moment) {
    var position = 0
    if handshake != nil {
      guard advanceHandshake(bytes, at: &position, now) else { return }
    }
    while let event = connection?.receive(bytes, at: &position, now: now.instant) {
      handle(event, bytes, now)
    }
    takeFrameTraces(now)
  }

  /// The server, or the network, ended the transport; `error` says how if it wasn't in order.
  package func transportEnded(error: String?, _ now: Moment) {
    guard hasTransport else { return }
    if let outcome = handshake?.receiveEnd() {
      conclude(outcome, error, now)
    } else if let event = connection?.receiveEnd() {
      if error == nil || knownEnd != nil {
        handle(event, now)
      } else {
        endLink(.lost(reason: error ?? ""), now)
      }
    } else {
      endLink(knownEnd ?? .lost(reason: error ?? "the connection ended"), now)
    }
  }

  /// The server's answer to the upgrade; returns whether frames may follow.
  private func advanceHandshake(
    _ bytes: Span<UInt8>, at position: inout Int, _ now: Moment
  ) -> Bool {
    guard let outcome = handshake?.receive(bytes, at: &position) else { return false }
    if settings.traces, let response = handshake?.response {
      trace(response.traceLines(isReceived: true), now)
    }
    conclude(outcome, nil, now)
    return connection != nil
  }

  private func conclude(_ outcome: ClientHandshake.Outcome, _ error: String?, _ now: Moment) {
    switch outcome {
    case .accepted:
      handshake = nil
      handshakeDeadline = nil
      open(now)
    case .refused(let refusal):
      let wait = refusal.retryAfter.flatMap { RetryAfter.parse($0, now: now.timestamp) }
      endLink(
        .refusedUpgrade(
          status: refusal.status, reason: refusal.explanation, retryAfter: wait), now)
    case .invalid(.endOfStream):
      endLink(.lost(reason: error ?? "\(HandshakeError.endOfStream)"), now)
    case .invalid(let error):
      endLink(.protocolViolation(reason: error.description, code: nil), now)
    }
  }

  /// Nobody waits for the answer any longer.
  func handshakeIsLate(_ now: Moment) {
    let late = "no answer to the upgrade in \(settings.handshakeTimeout.shortText)"
    guard let outcome = handshake?.receiveEnd() else { return endLink(.lost(reason: late), now) }
    conclude(outcome, late, now)
  }

  private func open(_ now: Moment) {
    var limits = WebSocketLimits()
    limits.maximumMessage = settings.maximumMessage
    // Keys of its own: a pool that two owners drew from would give the same key twice. The dialect
    // looks at every byte of a text anyway, and finds bad UTF-8 on the way.
    var machine = ConnectionMachine(
      client: MaskingKeys(refill: fillWithChance), limits: limits, keepalive: settings.keepalive,
      validatesWholeMessages: false, now: now.instant)
    machine.isTracing = settings.traces
    connection = machine
    link.opened(now: now.instant)
    reports.append(
      .state(LinkReport(.online, attempt: link.attempt)), now.timestamp, to: &standardError)
    for frame in settings.hello {
      _ = connection?.send(frame.kind, frame.payload.span, 0..<frame.payload.count)
    }
  }

  // MARK: What the connection says

  func handle(_ event: ConnectionMachine.Event, _ bytes: Span<UInt8>, _ now: Moment) {
    switch event {
    case .message(let kind, .input(let range)):
      deliver(kind, bytes, range, now)
    case .message(let kind, .assembled):
      guard let assembled = connection?.assembled else { return }
      deliver(kind, assembled.span, 0..<assembled.count, now)
    case .pong(let payload):
      if let count = ackProbe.take(payload) { acknowledge(upTo: count, now) }
    case .peerClosed(let frame):
      knownEnd = .closed(code: frame.code?.rawValue, reason: frame.reason)
    case .failed(let error):
      // An illegal close code is an error of the server, but above all it is its last word.
      if knownEnd == nil {
        knownEnd = .protocolViolation(reason: error.description, code: error.closeCode.rawValue)
      }
    case .lost(let reason):
      endLink(knownEnd ?? .lost(reason: explanation(of: reason)), now)
    case .closed:
      endLink(knownEnd ?? .lost(reason: "the connection was closed"), now)
    }
  }

  /// An event that doesn't point into an input.
  func handle(_ event: ConnectionMachine.Event, _ now: Moment) {
    let none: [UInt8] = []
    handle(event, none.span, now)
  }

  private func explanation(of loss: ConnectionMachine.LossReason) -> String {
    switch loss {
    case .pingTimeout: "the server stopped answering pings"
    case .closeTimeout: "the server didn't answer our Close frame"
    case .endWithoutClose: "the connection ended without a Close frame"
    }
  }

  /// The link is over: says so, and decides what follows.
  func endLink(_ end: LinkEnd, _ now: Moment) {
    let isOver = connection != nil && isClosing
    dropTransport()
    outbox.linkLost()
    ackProbe.cancel()
    if isOver { return finish() }
    guard course != .finished else { return }
    switch link.failed(end, now: now.instant, chance: chance.next()) {
    case .retry(let wait):
      report(.offline, end, retryIn: wait, now)
      // After a signal no new attempt is worth waiting for.
      if isHasty { closeWhenDrained(now) }
    case .parked(let wait):
      report(.refused, end, retryIn: wait, now)
    case .ended:
      report(end.isRefusal ? .refused : .offline, end, retryIn: nil, now)
      endRun(after: end, now)
    }
  }

  private var isClosing: Bool {
    if case .closing = course { return true }
    return false
  }

  /// No further attempt will be made.
  private func endRun(after end: LinkEnd, _ now: Moment) {
    if end.isRefusal {
      verdict.isRefused = true
    } else if end.isProtocolViolation {
      verdict.hasProtocolViolation = true
    } else if end.closeCode != CloseCode.normal.rawValue {
      verdict.isUnavailable = true
    }
    if course == .running { course = .draining(until: now.instant) }
    closeWhenDrained(now)
  }

  private func report(
    _ state: LinkReport.State, _ end: LinkEnd, retryIn wait: Duration?, _ now: Moment
  ) {
    reports.append(
      .state(LinkReport(state, end: end, attempt: link.attempt, retryIn: wait)), now.timestamp,
      to: &standardError)
  }

  /// Gives the present link up for a new one.
  func leaveLink(reason: String, _ now: Moment) {
    knownEnd = .left(reason: reason)
    connection?.sendClose(.normal, reason: [], now: now.instant)
  }

  // MARK: Trace

  func takeFrameTraces(_ now: Moment) {
    guard settings.traces, let traces = connection?.takeTraces() else { return }
    trace(traces.map(\.description), now)
  }

  private func trace(_ lines: [String], _ now: Moment) {
    for line in lines { reports.appendTrace(line, now.timestamp, to: &standardError) }
  }
}

extension ClientHandshake.Refusal {
  /// The reason phrase, with the place a redirect points to and the beginning of what a person
  /// would have read in a browser.
  var explanation: String {
    var parts: [String] = []
    if !reason.isEmpty { parts.append(String(decoding: reason, as: UTF8.self)) }
    if let location { parts.append("to \(String(decoding: location, as: UTF8.self))") }
    let firstLine = body.prefix { $0 != UInt8(ascii: "\n") }.prefix(200)
    if !firstLine.isEmpty { parts.append("(\(String(decoding: firstLine, as: UTF8.self)))") }
    return parts.joined(separator: " ")
  }
}
