/// The part of a frame before its payload (RFC 6455, section 5.2).
package struct FrameHeader: Equatable, Sendable {
  /// The longest header: two bytes, a 64-bit length, a key.
  package static let maximumLength = 14

  package var isFinal: Bool
  package var opcode: Opcode
  /// Not negative; from the wire, so check it against a limit before taking memory.
  package var payloadLength: Int
  /// As `Masking` holds it; nil for an unmasked frame.
  package var maskingKey: UInt32?

  @inlinable
  package init(isFinal: Bool = true, opcode: Opcode, payloadLength: Int, maskingKey: UInt32? = nil)
  {
    self.isFinal = isFinal
    self.opcode = opcode
    self.payloadLength = payloadLength
    self.maskingKey = maskingKey
  }

  /// What stands at a place of the input.
  package enum Reading: Equatable, Sendable {
    case header(FrameHeader, length: Int)
    /// The header goes on in bytes that haven't come.
    case incomplete
    case invalid(ProtocolError)
  }

  /// Reads a header at `start`, which must lie within the input or at its end.
  ///
  /// Each byte is judged as soon as it is there, in the order of the wire, so that the first
  /// violation found is the same however the input was cut.
  @inline(__always)
  static func read(_ input: Span<UInt8>, at start: Int, from sender: Role) -> Reading {
    let available = input.count &- start
    guard available >= 1 else { return .incomplete }
    let first = input[start]
    guard first & 0x70 == 0 else { return .invalid(.reservedBits(first & 0x70)) }
    guard let opcode = Opcode(rawValue: first & 0x0F) else {
      return .invalid(.reservedOpcode(first & 0x0F))
    }
    let isFinal = first & 0x80 != 0
    guard isFinal || !opcode.isControl else { return .invalid(.fragmentedControl(opcode)) }
    guard available >= 2 else { return .incomplete }
    let second = input[start &+ 1]
    let isMasked = second & 0x80 != 0
    guard isMasked == (sender == .client) else {
      return .invalid(isMasked ? .maskedFrame : .unmaskedFrame)
    }
    let shortLength = second & 0x7F
    guard shortLength < 126 || !opcode.isControl else { return .invalid(.controlTooLong(opcode)) }
    var length = UInt64(shortLength)
    var headerLength = 2
    if shortLength >= 126 {
      headerLength = shortLength == 126 ? 4 : 10
      guard available >= headerLength else { return .incomplete }
      length = 0
      for index in (start &+ 2)..<(start &+ headerLength) {
        length = length << 8 | UInt64(input[index])
      }
      guard length >> 63 == 0 else { return .invalid(.lengthTopBit(length)) }
      guard length >= (shortLength == 126 ? 126 : 65_536) else {
        return .invalid(.lengthNotMinimal(length))
      }
    }
    var key: UInt32?
    if isMasked {
      guard available >= headerLength &+ 4 else { return .incomplete }
      let at = start &+ headerLength
      key =
        UInt32(input[at]) | UInt32(input[at &+ 1]) << 8
        | UInt32(input[at &+ 2]) << 16 | UInt32(input[at &+ 3]) << 24
      headerLength &+= 4
    }
    let header = FrameHeader(
      isFinal: isFinal, opcode: opcode, payloadLength: Int(clamping: length), maskingKey: key)
    return .header(header, length: headerLength)
  }

  /// Appends the header with its length in the shortest form.
  @inlinable
  package func append(to bytes: inout [UInt8]) {
    bytes.append((isFinal ? 0x80 : 0) | opcode.rawValue)
    let maskBit: UInt8 = maskingKey == nil ? 0 : 0x80
    if payloadLength < 126 {
      bytes.append(maskBit | UInt8(truncatingIfNeeded: payloadLength))
    } else if payloadLength < 65_536 {
      bytes.append(maskBit | 126)
      bytes.append(UInt8(truncatingIfNeeded: payloadLength >> 8))
      bytes.append(UInt8(truncatingIfNeeded: payloadLength))
    } else {
      bytes.append(maskBit | 127)
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: UInt64(payloadLength) >> UInt64(shift)))
      }
    }
    if let key = maskingKey {
      bytes.append(UInt8(truncatingIfNeeded: key))
      bytes.append(UInt8(truncatingIfNeeded: key >> 8))
      bytes.append(UInt8(truncatingIfNeeded: key >> 16))
      bytes.append(UInt8(truncatingIfNeeded: key >> 24))
    }
  }
}
