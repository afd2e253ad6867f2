import JSONText
import Timeline
import WebSocket

/// What a frame of a native server says, as far as the session must know.
enum NativeFrame: Equatable {
  case welcome(NativeIdentity, maximumMessage: Int?, window: Int?)
  case joined(room: [UInt8], epoch: [UInt8], seq: Int, oldest: Int)
  /// `messages` is the array's place in the frame.
  case history(room: [UInt8], messages: Range<Int>, isMore: Bool)
  /// An answer to one of our messages: stored.
  case acknowledged(room: [UInt8], id: [UInt8], seq: Int?, timestamp: [UInt8]?)
  /// An answer to one of our messages: refused.
  case refused(room: [UInt8]?, id: [UInt8], NativeRefusal)
  case error(about: [UInt8]?, room: [UInt8]?, reason: String)
  /// A message; with a number it stands in the room's order.
  case message(room: [UInt8], seq: Int?, sender: [UInt8]?)
  /// Everything else that is JSON and not ours to understand: a record.
  case record
  case ping
  case pong
  /// One of the protocol's words without what belongs to it.
  case malformed(NativeWord)
  /// No JSON object or array, or one that claims to be wsii's.
  case foreign
}

/// Why a server did not take a message.
struct NativeRefusal: Equatable {
  var code: [UInt8]
  var reason: [UInt8]
  /// How long to wait before trying again.
  var wait: Duration?

  private static let final = Set(
    ["too_large", "bad_request", "forbidden", "conflict"].map { Array($0.utf8) })

  /// Whether trying again is pointless. A code that isn't known is held to pass: a message is never
  /// given up for a word.
  var isForGood: Bool { Self.final.contains(code) }

  var isNotJoined: Bool { code == Array("not_joined".utf8) }

  /// For reports.
  var text: String {
    let code = String(decoding: code, as: UTF8.self)
    return reason.isEmpty ? code : "\(code): \(String(decoding: reason, as: UTF8.self))"
  }
}

/// Reads the frames of a native server.
struct NativeFrameReader {
  private enum Member {
    static let names = [
      "type", "conversationId", "seq", "senderId", "userId", "messageId", "timestamp", "userName",
      "limits", "epoch", "oldest", "messages", "more", "code", "reason", "retryAfterMs", "re",
      "text", "senderName", "id",
    ]
    static let type = 0
    static let room = 1
    static let seq = 2
    static let sender = 3
    static let userID = 4
    static let messageID = 5
    static let timestamp = 6
    static let userName = 7
    static let limits = 8
    static let epoch = 9
    static let oldest = 10
    static let messages = 11
    static let more = 12
    static let code = 13
    static let reason = 14
    static let retryAfter = 15
    static let about = 16
    static let text = 17
    static let senderName = 18
    static let id = 19
  }

  private var scanner = JSONScanner(wanted: Member.names)
  private var limitsScanner = JSONScanner(wanted: ["maxMessage", "window"])
  /// Of the last frame that was JSON.
  private(set) var outline: JSONOutline?

  mutating func read(
    _ kind: MessageKind, _ text: Span<UInt8>, _ range: Range<Int>
  ) -> NativeFrame {
    outline = nil
    guard kind == .text, let outline = try? scanner.scan(text, range) else { return .foreign }
    self.outline = outline
    if outline.kind == .array { return .record }
    guard outline.kind == .object else { return .foreign }
    guard let type = scanner.member(Member.type) else { return readMessage(text) }
    guard type.kind == .string else { return .record }
    if type.isReserved(in: text) { return .foreign }
    guard let word = NativeWord(type.text(in: text)) else { return readMessage(text) }
    return readWord(word, text) ?? .malformed(word)
  }

  /// Appends the last read message as a line of text; returns false if it has none to show.
  func appendTextLine(_ text: Span<UInt8>, _ now: Timestamp, into line: inout [UInt8]) -> Bool {
    guard let words = string(Member.text, text) else { return false }
    TextLine.append(
      time: string(Member.timestamp, text).flatMap { Timestamp(rfc3339: $0) } ?? now,
      sender: string(Member.senderName, text) ?? string(Member.sender, text) ?? Array("?".utf8),
      text: words, into: &line)
    return true
  }

  /// The last read message's id.
  func id(_ text: Span<UInt8>) -> [UInt8] { string(Member.id, text) ?? [] }

  private func string(_ member: Int, _ text: Span<UInt8>) -> [UInt8]? {
    scanner.member(member)?.string(in: text)
  }

  private func count(_ member: Int, _ text: Span<UInt8>) -> Int? {
    scanner.member(member)?.count(in: text)
  }

  private func readMessage(_ text: Span<UInt8>) -> NativeFrame {
    guard let room = string(Member.room, text) else { return .record }
    return .message(
      room: room, seq: count(Member.seq, text), sender: string(Member.sender, text))
  }

  /// nil: something is missing.
  private mutating func readWord(_ word: NativeWord, _ text: Span<UInt8>) -> NativeFrame? {
    switch word {
    case .typing, .stopTyping, .join, .leave, .presence: return .record
    case .ping: return .ping
    case .pong: return .pong
    case .ack: return readAck(text)
    case .nack: return readNack(text)
    case .welcome: return readWelcome(text)
    case .joined:
      guard let room = string(Member.room, text), let epoch = string(Member.epoch, text),
        let seq = count(Member.seq, text)
      else { return nil }
      return .joined(
        room: room, epoch: epoch, seq: seq, oldest: count(Member.oldest, text) ?? 1)
    case .history:
      guard let room = string(Member.room, text),
        let messages = scanner.member(Member.messages), messages.kind == .array
      else { return nil }
      return .history(
        room: room, messages: messages.range,
        isMore: scanner.member(Member.more)?.flag(in: text) ?? false)
    case .error:
      let words = [Member.code, Member.reason].compactMap { string($0, text) }
        .map { String(decoding: $0, as: UTF8.self) }
      return .error(
        about: string(Member.about, text), room: string(Member.room, text),
        reason: words.isEmpty ? "an error without a reason" : words.joined(separator: ": "))
    }
  }

  private func readAck(_ text: Span<UInt8>) -> NativeFrame? {
    // With a user it is that user's receipt for one of our messages, which is a record.
    if scanner.member(Member.userID) != nil { return .record }
    guard let room = string(Member.room, text), let id = string(Member.messageID, text) else {
      return nil
    }
    return .acknowledged(
      room: room, id: id, seq: count(Member.seq, text), timestamp: string(Member.timestamp, text))
  }

  private func readNack(_ text: Span<UInt8>) -> NativeFrame? {
    guard let id = string(Member.messageID, text) else { return nil }
    let refusal = NativeRefusal(
      code: string(Member.code, text) ?? [], reason: string(Member.reason, text) ?? [],
      wait: count(Member.retryAfter, text).map { .milliseconds($0) })
    return .refused(room: string(Member.room, text), id: id, refusal)
  }

  private mutating func readWelcome(_ text: Span<UInt8>) -> NativeFrame? {
    guard let userID = string(Member.userID, text) else { return nil }
    let identity = NativeIdentity(userID: userID, userName: string(Member.userName, text))
    guard let limits = scanner.member(Member.limits), limits.kind == .object,
      (try? limitsScanner.scan(text, limits.range)) != nil
    else { return .welcome(identity, maximumMessage: nil, window: nil) }
    return .welcome(
      identity, maximumMessage: limitsScanner.member(0)?.count(in: text),
      window: limitsScanner.member(1)?.count(in: text))
  }
}
