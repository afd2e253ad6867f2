import Timeline
import WebSocket

@testable import Hub

/// A hub with the sockets left out, on a clock of its own: what it sends is read at once, unless a
/// client is stuck.
final class TestHub {
  let machine: HubMachine
  var now = Moment(
    instant: Instant(nanoseconds: 1_000_000_000),
    timestamp: Timestamp(unixMilliseconds: 1_796_069_700_123))
  /// What has come since it was last taken.
  private(set) var inbox: [ClientID: [String]] = [:]
  /// How a link was ended.
  private(set) var ends: [ClientID: String] = [:]
  private(set) var paused: Set<ClientID> = []
  /// Those who read nothing, with what waits for them.
  var stuck: [ClientID: Int] = [:]
  /// How many arrays of frame bytes exist for all sent frames.
  private(set) var frameCount = 0

  init(
    _ limits: HubLimits = HubLimits(), tokens: TokenFile? = nil, chaos: String? = nil
  ) {
    var word: UInt32 = 0
    machine = HubMachine(
      limits: limits, tokens: tokens, chaos: chaos.flatMap { try? ChaosSpec($0) }
    ) { pool in
      for index in pool.indices {
        word &+= 0x9E37_79B9
        pool[index] = word
      }
    }
  }

  static func identity(_ userID: String, _ name: String? = nil) -> Identity {
    // A test that has this wrong fails by its name.
    (try? Identity(userID: Array(userID.utf8), name: name.map { Array($0.utf8) }))
      ?? Self.identity("illegal")
  }

  /// Connects; the welcome is taken away.
  func link(_ userID: String, _ name: String? = nil, in rooms: String...) -> ClientID {
    let id = machine.connect(Self.identity(userID, name), now)
    act()
    for room in rooms { say(id, #"{"type":"join","conversationId":"\#(room)"}"#) }
    inbox[id] = []
    return id
  }

  /// A client sends a frame.
  func say(_ id: ClientID, _ text: String, _ kind: MessageKind = .text) {
    let bytes = Array(text.utf8)
    machine.receive(kind, bytes.span, 0..<bytes.count, from: id, now)
    act()
  }

  /// Sends a text message.
  func post(_ id: ClientID, _ messageID: String, _ room: String = "ops", _ text: String = "hi") {
    say(
      id,
      #"{"type":"text","id":"\#(messageID)","conversationId":"\#(room)","text":"\#(text)"}"#)
  }

  /// Sends a frame and returns what the sender gets.
  func ask(_ id: ClientID, _ text: String) -> [String] {
    inbox[id] = []
    say(id, text)
    return take(id)
  }

  func take(_ id: ClientID) -> [String] {
    defer { inbox[id] = [] }
    return inbox[id] ?? []
  }

  func hangUp(_ id: ClientID) {
    machine.disconnect(id, now)
    act()
  }

  func pass(_ wait: Duration) {
    now.instant = now.instant + wait
    now.timestamp.unixMilliseconds += wait.wholeMilliseconds
    machine.advance(now)
    act()
  }

  func stop() {
    machine.stop(now)
    act()
  }

  /// A stuck client reads on.
  func unstick(_ id: ClientID) {
    stuck[id] = nil
    machine.noteBacklog(0, of: id, now)
    act()
  }

  /// Does what the hub says.
  func act() {
    while machine.hasActions {
      var written: Set<ClientID> = []
      for action in machine.takeActions() {
        switch action {
        case .send(let frame, let id): deliver(frame, [id], &written)
        case .broadcast(let frame, let ids): deliver(frame, ids, &written)
        case .close(let id, let code, let reason): ends[id] = "\(code.rawValue) \(reason)"
        case .drop(let id): ends[id] = "drop"
        case .pause(let id): paused.insert(id)
        case .resume(let id): paused.remove(id)
        }
      }
      for id in written.sorted(by: { $0.number < $1.number }) {
        machine.noteBacklog(stuck[id] ?? 0, of: id, now)
      }
    }
  }

  private func deliver(_ frame: [UInt8], _ ids: [ClientID], _ written: inout Set<ClientID>) {
    frameCount += 1
    let text = Self.text(of: frame)
    for id in ids where ends[id] == nil {
      inbox[id, default: []].append(text)
      if let waiting = stuck[id] { stuck[id] = waiting + frame.count }
      written.insert(id)
    }
  }

  /// The payload of one unmasked text frame; whatever else it is shows as a text that no test awaits.
  static func text(of frame: [UInt8]) -> String {
    guard frame.count >= 2, frame[0] == 0x81 else { return "no text frame: \(frame.prefix(14))" }
    var header = 2
    var length = Int(frame[1])
    if length >= 126 {
      header = length == 126 ? 4 : 10
      length = frame[2..<header].reduce(0) { $0 << 8 | Int($1) }
    }
    guard frame.count == header + length else { return "a frame of a wrong length" }
    return String(decoding: frame[header...], as: UTF8.self)
  }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
