internal import Bytes

/// The body of a Close frame (RFC 6455, section 5.5.1), as the peer sent it.
///
/// A code that may not be sent and a reason that isn't UTF-8 are kept as they came: they are the
/// only explanation a user gets for why the server ended the connection.
package struct CloseFrame: Equatable, Sendable {
  /// "Control frames MUST have a payload length of 125 bytes or less": two bytes are the code.
  package static let maximumReason = 123

  /// Nil when the body was empty (which the RFC calls 1005).
  package var code: CloseCode?

  /// At most 123 bytes from the peer, UTF-8 if `violation` is nil. Escape before showing.
  package var reason: [UInt8]

  package init(code: CloseCode?, reason: [UInt8] = []) {
    self.code = code
    self.reason = reason
  }

  /// Reads a Close frame's payload of at most 125 bytes; nil for a body of one byte, which is
  /// neither empty nor a code.
  package init?(payload: Span<UInt8>, _ range: Range<Int>) {
    guard range.count != 1 else { return nil }
    guard range.count >= 2 else {
      self.init(code: nil)
      return
    }
    let start = range.lowerBound
    let code = UInt16(payload[start]) << 8 | UInt16(payload[start + 1])
    var reason: [UInt8] = []
    reason.reserveCapacity(range.count - 2)
    for index in (start + 2)..<range.upperBound { reason.append(payload[index]) }
    self.init(code: CloseCode(rawValue: code), reason: reason)
  }

  /// What is wrong with the frame, nil if nothing.
  package var violation: ProtocolError? {
    guard let code else { return nil }
    guard code.isAllowedOnWire else { return .invalidCloseCode(code.rawValue) }
    guard UTF8Validator.isValid(reason.span, 0..<reason.count) else { return .invalidCloseReason }
    return nil
  }

  /// The payload of a Close frame that may be sent: a code that is not allowed on the wire leaves
  /// it empty, and the reason is cut at a character's border to 123 bytes.
  static func payload(code: CloseCode?, reason: [UInt8]) -> [UInt8] {
    guard let code, code.isAllowedOnWire else { return [] }
    var payload = [UInt8(truncatingIfNeeded: code.rawValue >> 8)]
    payload.append(UInt8(truncatingIfNeeded: code.rawValue))
    var end = min(reason.count, maximumReason)
    // The first byte left out must not be a continuation byte (10xxxxxx).
    while end > 0, end < reason.count, reason[end] & 0xC0 == 0x80 { end -= 1 }
    payload.append(contentsOf: reason[..<end])
    return payload
  }
}

extension CloseFrame: CustomStringConvertible {
  /// `1001 (going away) "restarting"`, safe to print.
  package var description: String {
    var text = code?.description ?? "no status"
    if !reason.isEmpty { text += " \"\(VisibleText.escaped(reason))\"" }
    return text
  }
}
