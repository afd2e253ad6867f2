/// How a peer broke RFC 6455, or a limit of ours.
///
/// Every case ends the connection; `closeCode` is the one place that says with which code.
package enum ProtocolError: Error, Equatable, Sendable {
  /// A reserved bit was set though no extension was agreed on (section 5.2); the bits as they
  /// stand in the frame's first byte.
  case reservedBits(UInt8)
  /// Section 5.2: "If an unknown opcode is received, the receiving endpoint MUST _Fail_".
  case reservedOpcode(UInt8)
  /// Section 5.1: "A client MUST close a connection if it detects a masked frame."
  case maskedFrame
  /// Section 5.1: "The server MUST close the connection upon receiving a frame not masked."
  case unmaskedFrame
  /// Section 5.2: "The minimal number of bytes MUST be used to encode the length."
  case lengthNotMinimal(UInt64)
  /// Section 5.2: "The most significant bit MUST be 0."
  case lengthTopBit(UInt64)
  /// Section 5.5: control frames "MUST NOT be fragmented".
  case fragmentedControl(Opcode)
  /// Section 5.5: control frames "MUST have a payload length of 125 bytes or less".
  case controlTooLong(Opcode)
  /// A continuation frame while no message was open (section 5.4).
  case unexpectedContinuation
  /// A new message began inside a fragmented one (section 5.4).
  case expectedContinuation(Opcode)
  /// Section 8.1: a text message that isn't UTF-8.
  case invalidText
  /// Section 5.5.1: a Close body is empty or begins with a two-byte code.
  case closeBodyOfOneByte
  /// Section 7.4: a code that may not be sent.
  case invalidCloseCode(UInt16)
  /// Section 5.5.1: the reason isn't UTF-8.
  case invalidCloseReason
  /// The bytes received and declared so far exceed `WebSocketLimits.maximumMessage`.
  case messageTooBig(declared: UInt64, maximum: Int)
  /// One message came in more frames than `WebSocketLimits.maximumFragments`.
  case tooManyFragments(maximum: Int)

  /// The code of the Close frame that answers the error.
  package var closeCode: CloseCode {
    switch self {
    case .reservedBits, .reservedOpcode, .maskedFrame, .unmaskedFrame, .lengthNotMinimal,
      .lengthTopBit, .fragmentedControl, .controlTooLong, .unexpectedContinuation,
      .expectedContinuation, .closeBodyOfOneByte, .invalidCloseCode:
      .protocolError
    case .invalidText, .invalidCloseReason:
      .invalidData
    case .messageTooBig, .tooManyFragments:
      .messageTooBig
    }
  }
}

extension ProtocolError: CustomStringConvertible {
  /// One short sentence without a full stop; also the reason in the Close frame.
  package var description: String {
    switch self {
    case .reservedBits(let bits):
      "reserved bits 0x\(String(bits, radix: 16)) set without an extension"
    case .reservedOpcode(let opcode): "reserved opcode 0x\(String(opcode, radix: 16))"
    case .maskedFrame: "masked frame from a server"
    case .unmaskedFrame: "unmasked frame from a client"
    case .lengthNotMinimal(let length): "length \(length) not in its shortest form"
    case .lengthTopBit(let length): "length \(length) has its top bit set"
    case .fragmentedControl(let opcode): "fragmented \(opcode.name) frame"
    case .controlTooLong(let opcode): "\(opcode.name) frame of more than 125 bytes"
    case .unexpectedContinuation: "continuation of no message"
    case .expectedContinuation(let opcode): "\(opcode.name) frame inside a fragmented message"
    case .invalidText: "text is not UTF-8"
    case .closeBodyOfOneByte: "CLOSE frame with a body of one byte"
    case .invalidCloseCode(let code): "close code \(code)"
    case .invalidCloseReason: "close reason is not UTF-8"
    case .messageTooBig(let declared, let maximum):
      "message of \(declared) bytes or more, the limit is \(maximum)"
    case .tooManyFragments(let maximum): "message of more than \(maximum) frames"
    }
  }
}
