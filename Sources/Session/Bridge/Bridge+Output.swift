import Bytes
package import Timeline
import WebSocket

/// Frames in, records out to standard output, and what happens when nobody takes them.
extension Bridge {
  /// Whether the transport is read: while standard output is blocked, not beyond the handshake.
  package var wantsTransport: Bool {
    hasTransport && (outputBlockedSince == nil || connection == nil)
  }

  /// Frames become records; what else the connection says is handled.
  func receiveFrames(_ bytes: Span<UInt8>, at position: inout Int, _ now: Moment) {
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
        if let event = connection?.failInvalidText(now: now.instant) { handle(event, now) }
      case .reported:
        if !reports.isQuiet { standardError.append(contentsOf: reportBytes) }
      }
    } while stop != .inputTaken
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
    guard let since = outputBlockedSince, connection?.isOpen ?? false else { return nil }
    return since + settings.stallTimeout
  }

  /// Leaves the link; the next one waits until somebody reads.
  func giveUpBlockedOutput(_ now: Moment) {
    let reason = "standard output wasn't read for \(settings.stallTimeout.shortText)"
    reports.append(.gap(reason: reason), now.timestamp, to: &standardError)
    leaveLink(.left(reason: reason), now)
  }
}
