import Bytes
import JSONText
import Timeline
import WebSocket

/// Writes what the hub says; each is one complete frame, encoded once for all that get it.
enum ServerFrame {
  /// Puts a text frame's header before a payload. Servers don't mask (RFC 6455, section 5.1).
  static func encode(_ payload: [UInt8]) -> [UInt8] {
    var frame: [UInt8] = []
    frame.reserveCapacity(payload.count &+ 10)
    FrameHeader(opcode: .text, payloadLength: payload.count).append(to: &frame)
    frame.append(contentsOf: payload)
    return frame
  }

  static func welcome(_ identity: Identity, _ limits: HubLimits, _ now: Timestamp) -> [UInt8] {
    make("welcome") { writer in
      writer.member("userId", identity.userID)
      writer.member("userName", identity.name)
      writer.member("serverTime", now)
      // Histories are in memory only.
      writer.member("durable", false)
      writer.object("limits") { writer in
        writer.member("maxMessage", limits.maximumMessage)
        writer.member("window", limits.window)
      }
    }
  }

  /// The users are those beside the one who is told.
  static func joined(_ room: Room, to user: User) -> [UInt8] {
    make("joined") { writer in
      writer.member("conversationId", room.key.bytes)
      writer.member("epoch", room.epoch)
      writer.member("seq", room.history.lastSeq)
      writer.member("oldest", room.history.oldest)
      writer.member("users") { bytes in
        bytes.append(UInt8(ascii: "["))
        var needsComma = false
        for other in room.users where other !== user {
          if needsComma { bytes.append(UInt8(ascii: ",")) }
          needsComma = true
          JSONWriter.append(into: &bytes) { writer in
            writer.member("userId", other.key.bytes)
            writer.member("userName", other.name)
          }
        }
        bytes.append(UInt8(ascii: "]"))
      }
    }
  }

  static func history(
    _ room: ByteKey, _ messages: some Sequence<MessageFrame>, hasMore: Bool
  ) -> [UInt8] {
    make("history") { writer in
      writer.member("conversationId", room.bytes)
      writer.member("messages") { bytes in
        bytes.append(UInt8(ascii: "["))
        var needsComma = false
        for message in messages {
          if needsComma { bytes.append(UInt8(ascii: ",")) }
          needsComma = true
          bytes.append(message.bytes.span, message.record)
        }
        bytes.append(UInt8(ascii: "]"))
      }
      writer.member("more", hasMore)
    }
  }

  static func ack(
    _ messageID: [UInt8], _ room: ByteKey, seq: Int, _ timestamp: Timestamp
  ) -> [UInt8] {
    make("ack") { writer in
      writer.member("messageId", messageID)
      writer.member("conversationId", room.bytes)
      writer.member("seq", seq)
      writer.member("timestamp", timestamp)
    }
  }

  /// A `nack` if the objection is to a message, else an `error`.
  static func refusal(_ objection: Objection, retryAfter wait: Duration? = nil) -> [UInt8] {
    make(objection.messageID == nil ? "error" : "nack") { writer in
      if let id = objection.messageID {
        writer.member("messageId", id)
      } else if let re = objection.re {
        writer.member("re", re)
      }
      if let room = objection.room { writer.member("conversationId", room) }
      writer.member("code", objection.code.rawValue)
      writer.member("reason", objection.reason)
      if let wait {
        // Rounded up: a client that comes exactly then shall not come too early.
        writer.member("retryAfterMs", Int(clamping: wait.wholeMilliseconds) &+ 1)
      }
    }
  }

  /// - Parameter message: the receiver's newest own that is covered.
  static func receipt(
    _ room: ByteKey, seq: Int, _ message: MessageFrame, from user: ByteKey,
    _ status: ReceiptStatus
  ) -> [UInt8] {
    make("ack") { writer in
      writer.member("conversationId", room.bytes)
      writer.member("seq", seq)
      writer.member("messageId") { bytes in
        bytes.append(UInt8(ascii: "\""))
        bytes.append(message.bytes.span, message.idText)
        bytes.append(UInt8(ascii: "\""))
      }
      writer.member("userId", user.bytes)
      writer.member("status", status.rawValue)
    }
  }

  static func typing(_ room: ByteKey, _ user: ByteKey, isOver: Bool) -> [UInt8] {
    make(isOver ? "stopTyping" : "typing") { writer in
      writer.member("conversationId", room.bytes)
      writer.member("userId", user.bytes)
    }
  }

  static func presence(_ user: ByteKey, lastOnline: Timestamp?) -> [UInt8] {
    make("presence") { writer in
      writer.member("userId", user.bytes)
      writer.member("online", lastOnline == nil)
      if let lastOnline { writer.member("lastOnline", lastOnline) }
    }
  }

  static func join(_ room: ByteKey, _ user: User) -> [UInt8] { passage("join", room, user) }

  static func leave(_ room: ByteKey, _ user: User) -> [UInt8] { passage("leave", room, user) }

  static let pong: [UInt8] = make("pong") { _ in }

  private static func passage(_ type: String, _ room: ByteKey, _ user: User) -> [UInt8] {
    make(type) { writer in
      writer.member("conversationId", room.bytes)
      writer.member("userId", user.key.bytes)
      writer.member("userName", user.name)
    }
  }

  private static func make(_ type: String, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var payload: [UInt8] = []
    JSONWriter.append(into: &payload) { writer in
      writer.member("type", type)
      body(&writer)
    }
    return encode(payload)
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: StaticString, _ value: [UInt8]) {
    member(name, bytes: value.span, 0..<value.count)
  }

  fileprivate mutating func member(_ name: StaticString, _ value: Timestamp) {
    member(name) { bytes in
      bytes.append(UInt8(ascii: "\""))
      value.appendRFC3339(to: &bytes)
      bytes.append(UInt8(ascii: "\""))
    }
  }
}
