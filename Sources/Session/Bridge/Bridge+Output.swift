import Bytes
package import Timeline
import WebSocket

/// Frames in, records out to standard output, and what happens when nobody takes them.
extension Bridge {
  /// Whether the transport is read: while standard output is blocked, not beyond the handshake.
  package var wantsTransport: Bool {
    hasTransport && (!stopsReading || connection == nil)
  }

  /// Whether nobody reads and that stops us as well. A native server keeps messages for later, so
  /// there the answers to ours needn't wait.
  var stopsReading: Bool { outputBlockedSince != nil && speech == .plain }

  /// Frames become records; what else the connection says is handled.
  func receiveFrames(_ bytes: Span<UInt8>, at position: inout Int, _ now: Moment) {
    if speech != .plain { receiveNative(bytes, at: &position, now) }
    var stop: InboundStream.Stop
    repeat {
      var reportBytes: [UInt8] = []
      let wanted = hasOutputClosed ? 0 : settings.recordLimit.map { $0 - recordCount } ?? .max
      var left = wanted
      stop = InboundStream.run(
        &connection, &dialect, &standardOutput, &reportBytes, bytes, at: &position,
        now: now.instant, count: &left)
      recordCount &+= wanted &- left
      if left == 0, wanted > 0 { drain(now) }
      switch stop {
      case .inputTaken: break
      case .event(let event): handle(event, now)
      case .invalidText:
        failInvalidText(now)
      case .reported:
        if !reports.isQuiet { standardError.append(contentsOf: reportBytes) }
      }
    } while stop != .inputTaken
  }

  func failInvalidText(_ now: Moment) {
    if let event = connection?.failInvalidText(now: now.instant) { handle(event, now) }
  }

  var isOutputComplete: Bool {
    settings.recordLimit.map { recordCount >= $0 } ?? false
  }

  /// The reader of standard output went away: nothing more for it, but the outbox is emptied.
  package func outputClosed(_ now: Moment) {
    hasOutputClosed = true
    verdict.hasBrokenPipe = true
    standardOutput.removeAll()
    outputBlocked(false, now)
    drain(now)
    correctOutcome()
  }

  /// Standard output is slow, and whoever drives this reads the transport only when it isn't.
  package func outputPaused(_ isPaused: Bool, _ now: Moment) {
    guard isPaused != isOutputPaused else { return }
    let wasStopped = isReadingStopped
    isOutputPaused = isPaused
    readingChanged(from: wasStopped, now)
  }

  /// The run is over and nobody took its last records. After a signal that is nobody's fault; otherwise
  /// a status of 0 would be a lie.
  package func outputAbandoned(byteCount: Int, _ now: Moment) {
    note(
      .error, "\(byteCount) bytes of records were not taken from standard output and are lost", now)
    guard !isHasty else { return }
    verdict.hasInputOutputError = true
    correctOutcome()
  }

  /// Every buffer behind standard output is full, or has room again.
  package func outputBlocked(_ isBlocked: Bool, _ now: Moment) {
    guard isBlocked != (outputBlockedSince != nil) else { return }
    let wasStopped = isReadingStopped
    outputBlockedSince = isBlocked ? now.instant : nil
    if isBlocked {
      let consequence =
        speech == .plain ? "reading from the server stops" : "messages are left with the server"
      note(.warning, "standard output isn't read: \(consequence)", now)
    }
    readingChanged(from: wasStopped, now)
    native?.outputBlocked(isBlocked)
    handleNativeEvents(now)
  }

  /// Whether the server's pongs are left unread, so that silence proves nothing.
  var isReadingStopped: Bool { outputBlockedSince != nil ? stopsReading : isOutputPaused }

  private func readingChanged(from wasStopped: Bool, _ now: Moment) {
    guard isReadingStopped != wasStopped else { return }
    if isReadingStopped {
      connection?.pauseReading()
    } else {
      connection?.resumeReading(now: now.instant)
      ackProbe.restart(now: now.instant)
    }
  }

  /// When a reader that stands still costs the link: the server, too, has only so much patience and
  /// memory.
  var stallDeadline: Instant? {
    guard stopsReading, let since = outputBlockedSince, connection?.isOpen ?? false else {
      return nil
    }
    return since + settings.stallTimeout
  }

  /// Leaves the link; the next one waits until somebody reads.
  func giveUpBlockedOutput(_ now: Moment) {
    let reason = "standard output wasn't read for \(settings.stallTimeout.shortText)"
    tell(.gap(reason: reason), now)
    leaveLink(.left(reason: reason), now)
  }
}
