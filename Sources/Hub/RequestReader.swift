import JSONText

/// Reads clients' frames: JSON objects with a `type`, and what each type needs.
///
/// A type that isn't one of the protocol's words is a message of that type. Words that only a server
/// says are refused, and so is every `wsii.` type, which receivers would take for their own
/// program's; `pong` and `error` are passed over in silence, so that two servers connected by mistake
/// don't answer each other for ever. Unknown members are ignored in requests and kept in messages.
struct RequestReader {
  /// Ids above the limit are refused by name up to here; beyond, nobody means it.
  private static let longestNamedID = 1_024

  private enum Name: Int, CaseIterable {
    case type, id, conversationId, senderId, senderName, timestamp, seq
    case after, before, limit, status, userId
  }

  private let limits: HubLimits
  /// In an answer to `history` a message stands two levels deeper, and clients read 128.
  private static let maximumDepth = 126
  private var scanner = JSONScanner(
    wanted: Name.allCases.map { "\($0)" }, maximumDepth: RequestReader.maximumDepth)

  init(_ limits: HubLimits) {
    self.limits = limits
  }

  /// Reads a frame's text.
  ///
  /// - Parameter userID: who has sent it. Somebody else's in a request is refused.
  /// - Returns: nil for a frame that nothing follows from.
  mutating func read(
    _ text: Span<UInt8>, _ range: Range<Int>, from userID: [UInt8]
  ) throws(Objection) -> Request? {
    let outline: JSONOutline
    do throws(JSONError) {
      outline = try scanner.scan(text, range)
    } catch {
      throw Objection(code: .badRequest, reason: error.reason)
    }
    guard outline.kind == .object else {
      throw Objection(code: .badRequest, reason: "a frame is a JSON object")
    }
    var objection = Objection(code: .badRequest, reason: "")
    let type = string(.type, text)
    objection.re = type.map { Array($0.prefix(limits.maximumType)) }
    objection.room = try? readRoom(text, objection).bytes
    let id = try readID(text, &objection)
    guard let type else {
      objection.reason = "the type is missing"
      throw objection
    }
    switch String(decoding: type, as: UTF8.self) {
    case "ping": return .ping
    case "pong", "error": return nil
    case "welcome", "joined", "nack", "presence":
      objection.code = .forbidden
      objection.reason = "only a server says that"
      throw objection
    case "join", "leave", "history", "typing", "stopTyping", "ack":
      return try readRequest(type, text, userID, objection)
    default:
      return .message(try readMessage(id, type, text, outline.range, objection))
    }
  }

  // MARK: Messages

  private func readID(
    _ text: Span<UInt8>, _ objection: inout Objection
  ) throws(Objection) -> [UInt8]? {
    guard scanner.member(Name.id.rawValue) != nil else { return nil }
    objection.reason = "the id is a string of 1 to \(limits.maximumID) bytes"
    guard let id = string(.id, text), id.count <= Self.longestNamedID else { throw objection }
    objection.messageID = id
    return id
  }

  private func readMessage(
    _ id: [UInt8]?, _ type: [UInt8], _ text: Span<UInt8>, _ object: Range<Int>,
    _ objection: Objection
  ) throws(Objection) -> MessageDraft {
    var objection = objection
    if type.starts(with: "wsii.".utf8) {
      objection.code = .forbidden
      objection.reason = "types that begin with wsii. are the receiver's own"
      throw objection
    }
    guard let id else {
      objection.reason = "a message needs an id"
      throw objection
    }
    // What a receipt or an answer names has to fit its frame.
    guard (1...limits.maximumID).contains(id.count) else { throw objection }
    guard (1...limits.maximumType).contains(type.count) else {
      objection.reason = "the type has 1 to \(limits.maximumType) bytes"
      throw objection
    }
    let room = try readRoom(text, objection)
    var replaced: [Int] = []
    for name in [
      Name.type, .id, .conversationId, .senderId, .senderName, .timestamp, .seq,
    ] {
      if let value = scanner.member(name.rawValue) { replaced.append(value.range.lowerBound) }
    }
    return MessageDraft(id: id, room: room, type: type, object: object, replaced: replaced)
  }

  // MARK: Requests

  private func readRequest(
    _ type: [UInt8], _ text: Span<UInt8>, _ userID: [UInt8], _ objection: Objection
  ) throws(Objection) -> Request {
    var objection = objection
    // A request isn't a message, whatever else it carries.
    objection.messageID = nil
    let room = try readRoom(text, objection)
    if scanner.member(Name.userId.rawValue) != nil, string(.userId, text) != userID {
      objection.code = .forbidden
      objection.reason = "a client speaks for its own user only"
      throw objection
    }
    switch String(decoding: type, as: UTF8.self) {
    case "join": return .join(room)
    case "leave": return .leave(room)
    case "history": return .history(room, try readQuery(text, objection))
    case "ack": return try readAcknowledgement(room, text, objection)
    case let word: return .typing(room, isOver: word == "stopTyping")
    }
  }

  private func readQuery(
    _ text: Span<UInt8>, _ objection: Objection
  ) throws(Objection) -> HistoryQuery {
    let after = try number(.after, text, objection)
    let before = try number(.before, text, objection)
    let count = try number(.limit, text, objection) ?? limits.defaultPageCount
    var objection = objection
    guard count > 0 else {
      objection.reason = "the limit is at least 1"
      throw objection
    }
    let edge: HistoryQuery.Edge
    switch (after, before) {
    case (nil, nil): edge = .newest
    case (let seq?, nil): edge = .after(seq)
    case (nil, let seq?): edge = .before(seq)
    case (_?, _?):
      objection.reason = "either after or before, not both"
      throw objection
    }
    return HistoryQuery(edge: edge, count: min(count, limits.maximumPageCount))
  }

  private func readAcknowledgement(
    _ room: ByteKey, _ text: Span<UInt8>, _ objection: Objection
  ) throws(Objection) -> Request {
    var objection = objection
    guard let seq = try number(.seq, text, objection) else {
      objection.reason = "the seq is missing"
      throw objection
    }
    guard scanner.member(Name.status.rawValue) != nil else {
      return .acknowledge(room, seq: seq, .delivered)
    }
    let word = string(.status, text).map { String(decoding: $0, as: UTF8.self) }
    guard let word, let status = ReceiptStatus(rawValue: word) else {
      objection.reason = "the status is delivered or read"
      throw objection
    }
    return .acknowledge(room, seq: seq, status)
  }

  // MARK: Members

  private func readRoom(
    _ text: Span<UInt8>, _ objection: Objection
  ) throws(Objection) -> ByteKey {
    guard let name = string(.conversationId, text),
      (1...limits.maximumRoomName).contains(name.count)
    else {
      var objection = objection
      objection.reason =
        "the conversationId is a string of 1 to \(limits.maximumRoomName) bytes"
      throw objection
    }
    return ByteKey(name)
  }

  /// nil also if it is no string.
  private func string(_ name: Name, _ text: Span<UInt8>) -> [UInt8]? {
    guard let value = scanner.member(name.rawValue), value.kind == .string else { return nil }
    if value.hasEscapes { return JSONString.unescape(text, value.range) }
    return text.extracting(value.range).withUnsafeBufferPointer { Array($0) }
  }

  /// A number that isn't negative and that every JSON reader holds exactly: digits, at most 2^53.
  private func number(
    _ name: Name, _ text: Span<UInt8>, _ objection: Objection
  ) throws(Objection) -> Int? {
    guard let value = scanner.member(name.rawValue) else { return nil }
    var number: Int? = value.kind == .number && value.range.count <= 16 ? 0 : nil
    for index in value.range {
      guard let sum = number, (0x30...0x39).contains(text[index]) else {
        number = nil
        break
      }
      number = sum &* 10 &+ Int(text[index] &- 0x30)
    }
    guard let number, number <= 1 &<< 53 else {
      var objection = objection
      objection.reason = "\(name) is a number without sign, fraction and exponent, up to 2^53"
      throw objection
    }
    return number
  }
}
