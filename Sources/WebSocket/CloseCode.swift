/// A close code (RFC 6455, section 7.4), legal or not: a peer may send any two bytes.
package struct CloseCode: RawRepresentable, Hashable, Sendable {
  package var rawValue: UInt16

  @inlinable
  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// "The purpose for which the connection was established has been fulfilled."
  package static let normal = CloseCode(rawValue: 1000)
  /// "Such as a server going down or a browser having navigated away from a page."
  package static let goingAway = CloseCode(rawValue: 1001)
  /// "An endpoint is terminating the connection due to a protocol error."
  package static let protocolError = CloseCode(rawValue: 1002)
  /// "It has received a type of data it cannot accept."
  package static let unsupportedData = CloseCode(rawValue: 1003)
  /// Never on the wire: a Close without a code was received.
  package static let noStatus = CloseCode(rawValue: 1005)
  /// Never on the wire: the connection ended without a Close.
  package static let abnormal = CloseCode(rawValue: 1006)
  /// "Data within a message that was not consistent with the type of the message", bad UTF-8.
  package static let invalidData = CloseCode(rawValue: 1007)
  /// "It has received a message that violates its policy"; chat servers mean: not allowed.
  package static let policyViolation = CloseCode(rawValue: 1008)
  /// "It has received a message that is too big for it to process."
  package static let messageTooBig = CloseCode(rawValue: 1009)
  /// A client misses an extension in the server's answer.
  package static let mandatoryExtension = CloseCode(rawValue: 1010)
  /// "It encountered an unexpected condition that prevented it from fulfilling the request."
  package static let internalError = CloseCode(rawValue: 1011)
  /// The service restarts (registered with IANA after the RFC).
  package static let serviceRestart = CloseCode(rawValue: 1012)
  /// The service is overloaded; try again later (registered with IANA after the RFC).
  package static let tryAgainLater = CloseCode(rawValue: 1013)
  /// A gateway got no good answer from the server behind it (registered with IANA after the RFC).
  package static let badGateway = CloseCode(rawValue: 1014)
  /// Never on the wire: the TLS handshake failed.
  package static let tlsHandshake = CloseCode(rawValue: 1015)

  /// Whether the code may stand in a Close frame.
  ///
  /// 1004 is reserved; 1005, 1006 and 1015 "MUST NOT be set as a status code in a Close control
  /// frame by an endpoint" (section 7.4.1); 3000 to 4999 belong to libraries and applications
  /// (section 7.4.2); everything else is undefined.
  package var isAllowedOnWire: Bool {
    switch rawValue {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }

  /// A short name for people, or nil when the RFC and IANA know none.
  package var name: String? {
    switch rawValue {
    case 1000: "normal closure"
    case 1001: "going away"
    case 1002: "protocol error"
    case 1003: "unsupported data"
    case 1005: "no status"
    case 1006: "abnormal closure"
    case 1007: "invalid data"
    case 1008: "policy violation"
    case 1009: "message too big"
    case 1010: "mandatory extension"
    case 1011: "internal error"
    case 1012: "service restart"
    case 1013: "try again later"
    case 1014: "bad gateway"
    case 1015: "TLS handshake"
    default: nil
    }
  }
}

extension CloseCode: CustomStringConvertible {
  /// `1001 (going away)`, or the bare number.
  package var description: String {
    name.map { "\(rawValue) (\($0))" } ?? "\(rawValue)"
  }
}
