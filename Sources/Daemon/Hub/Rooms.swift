import Hub
import Posix
import Timeline
import WebSocket

/// Serves rooms over the native protocol: carries out what a `HubMachine` decides.
final class Rooms: HubApplication {
  let limits: WebSocketLimits
  private let machine: HubMachine
  /// By the slot of their ids.
  private var members: [HubConnection?] = []
  private var isPerforming = false
  private var fanOut = FanOut()
  private var lastTurn = Instant(nanoseconds: .min)

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

  var nextDeadline: Instant? {
    [machine.nextDeadline, fanOutDue].compactMap { $0 }.min()
  }

  func advance(_ now: Moment) {
    machine.advance(now)
    perform(now)
  }

  func turnEnds(_ now: Moment) {
    lastTurn = now.instant
    if let fanOutDue, fanOutDue <= now.instant {
      // A client that ends thereby must not have others told before all have had this.
      isPerforming = true
      sendFanOut(now)
      isPerforming = false
    }
    perform(now)
  }

  // MARK: What the machine asks for

  /// Does all of it in its order: what comes of an action that ends a connection waits for its turn.
  private func perform(_ now: Moment) {
    guard !isPerforming else { return }
    isPerforming = true
    while machine.hasActions {
      for action in machine.takeActions() { perform(action, now) }
    }
    isPerforming = false
  }

  private func perform(_ action: HubMachine.Action, _ now: Moment) {
    switch action {
    case .send(let frame, let id):
      sendFanOut(to: id, now)
      connection(id)?.send(encoded: frame)
    case .broadcast(let frame, let ids):
      if !fanOut.takes(ids) {
        sendFanOut(now)
        fanOut.begin(ids)
      }
      fanOut.append(frame, now.instant)
      // One turn's messages may be more than clients can be sent at once.
      if fanOut.bytes.count >= FanOut.maximumByteCount { sendFanOut(now) }
    case .pause(let id): connection(id)?.pauseReading()
    case .resume(let id): connection(id)?.resumeReading()
    case .close(let id, let code, let reason):
      sendFanOut(to: id, now)
      guard let connection = connection(id) else { return }
      forget(connection, id)
      connection.close(code, reason)
    case .drop(let id):
      sendFanOut(to: id, now)
      guard let connection = connection(id) else { return }
      forget(connection, id)
      connection.end("dropped")
    }
  }

  // MARK: What many are told

  private var fanOutDue: Instant? { fanOut.due(lastTurn) }

  private func sendFanOut(_ now: Moment) {
    guard !fanOut.isEmpty else { return }
    for id in fanOut.targets { sendFanOut(to: id, now) }
    fanOut.removeAll()
  }

  private func sendFanOut(to id: ClientID, _ now: Moment) {
    guard let range = fanOut.take(id), let connection = connection(id) else { return }
    connection.send(encoded: fanOut.bytes, range)
    if connection.backlog == 0 { machine.noteBacklog(0, of: id, now) }
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
