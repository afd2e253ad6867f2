import Hub
import Posix
import Timeline
import WebSocket

/// Serves rooms over the native protocol: carries out what a `HubMachine` decides.
final class Rooms: HubApplication {
  /// So many get their messages up to `PendingConnections.gatheringTime` later when there are many messages.
  private static let crowd = 256

  let limits: WebSocketLimits
  private let machine: HubMachine
  /// By the slot of their ids.
  private var members: [HubConnection?] = []
  private var isPerforming = false

  init(_ machine: HubMachine) {
    self.machine = machine
    var limits = WebSocketLimits()
    limits.maximumMessage = machine.limits.maximumFrame
    self.limits = limits
  }

  func judge(_ upgrade: UpgradeRequest, of connection: HubConnection, _ now: Moment) {
    switch machine.admit(upgrade) {
    case .refused(let status, let reason): connection.refuse(status, reason)
    case .accepted(let identity, let subprotocol):
      connection.open(upgrade.acceptance(subprotocol: subprotocol))
      let id = machine.connect(identity, now)
      while members.count <= id.slot { members.append(nil) }
      members[id.slot] = connection
      connection.clientID = id
      perform(now)
    }
  }

  func receive(
    _ kind: MessageKind, _ message: Span<UInt8>, from connection: HubConnection, _ now: Moment
  ) {
    guard let id = connection.clientID else { return }
    machine.receive(kind, message, 0..<message.count, from: id, now)
    perform(now)
  }

  func wrote(to connection: HubConnection, _ now: Moment) {
    guard let id = connection.clientID else { return }
    machine.noteBacklog(connection.backlog, of: id, now)
    perform(now)
  }

  func ended(_ connection: HubConnection, _ now: Moment) {
    guard let id = connection.clientID else { return }
    forget(connection, id)
    machine.disconnect(id, now)
    perform(now)
  }

  func stop(_ now: Moment) {
    machine.stop(now)
    perform(now)
  }

  var nextDeadline: Instant? { machine.nextDeadline }

  func advance(_ now: Moment) {
    machine.advance(now)
    perform(now)
  }

  // MARK: What the machine asks for

  /// Does all of it in its order: what comes of an action that ends a connection waits for its turn.
  private func perform(_ now: Moment) {
    guard !isPerforming else { return }
    isPerforming = true
    while machine.hasActions {
      for action in machine.takeActions() { perform(action) }
    }
    isPerforming = false
  }

  private func perform(_ action: HubMachine.Action) {
    switch action {
    case .send(let frame, let id): connection(id)?.send(encoded: frame.span)
    case .broadcast(let frame, let ids):
      let isUrgent = ids.count < Self.crowd
      for id in ids { connection(id)?.send(encoded: frame.span, isUrgent: isUrgent) }
    case .pause(let id): connection(id)?.pauseReading()
    case .resume(let id): connection(id)?.resumeReading()
    case .close(let id, let code, let reason):
      guard let connection = connection(id) else { return }
      forget(connection, id)
      connection.close(code, reason)
    case .drop(let id):
      guard let connection = connection(id) else { return }
      forget(connection, id)
      connection.end("dropped")
    }
  }

  private func connection(_ id: ClientID) -> HubConnection? {
    guard id.slot < members.count, let connection = members[id.slot], connection.clientID == id
    else { return nil }
    return connection
  }

  private func forget(_ connection: HubConnection, _ id: ClientID) {
    members[id.slot] = nil
    connection.clientID = nil
  }
}
