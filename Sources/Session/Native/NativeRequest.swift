import JSONText

/// What a client says in the native protocol, besides messages.
enum NativeRequest {
  static let pong = Array(#"{"type":"pong"}"#.utf8)

  static func join(_ room: [UInt8]) -> [UInt8] { make("join", room) { _ in } }

  static func leave(_ room: [UInt8]) -> [UInt8] { make("leave", room) { _ in } }

  /// Asks for what follows `seq`, oldest first.
  static func history(_ room: [UInt8], after seq: Int, limit: Int) -> [UInt8] {
    make("history", room) { writer in
      writer.member("after", seq)
      writer.member("limit", limit)
    }
  }

  /// Everything up to `seq` has been handed over, or read.
  static func acknowledge(_ room: [UInt8], seq: Int, _ status: AckStatus) -> [UInt8] {
    make("ack", room) { writer in
      writer.member("seq", seq)
      writer.member("status", status.rawValue)
    }
  }

  static func typing(_ room: [UInt8], isTyping: Bool) -> [UInt8] {
    make(isTyping ? "typing" : "stopTyping", room) { _ in }
  }

  private static func make(
    _ type: String, _ room: [UInt8], _ rest: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var frame: [UInt8] = []
    JSONWriter.append(into: &frame) { writer in
      writer.member("type", type)
      writer.member("conversationId", bytes: room.span, 0..<room.count)
      rest(&writer)
    }
    return frame
  }
}

/// How far a receiver has come with a message.
enum AckStatus: String {
  case delivered
  case read
}
