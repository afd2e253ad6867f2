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

  /// Every buffer behind standard output is full, or has room again.
  package func outputBlocked(_ isBlocked: Bool, _ now: Moment) {
    guard isBlocked != (outputBlockedSince != nil) else { return }
    outputBlockedSince = isBlocked ? now.instant : nil
    guard speech == .plain else {
      native?.outputBlocked(isBlocked)
      if isBlocked {
        note(.warning, "standard output isn't read: messages are left with the server", now)
      }
      return handleNativeEvents(now)
    }
    if isBlocked {
      connection?.pauseReading()
      note(.warning, "standard output isn't read: reading from the server stops", now)
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
