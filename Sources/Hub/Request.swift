/// What a client asks for.
enum Request: Sendable {
  case join(ByteKey)
  case leave(ByteKey)
  case history(ByteKey, HistoryQuery)
  case message(MessageDraft)
  /// All up to `seq` has been received or read.
  case acknowledge(ByteKey, seq: Int, ReceiptStatus)
  case typing(ByteKey, isOver: Bool)
  case ping
}

/// Which part of a room's history is asked for.
struct HistoryQuery: Equatable, Sendable {
  enum Edge: Equatable, Sendable {
    /// The oldest with a greater seq.
    case after(Int)
    /// The newest with a smaller seq.
    case before(Int)
    case newest
  }

  var edge: Edge
  /// At least 1.
  var count: Int
}

/// What a receipt says.
enum ReceiptStatus: String, Sendable {
  case delivered
  case read
}

/// Why a frame isn't done.
struct Objection: Error, Equatable, Sendable {
  /// Of a message: then it is a `nack`, else an `error`.
  var messageID: [UInt8]?
  /// The type of the frame, where it has one.
  var re: [UInt8]?
  var room: [UInt8]?
  var code: RefusalCode
  var reason: String
}
