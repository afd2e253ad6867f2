import Hub
import Posix
import Timeline
import WebSocket

/// Gives every message back as it came.
final class Echo: HubApplication {
  /// A client that doesn't read isn't read from while so much waits for it.
  private static let maximumBacklog = 1 << 20
  /// Some room before reading goes on, or each small write would be followed by a small read.
  private static let resumingBacklog = 256 << 10

  let limits: WebSocketLimits
  private let tokens: TokenFile?

  /// - Parameter tokens: who may connect; nil lets everybody in.
  init(maximumMessage: Int, tokens: TokenFile? = nil) {
    var limits = WebSocketLimits()
    limits.maximumMessage = maximumMessage
    self.limits = limits
    self.tokens = tokens
  }

  func judge(_ upgrade: UpgradeRequest, of connection: HubConnection, _ now: Moment) {
    guard let tokens else { return connection.open(upgrade.acceptance()) }
    switch Admission.judge(upgrade, tokens: tokens, chance: { 0 }) {
    case .accepted(_, let subprotocol):
      connection.open(upgrade.acceptance(subprotocol: subprotocol))
    case .refused(let status, let reason): connection.refuse(status, reason)
    }
  }

  func receive(
    _ kind: MessageKind, _ message: Span<UInt8>, from connection: HubConnection, _ now: Moment
  ) {
    connection.send(kind, message)
  }

  func wrote(to connection: HubConnection, _ now: Moment) {
    if connection.backlog > Self.maximumBacklog {
      connection.pauseReading()
    } else if connection.backlog <= Self.resumingBacklog {
      connection.resumeReading()
    }
  }

  func ended(_ connection: HubConnection, _ now: Moment) {}
  func stop(_ now: Moment) {}
  func turnEnds(_ now: Moment) {}
  var nextDeadline: Instant? { nil }
  func advance(_ now: Moment) {}
}
