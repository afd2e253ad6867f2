import Bytes
package import Timeline
package import WebSocket

/// The link: attempts, the handshake, frames in, ends.
extension Bridge {
  func beginAttempt(_ now: Moment) {
    link.begin()
    ackProbe.linkBegan()
    hasTransport = true
    tell(.state(LinkReport(.connecting, attempt: link.attempt)), now)
    actions.append(.connect(attempt: link.attempt))
  }

  /// The transport stands; the upgrade request goes out. `secrets` are kept out of every report.
  package func transportConnected(
    _ handshake: ClientHandshake, secrets: [String], _ now: Moment
  ) {
    guard hasTransport, self.handshake == nil, connection == nil else { return }
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
    receiveFrames(bytes, at: &position, now)
    takeFrameTraces(now)
  }

  /// The server, or the network, ended the transport; `error` says how if it wasn't in order.
  package func transportEnded(error: String?, _ now: Moment) {
    guard hasTransport else { return }
    if let outcome = handshake?.receiveEnd() {
      conclude(outcome, error, now)
    } else if let error {
      endLink(.lost(reason: error), now)
    } else if let event = connection?.receiveEnd() {
      handle(event, now)
    } else {
      endLink(.lost(reason: "the connection ended"), now)
    }
  }

  /// The server's answer to the upgrade; returns whether frames may follow.
  private func advanceHandshake(
    _ bytes: Span<UInt8>, at position: inout Int, _ now: Moment
  ) -> Bool {
    guard let outcome = handshake?.receive(bytes, at: &position) else {
      if handshake?.isRefused ?? false {
        let end = now.instant + settings.refusalBodyTimeout
        handshakeDeadline = min(handshakeDeadline ?? end, end)
      }
      return false
    }
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
    limits.maximumMessage = maximumFrame
    // Keys of its own: a pool that two owners drew from would give the same key twice. The dialect
    // looks at every byte of a text anyway, and finds bad UTF-8 on the way.
    var machine = ConnectionMachine(
      client: MaskingKeys(refill: fillWithChance), limits: limits, keepalive: settings.keepalive,
      validatesWholeMessages: false, now: now.instant)
    machine.isTracing = settings.traces
    if isReadingStopped { machine.pauseReading() }
    // The handshake was read although nobody reads records; from here on that counts anew.
    if outputBlockedSince != nil { outputBlockedSince = now.instant }
    connection = machine
    link.opened(now: now.instant)
    if speech == .plain { tellOnline(now) } else { awaitGreeting(now) }
    for frame in settings.hello {
      _ = connection?.send(frame.kind, frame.payload.span, 0..<frame.payload.count)
    }
  }

  // MARK: What the connection says

  func handle(_ event: ConnectionMachine.Event, _ now: Moment) {
    switch event {
    case .message:
      // Those that somebody wants have become records.
      break
    case .pong(let payload):
      if let count = ackProbe.take(payload) { acknowledge(upTo: count, now) }
    case .peerClosed(let frame):
      // An illegal code is an error of the server, but above all it is its last word.
      learn(.closed(code: frame.code?.rawValue, reason: frame.reason))
    case .failed(let error):
      learn(.protocolViolation(reason: error.description, code: error.closeCode.rawValue))
    case .lost(let reason):
      endLink(.lost(reason: explanation(of: reason)), now)
    case .closed:
      endLink(.lost(reason: "the connection was closed"), now)
    }
  }

  /// The link will end, and why. The first reason stands; only a refusal outweighs that we wanted to
  /// leave anyway. No more pongs come.
  private func learn(_ end: LinkEnd) {
    if knownEnd == nil || end.isRefusal { knownEnd = end }
    ackProbe.cancel()
  }

  private func explanation(of loss: ConnectionMachine.LossReason) -> String {
    switch loss {
    case .pingTimeout: "the server stopped answering pings"
    case .closeTimeout: "the server didn't answer our Close frame"
    case .endWithoutClose: "the connection ended without a Close frame"
    }
  }

  /// The link is over: says so, and decides what follows. What was known before outweighs `end`.
  func endLink(_ end: LinkEnd, _ now: Moment) {
    guard course != .finished else { return }
    let end = knownEnd ?? end
    knownEnd = nil
    lastEnd = end
    takeFrameTraces(now)
    dropTransport()
    outbox.linkLost()
    native?.linkLost()
    silenceDeadline = nil
    ackProbe.cancel()
    if case .closing = course { return endClosing(end, now) }
    switch link.failed(end, now: now.instant, chance: chance.next()) {
    case .retry(let wait):
      report(.offline, end, retryIn: isDrained ? nil : wait, now)
    case .parked(let wait):
      report(.refused, end, retryIn: isDrained ? nil : wait, now)
    case .ended:
      report(end.isRefusal ? .refused : .offline, end, retryIn: nil, now)
      judge(end)
      if end.closeCode != CloseCode.normal.rawValue, !end.isRefusal, !end.isProtocolViolation {
        verdict.isUnavailable = true
      }
      if course == .running { course = .draining(until: now.instant) }
    }
    closeWhenDrained(now)
  }

  /// The end of a link that we closed for good is told only if it went wrong.
  private func endClosing(_ end: LinkEnd, _ now: Moment) {
    if end.isRefusal || end.isProtocolViolation {
      report(end.isRefusal ? .refused : .offline, end, retryIn: nil, now)
      judge(end)
    }
    finish(now)
  }

  private func judge(_ end: LinkEnd) {
    if case .otherUser = end {
      verdict.hasOtherUser = true
    } else if end.isRefusal {
      verdict.isRefused = true
    }
    if end.isProtocolViolation { verdict.hasProtocolViolation = true }
  }

  private func report(
    _ state: LinkReport.State, _ end: LinkEnd, retryIn wait: Duration?, _ now: Moment
  ) {
    tell(
      .state(
        LinkReport(
          state, end: end, attempt: link.attempt == 0 ? nil : link.attempt, retryIn: wait)), now)
  }

  /// Gives the open link up for a new one, in order but briefly.
  func leaveLink(_ end: LinkEnd, _ now: Moment) {
    knownEnd = end
    connection?.sendClose(.normal, reason: [], now: now.instant)
    leaveDeadline = now.instant + settings.leaveTimeout
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
    if let location { parts.append("to \(SecretNames.masked(target: location))") }
    let firstLine = body.prefix { $0 != UInt8(ascii: "\n") }.prefix(200)
    if !firstLine.isEmpty { parts.append("(\(String(decoding: firstLine, as: UTF8.self)))") }
    return parts.joined(separator: " ")
  }
}
