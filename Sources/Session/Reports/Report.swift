/// What wsii itself has to say: each is one `wsii.*` record, or one line for people.
package enum Report: Equatable, Sendable {
  case state(LinkReport)
  /// A line was taken in; from here on wsii looks after the message.
  case accepted(id: MessageID, line: Int)
  /// The server has the message.
  case delivered(id: MessageID)
  /// The message will not be sent.
  case failed(id: MessageID, reason: String)
  /// Messages from the server are missing here, and can't be fetched.
  case gap(reason: String)
  /// A line was not taken in. `input` is the line, raw; it is shown repaired and cut short.
  case error(source: String, line: Int, reason: String, input: [UInt8])
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
