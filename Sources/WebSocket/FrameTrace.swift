/// A frame as a line for people: `< TEXT fin 181 bytes "{\"id\":\"m000…"`.
package struct FrameTrace: Equatable, Sendable {
  /// A line shows so much of a payload; a Close frame is shown whole.
  package static let previewLength = 64

  package var isReceived: Bool
  package var opcode: Opcode
  package var isFinal: Bool
  package var payloadLength: Int
  /// The payload's beginning, unmasked, as it came.
  package var preview: [UInt8]

  /// - Parameter range: the payload, as far as it is there.
  init(
    isReceived: Bool, opcode: Opcode, isFinal: Bool, payloadLength: Int,
    _ payload: Span<UInt8>, _ range: Range<Int>
  ) {
    self.isReceived = isReceived
    self.opcode = opcode
    self.isFinal = isFinal
    self.payloadLength = payloadLength
    let limit = opcode == .close ? range.count : min(range.count, Self.previewLength)
    preview = []
    Masking.append(payload, range.lowerBound..<(range.lowerBound + limit), to: &preview)
  }
}

extension FrameTrace: CustomStringConvertible {
  /// Safe to print whatever the peer sent.
  package var description: String {
    var line = isReceived ? "< " : "> "
    line += opcode.name
    line += isFinal ? " fin" : " more"
    line += " \(payloadLength) \(payloadLength == 1 ? "byte" : "bytes")"
    guard !preview.isEmpty else { return line }
    let isCut = preview.count < payloadLength
    if opcode == .close, let frame = CloseFrame(payload: preview.span, 0..<preview.count) {
      line += " \(frame)"
    } else if opcode == .binary {
      line += " \(VisibleText.hexadecimal(preview))\(isCut ? " …" : "")"
    } else {
      line += " \"\(VisibleText.escaped(wholeCharacters(isCut: isCut)))\(isCut ? "…" : "")\""
    }
    return line
  }

  /// The preview without the beginning of a character that the cut went through.
  private func wholeCharacters(isCut: Bool) -> ArraySlice<UInt8> {
    guard isCut else { return preview[...] }
    var end = preview.count
    // A character has at most three continuation bytes, then its first byte.
    while end > 0, preview.count - end < 3, preview[end - 1] & 0xC0 == 0x80 { end -= 1 }
    if end > 0, preview[end - 1] >= 0xC0 { return preview[..<(end - 1)] }
    return preview[...]
  }
}
