import Hub
import JSONText
import Timeline
import WebSocket

/// What must hold for a hub whatever its clients do.
///
/// Bytes are read as a script: the first chooses limits and chaos, then each step is one byte for what
/// happens and a few for to whom. See `HubScript`.
package enum HubInvariant {
  /// - Returns: what didn't hold, nil if all did.
  package static func violation(of input: [UInt8]) -> String? {
    var script = HubScript(input)
    return script.run()
  }
}

/// One script, the hub it drives, and what its clients have seen.
struct HubScript {
  private struct Seen {
    var user: String
    var isStuck = false
    var hasEnded = false
    /// The next live seq of each room, from its `joined` on.
    var next: [String: Int] = [:]
    /// The message that a room waits for.
    var holds: [String: String] = [:]
    /// Answers to messages since they were last looked at.
    var answers: [(id: String, code: String?)] = []
  }

  private let input: [UInt8]
  private var position = 1
  private let hub: HubMachine
  private let isChaotic: Bool
  private var now = Moment(
    instant: Instant(nanoseconds: 0), timestamp: Timestamp(unixMilliseconds: 0))
  private var links: [ClientID] = []
  private var seen: [ClientID: Seen] = [:]
  private var guestCount: UInt32 = 0
  /// Each accepted message's seq, by user, room and id; each record, by room and seq.
  private var accepted: [[String]: Int] = [:]
  private var records: [[String]: String] = [:]
  private var fault: String?
  private var scanner = JSONScanner(wanted: [
    "type", "conversationId", "seq", "messageId", "code", "senderId", "id", "userId", "messages",
  ])

  init(_ input: [UInt8]) {
    self.input = input
    let choice = input.first ?? 0
    var limits = HubLimits()
    limits.maximumMessage = 400
    limits.maximumHistoryCount = 5
    limits.maximumPageBytes = 500
    limits.maximumBacklog = 6_000
    limits.maximumBacklogForAnswers = 1_000
    limits.maximumWaitingRequests = 3
    limits.maximumRoomsPerClient = 3
    limits.maximumAbsentUsers = 2
    if choice & 1 != 0 { limits.rate = HubLimits.Rate(perSecond: 2, burst: 3) }
    let specs = [
      nil, nil, "delay=40", "drop-after=1-30", "lose-acks=2", "stop-reading=6",
      "delay=9,drop-after=9,lose-acks=30%", nil,
    ]
    let spec = specs[Int(choice >> 1 & 7)].flatMap { try? ChaosSpec($0) }
    isChaotic = spec != nil
    var word: UInt32 = 0
    hub = HubMachine(limits: limits, chaos: spec) { pool in
      for index in pool.indices {
        word &+= 0x9E37_79B9
        pool[index] = word
      }
    }
  }

  mutating func run() -> String? {
    while position < input.count, position < 2_000, fault == nil {
      step()
      act()
    }
    if fault == nil {
      hub.stop(now)
      act()
      if hub.clientCount != 0 { fault = "clients after the stop" }
    }
    return fault
  }

  // MARK: Steps

  private mutating func next() -> UInt8 {
    defer { position += 1 }
    return position < input.count ? input[position] : 0
  }

  private mutating func step() {
    let what = next()
    let which = next()
    if what & 7 == 0 { return connect(which) }
    if what & 7 == 6 { return pass(.milliseconds(Int(which) * 16)) }
    guard !links.isEmpty else { return }
    let id = links[Int(which) % links.count]
    let room = "r\(what >> 3 & 3)"
    switch what & 7 {
    case 1:
      hub.disconnect(id, now)
      forget(id)
    case 2:
      let length = Int(next())
      let end = min(input.count, position + length)
      say(id, Array(input[min(position, end)..<end]))
      position = max(position, end)
    case 3: post(id, "m\(next() % 8)", room, what >> 5)
    case 4:
      let type = ["join", "leave", "typing", "stopTyping", "join", "join", "ping", "join"][
        Int(what >> 5)]
      if type == "leave" {
        seen[id]?.next[room] = nil
        seen[id]?.holds[room] = nil
      }
      say(id, Array(#"{"type":"\#(type)","conversationId":"\#(room)"}"#.utf8))
    case 5:
      let (seq, query) = (next(), ["after", "before", "seq", "limit"][Int(what >> 5 & 3)])
      let type = query == "seq" ? "ack" : "history"
      say(
        id,
        Array(#"{"type":"\#(type)","conversationId":"\#(room)","\#(query)":\#(seq)}"#.utf8))
    default:
      let backlog = Int(next()) * 32
      seen[id]?.isStuck = backlog > 0
      hub.noteBacklog(backlog, of: id, now)
    }
  }

  private mutating func connect(_ which: UInt8) {
    guard links.count < 20 else { return }
    guestCount += 1
    let identity =
      which & 4 != 0
      ? try? Identity(guest: guestCount) : try? Identity(userID: Array("u\(which & 3)".utf8))
    guard let identity else { return }
    let id = hub.connect(identity, now)
    if seen[id] != nil { fault = "an id was used again" }
    seen[id] = Seen(user: String(decoding: identity.userID, as: UTF8.self))
    links.append(id)
  }

  private mutating func pass(_ wait: Duration) {
    now.instant = now.instant + wait
    now.timestamp.unixMilliseconds += wait.wholeMilliseconds
    hub.advance(now)
    if let deadline = hub.nextDeadline, deadline < now.instant {
      fault = "a deadline that has passed"
    }
  }

  private mutating func say(_ id: ClientID, _ frame: [UInt8]) {
    hub.receive(.text, frame.span, 0..<frame.count, from: id, now)
  }

  private mutating func post(_ id: ClientID, _ messageID: String, _ room: String, _ text: UInt8) {
    seen[id]?.answers = []
    say(
      id,
      Array(
        #"{"type":"text","id":"\#(messageID)","conversationId":"\#(room)","text":"\#(text)"}"#.utf8)
    )
    act()
    guard !isChaotic, let client = seen[id], !client.hasEnded, fault == nil else { return }
    guard client.answers.count == 1, client.answers[0].id == messageID else {
      fault = "\(messageID) was answered by \(client.answers)"
      return
    }
    let code = client.answers[0].code
    let isTransient = ["rate_limited", "not_joined", "full"].contains(code)
    if let held = client.holds[room], held != messageID, !isTransient, code != "conflict",
      accepted[[client.user, room, messageID, "before"]] == nil
    {
      fault = "\(messageID) overtook \(held): \(code ?? "ack")"
    }
    if code == nil { accepted[[client.user, room, messageID, "before"]] = 1 }
    if isTransient, client.holds[room] == nil {
      seen[id]?.holds[room] = messageID
    } else if !isTransient, client.holds[room] == messageID {
      seen[id]?.holds[room] = nil
    }
  }

  // MARK: Actions

  private mutating func act() {
    while hub.hasActions, fault == nil {
      var written: [ClientID] = []
      for action in hub.takeActions() {
        switch action {
        case .send(let frame, let id): take(frame, [id], &written)
        case .broadcast(let frame, let ids): take(frame, ids, &written)
        case .close(let id, let code, _):
          if !code.isAllowedOnWire { fault = "close \(code)" }
          forget(id)
        case .drop(let id): forget(id)
        case .pause, .resume: break
        }
      }
      for id in written where seen[id]?.isStuck == false { hub.noteBacklog(0, of: id, now) }
    }
  }

  private mutating func forget(_ id: ClientID) {
    seen[id]?.hasEnded = true
    links.removeAll { $0 == id }
  }

  private mutating func take(_ frame: [UInt8], _ ids: [ClientID], _ written: inout [ClientID]) {
    guard frame.count >= 4, frame[0] == 0x81, frame[1] < 127 else {
      fault = "no text frame: \(frame.prefix(20))"
      return
    }
    let start = frame[1] < 126 ? 2 : 4
    let length = start == 2 ? Int(frame[1]) : Int(frame[2]) << 8 | Int(frame[3])
    do throws(JSONError) {
      let outline = try scanner.scan(frame.span, start..<frame.count)
      guard length == frame.count - start, outline.kind == .object, !outline.hasLineBreak else {
        fault = "a frame of \(frame.count) bytes"
        return
      }
    } catch {
      fault = "not JSON: \(error.reason)"
      return
    }
    func text(_ index: Int) -> String? {
      scanner.member(index).map {
        let bytes =
          $0.hasEscapes ? JSONString.unescape(frame.span, $0.range) : Array(frame[$0.range])
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    let parts = (
      type: text(0) ?? "", room: text(1) ?? "", seq: text(2).flatMap { Int($0) },
      message: text(3), code: text(4), sender: text(5), user: text(7)
    )
    if parts.type.hasPrefix("wsii.") { fault = "type \(parts.type)" }
    let payload = String(decoding: frame[start...], as: UTF8.self)
    for id in ids {
      guard let client = seen[id] else {
        fault = "a frame for nobody"
        return
      }
      // With a delay an end may overtake nothing; a disconnected link still gets frames to skip.
      if client.hasEnded { continue }
      written.append(id)
      switch parts.type {
      case "joined":
        guard let seq = parts.seq else { break }
        if let next = client.next[parts.room], next != seq + 1, !isChaotic {
          fault = "joined at \(seq) while \(next) comes next"
        }
        seen[id]?.next[parts.room] = seq + 1
      case "ack" where parts.user == nil, "nack":
        seen[id]?.answers.append((parts.message ?? "", parts.code))
        if parts.type == "ack", let seq = parts.seq, let message = parts.message {
          let key = [client.user, parts.room, message]
          if let before = accepted[key], before != seq { fault = "\(key) is \(before) and \(seq)" }
          accepted[key] = seq
        }
      case _ where parts.sender != nil:
        guard let seq = parts.seq else {
          fault = "a message without seq"
          return
        }
        if let next = client.next[parts.room] {
          if next != seq { fault = "\(parts.room) \(seq) instead of \(next)" }
          seen[id]?.next[parts.room] = seq + 1
        }
        let key = [parts.room, "\(seq)"]
        if let record = records[key], record != payload { fault = "\(key) has two records" }
        records[key] = payload
      default: break
      }
    }
  }
}
