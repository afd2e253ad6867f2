/// Why a link, or an attempt at one, came to its end.
package enum LinkEnd: Equatable, Sendable {
  /// No connection came about: name, network, TLS, proxy. The text is for people.
  case unreachable(reason: String)
  /// The credentials that the handshake needs could not be read.
  case noCredentials(reason: String)
  /// A proxy asked for credentials (407), or refused them.
  case refusedByProxy(reason: String)
  /// The server answered the upgrade with another status than 101 (RFC 6455, section 4.1).
  case refusedUpgrade(status: Int, reason: String, retryAfter: Duration?)
  /// What the server said is not WebSocket; `code` is what we closed with, if it came so far.
  case protocolViolation(reason: String, code: UInt16?)
  /// The server closed; code and reason as they stood on the wire, illegal ones included.
  case closed(code: UInt16?, reason: [UInt8])
  /// The connection vanished without a Close frame, or stopped answering.
  case lost(reason: String)
  /// The server takes us for somebody else than the one whose messages wait.
  case otherUser(reason: String)
  /// We closed it ourselves, because it was of no use as it stood.
  case left(reason: String)
  /// We closed it ourselves, because a person asked for a new one.
  case reconnecting
}

extension LinkEnd {
  /// Close codes after which coming back with the same credentials is pointless: policy violation
  /// (RFC 6455, section 7.4.1), and the two that chat servers use for a bad login.
  package static let fatalCloseCodes: [UInt16] = [1008, 4001, 4003]

  /// Whether the server said no to us, rather than being unwell.
  package var isRefusal: Bool {
    switch self {
    case .refusedUpgrade(let status, _, _): status == 401 || status == 403
    case .refusedByProxy, .otherUser: true
    case .closed(let code, _): code.map(Self.fatalCloseCodes.contains) ?? false
    default: false
    }
  }

  package var isProtocolViolation: Bool {
    if case .protocolViolation = self { return true }
    return false
  }

  /// The wait that the server asked for.
  package var retryAfter: Duration? {
    if case .refusedUpgrade(_, _, let wait) = self { return wait }
    return nil
  }

  package var closeCode: UInt16? {
    switch self {
    case .closed(let code, _): code
    case .protocolViolation(_, let code): code
    default: nil
    }
  }

  package var httpStatus: Int? {
    if case .refusedUpgrade(let status, _, _) = self { return status }
    return nil
  }

  /// One line for people; bytes of a close reason stay raw and are made safe where they are shown.
  package var explanation: String {
    switch self {
    case .unreachable(let reason), .noCredentials(let reason), .refusedByProxy(let reason),
      .lost(let reason), .left(let reason), .otherUser(let reason),
      .protocolViolation(let reason, _):
      reason
    case .reconnecting: "asked to reconnect"
    case .refusedUpgrade(let status, let reason, _):
      reason.isEmpty
        ? "the server answered \(status)" : "the server answered \(status) \(reason)"
    case .closed(nil, _): "the server closed without a code"
    case .closed(let code?, let reason):
      reason.isEmpty
        ? "the server closed with \(code)"
        : "the server closed with \(code): \(String(decoding: reason, as: UTF8.self))"
    }
  }
}
