import Bytes
import Hub
import JSONText
import Timeline
import WebSocket

/// The hub with its connections, and what it has stored, life by life.
final class SimulatedHub {
  /// What a room's history was in one life, by seq; grows only.
  struct Stored {
    var ids: [String] = []
    var senders: [String] = []
  }

  struct RoomKey: Hashable {
    var life: Int
    var room: String
  }

  private var machine: HubMachine
  private let limits: HubLimits
  private let chaos: ChaosSpec?
  private let seed: UInt64
  private(set) var life = 0
  private(set) var stored: [RoomKey: Stored] = [:]
  private(set) var lifeOfEpoch: [String: Int] = [:]
  private var links: [ClientID: SimulatedLink] = [:]
  /// A gate before the hub that refuses for now, by client and room, as its protocol has it: until the
  /// refused id comes again.
  private var refused: [ClientID: [String: String]] = [:]
  private var dice: Dice
  private let refusesPercent: Int
  private(set) var violation: String?
  /// For the log of a run that went wrong.
  var note: (String) -> Void = { _ in }

  init(limits: HubLimits, chaos: ChaosSpec?, refusesPercent: Int, seed: UInt64) {
    self.refusesPercent = refusesPercent
    dice = Dice(seed: seed &+ 99)
    self.limits = limits
    self.chaos = chaos
    self.seed = seed
    machine = HubMachine(limits: limits, chaos: chaos, fillWithChance: Dice.source(seed: seed))
  }

  /// The oldest message that a room's history still has.
  func oldest(in room: String) -> Int {
    let count = stored[RoomKey(life: life, room: room)]?.ids.count ?? 0
    return max(1, count - limits.maximumHistoryCount + 1)
  }

  var nextDeadline: Instant? { machine.nextDeadline }

  /// Everything is forgotten, and all links end.
  func restart() {
    life += 1
    links = [:]
    refused = [:]
    machine = HubMachine(
      limits: limits, chaos: chaos, fillWithChance: Dice.source(seed: seed &+ UInt64(life) &* 977))
  }

  func advance(_ now: Moment) {
    machine.advance(now)
    perform(now)
  }

  /// Bytes have arrived.
  func receive(_ bytes: [UInt8], on link: SimulatedLink, _ now: Moment) {
    link.unread += bytes
    read(link, now)
  }

  func end(_ link: SimulatedLink, _ now: Moment) {
    guard let id = link.id else { return }
    link.id = nil
    links[id] = nil
    machine.disconnect(id, now)
    perform(now)
  }

  private func read(_ link: SimulatedLink, _ now: Moment) {
    guard !link.isPaused, !link.unread.isEmpty else { return }
    let bytes = link.unread
    link.unread = []
    var position = 0
    if link.connection == nil {
      guard case .upgrade(let request)? = link.handshake.receive(bytes.span, at: &position) else {
        return
      }
      guard case .accepted(let identity, let subprotocol) = machine.admit(request) else {
        link.hasServerEnded = true
        return
      }
      let head = request.acceptance(subprotocol: subprotocol)
      link.toClient += head.bytes
      link.connection = ConnectionMachine(now: now.instant)
      let id = machine.connect(identity, now)
      link.id = id
      links[id] = link
      perform(now)
    }
    while let event = link.connection?.receive(bytes.span, at: &position, now: now.instant) {
      switch event {
      case .message(let kind, .input(let range)):
        receive(kind, Array(bytes[range]), link, now)
      case .message(let kind, .assembled):
        receive(kind, link.connection?.assembled ?? [], link, now)
      case .closed, .lost: link.hasServerEnded = true
      case .failed(let error): violation = "the client's bytes are illegal: \(error)"
      case .peerClosed, .pong: break
      }
      perform(now)
    }
    link.flush(now.instant)
    if link.hasServerEnded { end(link, now) }
  }

  private func receive(
    _ kind: MessageKind, _ message: [UInt8], _ link: SimulatedLink, _ now: Moment
  ) {
    guard let id = link.id else { return }
    note("\(link.client) > \(String(decoding: message.prefix(120), as: UTF8.self))")
    guard let record = Record(message), !record.id.isEmpty, refuses(record, id) else {
      return machine.receive(kind, message.span, 0..<message.count, from: id, now)
    }
    note("\(record.id) of \(link.client) is refused")
    let nack = Array(
      (#"{"type":"nack","messageId":"\#(record.id)","conversationId":"\#(record.room)","#
        + #""code":"rate_limited","retryAfterMs":\#(dice.pick(0...300))}"#).utf8)
    _ = link.connection?.send(.text, nack.span, 0..<nack.count)
    link.flush(now.instant)
  }

  private func refuses(_ record: Record, _ id: ClientID) -> Bool {
    if let first = refused[id]?[record.room], first != record.id { return true }
    let isRefused = dice.comesUp(refusesPercent)
    refused[id, default: [:]][record.room] = isRefused ? record.id : nil
    return isRefused
  }

  private func perform(_ now: Moment) {
    while machine.hasActions {
      for action in machine.takeActions() { perform(action, now) }
    }
    for (id, link) in links {
      machine.noteBacklog(link.toClient.count + (link.connection?.output.count ?? 0), of: id, now)
    }
    if machine.hasActions { perform(now) }
  }

  private func perform(_ action: HubMachine.Action, _ now: Moment) {
    switch action {
    case .send(let frame, let id):
      look(at: frame)
      push(frame, id)
    case .broadcast(let frame, let ids):
      look(at: frame)
      for id in ids { push(frame, id) }
    case .close(let id, let code, let reason):
      guard let link = links.removeValue(forKey: id) else { return }
      note("hub closes \(link.client) \(code) \(reason)")
      link.connection?.sendClose(code, reason: Array(reason.utf8), now: now.instant)
      link.flush(now.instant)
      link.hasServerEnded = true
      link.id = nil
    case .drop(let id):
      guard let link = links.removeValue(forKey: id) else { return }
      note("hub drops \(link.client)")
      link.hasServerEnded = true
      link.id = nil
    case .pause(let id): links[id]?.isPaused = true
    case .resume(let id):
      guard let link = links[id] else { return }
      link.isPaused = false
      read(link, now)
    }
  }

  private func push(_ frame: [UInt8], _ id: ClientID) {
    guard let link = links[id] else { return }
    // What the connection itself has to say stays in order with the hub's frames.
    link.flush(Instant(nanoseconds: 0))
    note("\(link.client) < \(String(decoding: frame.dropFirst(2).prefix(120), as: UTF8.self))")
    link.toClient += frame
  }

  /// Learns from a frame what was stored, and which epoch belongs to which life.
  private func look(at frame: [UInt8]) {
    let start = frame[1] < 126 ? 2 : frame[1] == 126 ? 4 : 10
    guard let record = Record(Array(frame[start...])) else { return }
    if record.type == "joined", let epoch = record.epoch { lifeOfEpoch[epoch] = life }
    guard record.type == "text", let seq = record.seq else { return }
    let key = RoomKey(life: life, room: record.room)
    let count = stored[key, default: Stored()].ids.count
    if seq == count + 1 {
      stored[key, default: Stored()].ids.append(record.id)
      stored[key, default: Stored()].senders.append(record.sender)
    } else if seq > count + 1 || stored[key]?.ids[seq - 1] != record.id {
      violation = "the hub's seq in \(record.room) goes from \(count) to \(seq)"
    }
  }
}
