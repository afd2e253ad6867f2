import Testing
import Timeline
import WebSocket

@testable import Session

/// A native session with somebody who plays the server by hand, at a clock that stands still.
struct Conversation {
  var session: NativeSession
  var now = Moment(
    instant: Instant(nanoseconds: 1_000_000_000), timestamp: Timestamp(unixMilliseconds: 0))
  /// What a link takes from now on.
  var capacity = Int.max
  private var lineCount = 0
  private var placedCount = 0

  init(rooms: [String] = ["r"], _ change: (inout NativeSettings) -> Void = { _ in }) {
    var settings = NativeSettings()
    settings.rooms = rooms.map { Array($0.utf8) }
    change(&settings)
    session = NativeSession(settings)
  }

  /// A conversation whose room `r` is joined at a number.
  static func joined(
    seq: Int = 0, _ change: (inout NativeSettings) -> Void = { _ in }
  ) -> Conversation {
    var talk = Conversation(change)
    talk.open()
    _ = talk.says()
    _ = talk.hears(
      #"{"type":"joined","conversationId":"r","epoch":"e","seq":\#(seq),"oldest":1}"#)
    return talk
  }

  private init(_ change: (inout NativeSettings) -> Void) {
    self.init(rooms: ["r"], change)
  }

  mutating func open(_ welcome: String = #"{"type":"welcome","userId":"me"}"#) {
    session.linkOpened(now.instant)
    _ = hears(welcome)
  }

  /// Lets the server say something; returns what came of it.
  mutating func hears(_ text: String, _ kind: MessageKind = .text) -> [String] {
    hears(bytes: Array(text.utf8), kind)
  }

  mutating func hears(bytes: [UInt8], _ kind: MessageKind = .text) -> [String] {
    session.receive(kind, bytes.span, 0..<bytes.count, now)
    return happened()
  }

  /// The events so far, in short. Records are written at once: each is one byte long.
  mutating func happened() -> [String] {
    session.takeEvents().map { event in
      switch event {
      case .welcomed: return "welcomed"
      case .record(let bytes, let receipt):
        placedCount += 1
        if let receipt { session.placed(receipt, endingAt: placedCount) }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
      case .passed(let receipt):
        session.placed(receipt, endingAt: placedCount)
        return "passed \(receipt.seq)"
      case .report(let report): return shown(report)
      case .note(let level, let text): return "\(level): \(text)"
      case .invalidText: return "invalid text"
      case .broken(let end): return "broken: \(end.explanation)"
      }
    }
  }

  private func shown(_ report: Report) -> String {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    switch report {
    case .delivered(.shared(let id, let room), let seq, let timestamp):
      return "delivered \(text(room)) \(text(id)) \(seq ?? -1) \(text(timestamp ?? []))"
    case .failed(.shared(let id, let room), let reason):
      return "failed \(text(room)) \(text(id)) \(reason)"
    case .missing(let room, let after, let before, let epoch):
      return "missing \(text(room)) \(after) \(before) \(text(epoch ?? []))"
    default: return report.sentence
    }
  }

  /// Standard output has taken all records so far.
  mutating func writes() { session.outputTaken(upTo: placedCount) }

  /// A line; returns what became of it.
  mutating func line(_ text: String) -> NativeSession.Taken {
    lineCount += 1
    return session.take(
      Array(text.utf8).span, number: lineCount,
      id: MessageID(timestamp: now.timestamp, chance: (0, 0, UInt32(lineCount))), now)
  }

  /// A message with an id of its own.
  mutating func message(_ id: String, room: String = "r") {
    let taken = line(
      #"{"type":"text","id":"\#(id)","conversationId":"\#(room)","timestamp":"t","senderId":"s","senderName":"n"}"#
    )
    #expect(taken == .accepted(.shared(id: Array(id.utf8), room: Array(room.utf8))))
  }

  /// What the session says now; messages in short, by their id.
  mutating func says(isLast: Bool = false) -> [String] {
    var said: [String] = []
    let capacity = capacity
    session.send(now.instant, isLast: isLast) { kind, payload in
      guard said.count < capacity else { return false }
      let text = String(decoding: payload, as: UTF8.self)
      if let start = text.firstRange(of: #""id":""#), text.contains(#""senderId":"s""#) {
        said.append(String(text[start.upperBound...].prefix { $0 != "\"" }))
      } else {
        said.append(kind == .text ? text : "binary \(text)")
      }
      return true
    }
    return said
  }

  mutating func pass(_ wait: Duration) {
    now.instant = now.instant + wait
    session.advance(now.instant)
  }

  static func message(_ seq: Int, room: String = "r", from sender: String = "you") -> String {
    #"{"type":"text","id":"\#(seq)","conversationId":"\#(room)","senderId":"\#(sender)","seq":\#(seq)}"#
  }

  static func history(_ seqs: [Int], more: Bool = false, room: String = "r") -> String {
    #"{"type":"history","conversationId":"\#(room)","messages":[\#(seqs.map { message($0, room: room) }.joined(separator: " ,\n"))],"more":\#(more)}"#
  }
}
