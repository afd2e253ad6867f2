/// Text for a terminal: what it would obey, or hide from the reader, is made visible.
///
/// `\n`, `\t`, `\r` and so on are two characters, other control bytes `\x1b`, further characters
/// `\u202e` or `\U000e0041`, and bytes that are no UTF-8 `\xff`.
package enum TerminalText {
  /// Tells whether a character should not reach a terminal raw: C0, DEL and C1 controls (CSI is
  /// U+009B), what reorders text (bidi), breaks lines, or can't be seen at all and so can hide text.
  ///
  /// ZWNJ and ZWJ (U+200C, U+200D) are left alone: Persian, Hindi and family emoji are spelled with
  /// them, and no terminal obeys them.
  @inlinable
  package static func isUnsafe(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x180E: true  // Arabic letter mark; Mongolian vowel separator
    case 0x200B, 0x200E, 0x200F: true  // zero width space; left-to-right and right-to-left marks
    case 0x2028...0x202E: true  // line and paragraph separator; bidi embeddings and overrides
    case 0x2060...0x206F: true  // word joiner, invisible operators, bidi isolates, deprecated ones
    case 0xFEFF, 0xFFF9...0xFFFB: true  // byte order mark; interlinear annotation
    case 0xE0000...0xE007F: true  // tags
    default: false
    }
  }

  /// Appends text with everything unsafe made visible.
  ///
  /// - Parameter escapesBackslash: write `\` as `\\`, so that nobody's text can look like an escape.
  package static func append(
    _ bytes: Span<UInt8>, _ range: Range<Int>, escapesBackslash: Bool = true,
    into text: inout [UInt8]
  ) {
    let end = range.upperBound
    var index = range.lowerBound
    var copied = index
    while index < end {
      let byte = bytes[index]
      if byte >= 0x20 && byte < 0x7F && (byte != 0x5C || !escapesBackslash) {
        index &+= 1
        continue
      }
      if byte < 0x80 {
        text.append(bytes, copied..<index)
        appendEscape(of: byte, into: &text)
        index &+= 1
        copied = index
        continue
      }
      let length = UTF8Validator.sequenceLength(bytes, at: index, end: end)
      if length == 0 {
        text.append(bytes, copied..<index)
        appendEscape(of: byte, into: &text)
        index &+= 1
        copied = index
        continue
      }
      let scalar = UTF8Validator.scalar(bytes, at: index, length: length)
      if isUnsafe(scalar) {
        text.append(bytes, copied..<index)
        appendWideEscape(of: scalar, into: &text)
        copied = index &+ length
      }
      index &+= length
    }
    text.append(bytes, copied..<end)
  }

  /// Appends text as one line for a pipe: only line breaks are replaced, LF by `\n` and CR by `\r`.
  package static func appendOneLine(
    _ bytes: Span<UInt8>, _ range: Range<Int>, into text: inout [UInt8]
  ) {
    let end = range.upperBound
    var index = range.lowerBound
    while true {
      let stop = ByteSearch.firstIndex(of: 0x0A, in: bytes, index..<end)
      var next = index
      while true {
        let carriage = ByteSearch.firstIndex(of: 0x0D, in: bytes, next..<stop)
        text.append(bytes, next..<carriage)
        if carriage == stop { break }
        appendEscape(of: 0x0D, into: &text)
        next = carriage &+ 1
      }
      if stop == end { return }
      appendEscape(of: 0x0A, into: &text)
      index = stop &+ 1
    }
  }

  /// Returns text with everything unsafe made visible.
  package static func visible(_ bytes: [UInt8], escapesBackslash: Bool = true) -> String {
    var text: [UInt8] = []
    append(bytes.span, 0..<bytes.count, escapesBackslash: escapesBackslash, into: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns a string with everything unsafe made visible.
  package static func visible(_ string: String, escapesBackslash: Bool = true) -> String {
    visible(Array(string.utf8), escapesBackslash: escapesBackslash)
  }

  /// The digit for the low four bits.
  package static func hexadecimalDigit(_ value: UInt32) -> UInt8 {
    let digit = UInt8(truncatingIfNeeded: value & 0x0F)
    return digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "a") &+ (digit &- 10)
  }

  private static func appendEscape(of byte: UInt8, into text: inout [UInt8]) {
    text.append(0x5C)
    switch byte {
    case 0x09: text.append(UInt8(ascii: "t"))
    case 0x0A: text.append(UInt8(ascii: "n"))
    case 0x0D: text.append(UInt8(ascii: "r"))
    case 0x5C: text.append(0x5C)
    default:
      text.append(UInt8(ascii: "x"))
      text.append(hexadecimalDigit(UInt32(byte) &>> 4))
      text.append(hexadecimalDigit(UInt32(byte)))
    }
  }

  private static func appendWideEscape(of scalar: UInt32, into text: inout [UInt8]) {
    let isWide = scalar >= 0x10000
    text.append(0x5C)
    text.append(isWide ? UInt8(ascii: "U") : UInt8(ascii: "u"))
    var shift: UInt32 = isWide ? 32 : 16
    while shift > 0 {
      shift &-= 4
      text.append(hexadecimalDigit(scalar &>> shift))
    }
  }
}
