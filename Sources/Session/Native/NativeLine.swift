import Bytes
import JSONText
import Timeline
import WebSocket

/// Reads the lines of a native session.
///
/// | type | without `userId` | with it |
/// |---|---|---|
/// | none, or one of its own | a message, completed | the same |
/// | typing, stopTyping, ack, join, leave | a request | skipped, it is a server's report |
/// | presence | skipped | skipped |
/// | welcome, joined, history, nack, ping, pong, error | refused: the protocol's words | refused |
/// | wsii.text, wsii.binary | a frame with just that payload | the same |
/// | another `wsii.` | skipped, it is a report of a wsii upstream | skipped |
///
/// A message is the line's own bytes with what is missing spliced in before the closing brace: `type`,
/// `id`, `conversationId`, `timestamp`, and `senderId` with `senderName` once they are known.
struct NativeLine: Sendable {
  /// What a line asks for.
  enum Reading: Equatable {
    case message(Draft)
    case typing(room: [UInt8], isTyping: Bool)
    case acknowledge(room: [UInt8], seq: Int, AckStatus)
    case join(room: [UInt8])
    case leave(room: [UInt8])
    case frame(MessageKind, [UInt8])
    case skipped
    case refused(reason: String)
  }

  /// A message, ready for the wire.
  struct Draft: Equatable {
    var room: [UInt8]
    var id: [UInt8]
    var frame: [UInt8]
    /// What could not be completed yet, because no server has told us who we are.
    var lacksSenderID = false
    var lacksSenderName = false
  }

  /// What a message is completed with.
  struct Completion {
    var id: MessageID
    var timestamp: Timestamp
    /// Where lines go that name no room.
    var room: [UInt8]?
    var identity: NativeIdentity?
    /// Bytes of the encoded message.
    var maximumMessage: Int
  }

  private enum Member {
    static let names = [
      "type", "id", "conversationId", "senderId", "senderName", "timestamp", "userId", "seq",
      "status",
    ]
    static let type = 0
    static let id = 1
    static let room = 2
    static let senderID = 3
    static let senderName = 4
    static let timestamp = 5
    static let userID = 6
    static let seq = 7
    static let status = 8
  }

  /// A room's name beyond this is no name; it bounds what each frame about the room costs.
  static let maximumRoomName = 1_024

  private let isText: Bool
  private var scanner = JSONScanner(wanted: Member.names)
  private var plain = PlainDialect(format: .json, isForTerminal: false)

  init(isText: Bool) {
    self.isText = isText
  }

  mutating func read(_ line: Span<UInt8>, _ completion: Completion) -> Reading {
    if isText { return readText(line, completion) }
    if line.isBlank { return .skipped }
    do throws(JSONError) {
      let outline = try scanner.scan(line, 0..<line.count)
      guard outline.kind == .object else { return .refused(reason: "a message is a JSON object") }
      return readObject(line, outline, completion)
    } catch {
      return .refused(reason: error.reason)
    }
  }

  private mutating func readObject(
    _ line: Span<UInt8>, _ outline: JSONOutline, _ completion: Completion
  ) -> Reading {
    guard let type = scanner.member(Member.type) else {
      return readMessage(line, outline, completion)
    }
    guard type.kind == .string else { return .refused(reason: "\"type\" must be a string") }
    if type.isReserved(in: line) { return readReserved(line) }
    switch NativeWord(type.text(in: line)) {
    case nil: return readMessage(line, outline, completion)
    case .presence?: return .skipped
    case .typing?, .stopTyping?, .ack?, .join?, .leave?:
      if scanner.member(Member.userID) != nil { return .skipped }
      return readRequest(line, NativeWord(type.text(in: line)), completion)
    case let word?: return .refused(reason: "\"\(word.rawValue)\" is a word of the protocol")
    }
  }

  private mutating func readReserved(_ line: Span<UInt8>) -> Reading {
    switch plain.compose(line) {
    case .built(let kind): .frame(kind, plain.built)
    case .refused(let reason): .refused(reason: reason)
    case .line, .skipped: .skipped
    }
  }

  private func readRequest(
    _ line: Span<UInt8>, _ word: NativeWord?, _ completion: Completion
  ) -> Reading {
    let room: [UInt8]
    switch readRoom(line, completion) {
    case .success(let name): room = name
    case .failure(let problem): return .refused(reason: problem.reason)
    }
    switch word {
    case .join: return .join(room: room)
    case .leave: return .leave(room: room)
    case .ack:
      guard let seq = scanner.member(Member.seq)?.count(in: line) else {
        return .refused(reason: "an ack needs a \"seq\"")
      }
      guard let status = scanner.member(Member.status) else {
        return .acknowledge(room: room, seq: seq, .read)
      }
      switch status.string(in: line) {
      case Array("delivered".utf8): return .acknowledge(room: room, seq: seq, .delivered)
      case Array("read".utf8): return .acknowledge(room: room, seq: seq, .read)
      default: return .refused(reason: "\"status\" is \"delivered\" or \"read\"")
      }
    default: return .typing(room: room, isTyping: word == .typing)
    }
  }

  // MARK: Messages

  private struct Problem: Error {
    var reason: String
  }

  private func readRoom(
    _ line: Span<UInt8>, _ completion: Completion
  ) -> Result<[UInt8], Problem> {
    guard let member = scanner.member(Member.room) else {
      guard let room = completion.room else {
        return .failure(Problem(reason: "no room: \"conversationId\" is missing"))
      }
      return .success(room)
    }
    guard let room = member.string(in: line) else {
      return .failure(Problem(reason: "\"conversationId\" must be a string"))
    }
    guard room.count <= Self.maximumRoomName else {
      return .failure(
        Problem(reason: "\"conversationId\" is longer than \(Self.maximumRoomName) bytes"))
    }
    return .success(room)
  }

  private func readMessage(
    _ line: Span<UInt8>, _ outline: JSONOutline, _ completion: Completion
  ) -> Reading {
    var draft: Draft
    switch readRoom(line, completion) {
    case .success(let room): draft = Draft(room: room, id: [], frame: [])
    case .failure(let problem): return .refused(reason: problem.reason)
    }
    if let member = scanner.member(Member.id) {
      guard let id = member.string(in: line), Self.isID(id) else {
        return .refused(reason: "\"id\" must be 1 to 64 characters of A-Z a-z 0-9 . _ : -")
      }
      draft.id = id
    } else {
      completion.id.append(to: &draft.id)
    }
    draft.frame.reserveCapacity(line.count + 256)
    var splice = JSONSplice(line, outline, into: &draft.frame)
    if scanner.member(Member.type) == nil {
      splice.member("type", Array("text".utf8), into: &draft.frame)
    }
    if scanner.member(Member.id) == nil { splice.member("id", draft.id, into: &draft.frame) }
    if scanner.member(Member.room) == nil {
      splice.member("conversationId", draft.room, into: &draft.frame)
    }
    if scanner.member(Member.timestamp) == nil {
      var timestamp: [UInt8] = []
      completion.timestamp.appendRFC3339(to: &timestamp)
      splice.member("timestamp", timestamp, into: &draft.frame)
    }
    splice.close(into: &draft.frame)
    draft.lacksSenderID = scanner.member(Member.senderID) == nil
    draft.lacksSenderName = scanner.member(Member.senderName) == nil
    return finish(&draft, completion)
  }

  private func finish(_ draft: inout Draft, _ completion: Completion) -> Reading {
    guard draft.frame.count <= completion.maximumMessage else {
      return .refused(
        reason: "\(draft.frame.count) bytes are over the limit of \(completion.maximumMessage)")
    }
    if let identity = completion.identity {
      SenderSplice.append(
        identity, lacksID: draft.lacksSenderID, lacksName: draft.lacksSenderName,
        maximum: completion.maximumMessage, to: &draft.frame)
      draft.lacksSenderID = false
      draft.lacksSenderName = false
    }
    return .message(draft)
  }

  private func readText(_ line: Span<UInt8>, _ completion: Completion) -> Reading {
    guard UTF8Validator.isValid(line, 0..<line.count) else { return .refused(reason: "not UTF-8") }
    if line.isBlank { return .skipped }
    guard let room = completion.room else { return .refused(reason: "no room to send it to") }
    var draft = Draft(room: room, id: [], frame: [])
    completion.id.append(to: &draft.id)
    let id = draft.id
    JSONWriter.append(into: &draft.frame) { writer in
      writer.member("type", "text")
      writer.member("id", bytes: id.span, 0..<id.count)
      writer.member("conversationId", bytes: room.span, 0..<room.count)
      writer.member("text", bytes: line, 0..<line.count)
      writer.member("timestamp", completion.timestamp.rfc3339)
    }
    draft.lacksSenderID = true
    draft.lacksSenderName = true
    return finish(&draft, completion)
  }

  /// Whether bytes may be a message's id: `[A-Za-z0-9._:-]{1,64}`.
  static func isID(_ id: [UInt8]) -> Bool {
    (1...64).contains(id.count)
      && id.allSatisfy {
        switch $0 {
        case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      }
  }
}

/// Who sends a message, added to its frame.
enum SenderSplice {
  /// Appends the members that the frame lacks. The server sets both anyway, so where they would make
  /// the message too long they are left out.
  static func append(
    _ identity: NativeIdentity, lacksID: Bool, lacksName: Bool, maximum: Int,
    to frame: inout [UInt8]
  ) {
    var added: [UInt8] = []
    func append(_ name: String, _ value: [UInt8]) {
      added.append(contentsOf: ",\"\(name)\":\"".utf8)
      JSONString.appendEscaped(value.span, 0..<value.count, into: &added)
      added.append(UInt8(ascii: "\""))
    }
    if lacksID { append("senderId", identity.userID) }
    if lacksName, let name = identity.userName { append("senderName", name) }
    guard !added.isEmpty, frame.count + added.count <= maximum else { return }
    // A message has an id at least, so there is a member to follow.
    frame.removeLast()
    frame.append(contentsOf: added)
    frame.append(UInt8(ascii: "}"))
  }
}
