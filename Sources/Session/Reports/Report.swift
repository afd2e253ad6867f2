/// What wsii itself has to say: each is one `wsii.*` record, or one line for people.
package enum Report: Equatable, Sendable {
  case state(LinkReport)
  /// A line was taken in; from here on wsii looks after the message.
  case accepted(id: MessageName, line: Int)
  /// The server has the message; with what it said about its place in the room.
  case delivered(id: MessageName, seq: Int? = nil, timestamp: [UInt8]? = nil)
  /// The message will not be sent.
  case failed(id: MessageName, reason: String)
  /// Messages from the server are missing here, and can't be fetched.
  case gap(reason: String)
  /// The same, where a room's messages are numbered: all after `after` and before `before`, which
  /// counts in a new epoch if there is one.
  case missing(room: [UInt8], after: Int, before: Int, epoch: [UInt8]? = nil)
  /// The server complains about something that isn't a message.
  case serverError(room: [UInt8]?, reason: String)
  /// A line was not taken in. `input` is the line, raw; it is shown repaired and cut short.
  case error(source: String, line: Int, reason: String, input: [UInt8])
}

/// A message as reports name it.
package enum MessageName: Equatable, Sendable {
  /// An id that stays here: the server knows none.
  case local(MessageID)
  /// The id that the server knows, and the room.
  case shared(id: [UInt8], room: [UInt8])
}

/// A change in the life of the link.
package struct LinkReport: Equatable, Sendable {
  package enum State: String, Sendable {
    case connecting, online, offline, refused, full, stopping
  }

  package var state: State
  package var reason: String?
  /// As they stood on the wire; the reason may be any bytes.
  package var closeCode: UInt16?
  package var closeReason: [UInt8]?
  package var httpStatus: Int?
  package var attempt: Int?
  package var retryIn: Duration?

  package init(_ state: State, reason: String? = nil, attempt: Int? = nil) {
    self.state = state
    self.reason = reason
    self.attempt = attempt
  }

  /// The report of an end, and of what follows it.
  package init(_ state: State, end: LinkEnd, attempt: Int?, retryIn: Duration?) {
    self.state = state
    self.attempt = attempt
    self.retryIn = retryIn
    reason = end.explanation
    closeCode = end.closeCode
    httpStatus = end.httpStatus
    if case .closed(_, let bytes) = end, !bytes.isEmpty { closeReason = bytes }
  }
}

/// How much of what happens is told, least first.
package enum LogLevel: Int, Comparable, Sendable {
  case error, warning, notice, info, debug

  package static func < (left: LogLevel, right: LogLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}
