internal import Bytes

/// Joins the payloads of a message's frames (RFC 6455, section 5.4).
///
/// Bytes are taken as they arrive, text is checked at once, so bad UTF-8 is found before the
/// message ends and a code point may lie across any border. Storage grows with what has come,
/// never with what was declared.
struct MessageAssembler {
  /// Storage above this isn't kept for the next message: a thousand clients of a hub would
  /// otherwise hold on to the largest message each ever sent. Chat messages fit.
  static let retainedCapacity = 4_096

  /// The kind of the open message, nil between messages.
  private(set) var kind: MessageKind?

  /// What has come of the open message, or the whole message once it is finished.
  private(set) var bytes: [UInt8] = []

  /// Whether `bytes` is a message that was handed out and may now be forgotten.
  private(set) var isFinished = false

  private var validator = UTF8Validator()
  private var frameCount = 0

  /// Judges a data frame's header against the open message and the limits; nil is acceptance.
  @inline(__always)
  func violation(of header: FrameHeader, limits: WebSocketLimits) -> ProtocolError? {
    if header.opcode == .continuation {
      guard kind != nil else { return .unexpectedContinuation }
      guard frameCount < limits.maximumFragments else {
        return .tooManyFragments(maximum: limits.maximumFragments)
      }
    } else {
      guard kind == nil else { return .expectedContinuation(header.opcode) }
    }
    // Both are not negative, and the array's count is at most the limit.
    guard header.payloadLength <= limits.maximumMessage &- bytes.count else {
      let declared = UInt64(bytes.count) + UInt64(header.payloadLength)
      return .messageTooBig(declared: declared, maximum: limits.maximumMessage)
    }
    return nil
  }

  /// Opens a message, or goes on with the open one; the header must have been accepted.
  mutating func begin(_ header: FrameHeader) {
    frameCount &+= 1
    switch header.opcode {
    case .text: kind = .text
    case .binary: kind = .binary
    default: break
    }
  }

  /// Takes a part of a frame's payload; false if the text can't become UTF-8 any more.
  ///
  /// - Parameter offset: how much of the same frame came before, for the key.
  mutating func append(
    _ input: Span<UInt8>, _ range: Range<Int>, maskingKey: UInt32?, offset: Int
  ) -> Bool {
    let start = bytes.count
    if let maskingKey {
      Masking.append(input, range, key: maskingKey, offset: offset, to: &bytes)
    } else {
      Masking.append(input, range, to: &bytes)
    }
    guard kind == .text else { return true }
    // On a copy: the compiler takes the borrowed array for a borrow of all of self.
    var validator = validator
    defer { self.validator = validator }
    return validator.validate(bytes.span, start..<bytes.count)
  }

  /// Ends the message; nil if its text ends inside a code point.
  mutating func finish() -> MessageKind? {
    guard let kind, kind == .binary || validator.isComplete else { return nil }
    self.kind = nil
    isFinished = true
    return kind
  }

  /// Gives the storage back unless a message is open.
  mutating func releaseStorage() {
    if kind == nil { self = MessageAssembler() }
  }

  /// Forgets the finished or broken message.
  mutating func reset() {
    kind = nil
    isFinished = false
    frameCount = 0
    validator = UTF8Validator()
    if bytes.capacity > Self.retainedCapacity {
      bytes = []
    } else {
      bytes.removeAll(keepingCapacity: true)
    }
  }
}
