import JSONText
import Session
import Timeline
import WebSocket

/// What must hold for a native session whatever a server and a user say.
package enum NativeInvariant {
  private static let maximumMessage = 400

  /// Plays an input: pieces separated by line breaks, each with a first byte that says what it is.
  ///
  /// | byte | the rest is |
  /// |---|---|
  /// | `L` | a line |
  /// | `S`, `Z` | a text frame, a binary frame |
  /// | `K` | nothing: the link is lost, and a new one opened |
  /// | `B` | nothing: standard output is blocked, or no longer |
  /// | `T` | nothing: five seconds pass |
  ///
  /// - Returns: what didn't hold, nil if all did.
  package static func violation(of input: [UInt8]) -> String? {
    var settings = NativeSettings()
    settings.rooms = [Array("r".utf8)]
    settings.maximumMessage = maximumMessage
    settings.window = 3
    settings.history = 5
    var session = NativeSession(settings)
    var now = Moment(
      instant: Instant(nanoseconds: 0), timestamp: Timestamp(unixMilliseconds: 1_796_000_000_000))
    session.linkOpened(now.instant)
    var number = 0
    var position = 0
    var isBlocked = false
    for piece in input.split(separator: 0x0A).prefix(200) {
      let rest = Array(piece.dropFirst())
      switch piece.first {
      case UInt8(ascii: "L"):
        number += 1
        let id = MessageID(timestamp: now.timestamp, chance: (0, 0, UInt32(number)))
        _ = session.take(rest.span, number: number, id: id, now)
      case UInt8(ascii: "S"): session.receive(.text, rest.span, 0..<rest.count, now)
      case UInt8(ascii: "Z"): session.receive(.binary, rest.span, 0..<rest.count, now)
      case UInt8(ascii: "K"):
        session.linkLost()
        session.linkOpened(now.instant)
      case UInt8(ascii: "B"):
        isBlocked.toggle()
        session.outputBlocked(isBlocked)
      default:
        now.instant = now.instant + .seconds(5)
        session.advance(now.instant)
      }
      for event in session.takeEvents() {
        if case .record(let record, let receipt) = event {
          if isBlocked { return "a record into a blocked output" }
          if let problem = problem(inRecord: record) { return problem }
          position += record.count
          if let receipt { session.placed(receipt, endingAt: position) }
        }
        if case .passed(let receipt) = event { session.placed(receipt, endingAt: position) }
        if case .broken = event { session.linkLost() }
      }
      session.outputTaken(upTo: position)
      if let problem = speak(&session, now.instant) { return problem }
    }
    return nil
  }

  private static func speak(_ session: inout NativeSession, _ now: Instant) -> String? {
    var found: String?
    var count = 0
    session.send(now) { kind, payload in
      count += 1
      // A raw frame of a line may be anything; messages and requests are JSON objects.
      if kind == .text, payload.starts(with: Array("{".utf8)), Record(payload) == nil {
        found = "no JSON: \(String(decoding: payload, as: UTF8.self))"
      }
      return count < 50
    }
    if let deadline = session.nextDeadline, session.isOpen, deadline < now {
      found = found ?? "a deadline that has passed"
    }
    if session.isEmpty != (session.byteCount == 0) { found = found ?? "bytes without messages" }
    if session.count < 0 || session.unsentByteCount < 0 { found = found ?? "negative counts" }
    return found
  }

  private static func problem(inRecord record: [UInt8]) -> String? {
    guard record.last == 0x0A, record.firstIndex(of: 0x0A) == record.count - 1 else {
      return "a record is one line"
    }
    var scanner = JSONScanner(wanted: ["type"])
    let bytes = Array(record.dropLast())
    guard let outline = try? scanner.scan(bytes.span, 0..<bytes.count),
      outline.kind == .object || outline.kind == .array
    else { return "a record is an object or an array" }
    return nil
  }
}
