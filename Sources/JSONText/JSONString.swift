import Bytes

/// The inside of JSON strings: escaping and unescaping (RFC 8259 section 7).
package enum JSONString {
  /// What `appendEscaped` escapes.
  package enum Escapes: Sendable {
    /// What JSON demands: quote, backslash, C0.
    case required
    /// Also what a terminal may obey or hide, see `TerminalText.isUnsafe`.
    case terminal
  }

  /// Returns the bytes that a scanned string stands for. The range is without the quotes and must
  /// have been accepted by a scan.
  package static func unescape(_ text: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count)
    appendUnescaped(text, range, into: &bytes)
    return bytes
  }

  /// Appends the bytes that a scanned string stands for.
  package static func appendUnescaped(
    _ text: Span<UInt8>, _ range: Range<Int>, into bytes: inout [UInt8]
  ) {
    let end = range.upperBound
    var index = range.lowerBound
    while true {
      let escape = ByteSearch.firstIndex(of: 0x5C, in: text, index..<end)
      bytes.append(text, index..<escape)
      // A backslash at the very end can't come from a scan; ending there keeps the loop in bounds.
      guard end &- escape >= 2 else { return }
      index = escape &+ 2
      switch text[escape &+ 1] {
      case UInt8(ascii: "b"): bytes.append(0x08)
      case UInt8(ascii: "f"): bytes.append(0x0C)
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "u"):
        guard let unit = hexadecimal(text, at: index, end: end) else { return }
        index &+= 4
        var scalar = unit
        if unit & 0xFC00 == 0xD800, end &- index >= 6,
          let low = hexadecimal(text, at: index &+ 2, end: end)
        {
          scalar = 0x10000 &+ (unit & 0x3FF) &<< 10 &+ (low & 0x3FF)
          index &+= 6
        }
        append(scalar, into: &bytes)
      case let literal: bytes.append(literal)
      }
    }
  }

  /// Appends arbitrary bytes as the inside of a string, without the quotes.
  ///
  /// Invalid UTF-8 becomes U+FFFD, one for each maximal part of a character as the Unicode Standard
  /// recommends (section 3.9), so the result is always valid. At most `maximum` bytes are
  /// taken from the range, never cutting a character; returns whether something was left out.
  @discardableResult
  package static func appendEscaped(
    _ bytes: Span<UInt8>, _ range: Range<Int>, escapes: Escapes = .required,
    maximum: Int = .max, into text: inout [UInt8]
  ) -> Bool {
    let length = UTF8Validator.prefixLength(bytes, range, maximum: maximum)
    let end = range.lowerBound &+ length
    var index = range.lowerBound
    var copied = index
    while index < end {
      let byte = bytes[index]
      if byte >= 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x5C {
        index &+= 1
        continue
      }
      if byte >= 0x80 {
        let length = UTF8Validator.sequenceLength(bytes, at: index, end: end)
        if length == 0 {
          text.append(bytes, copied..<index)
          text.append(contentsOf: [0xEF, 0xBF, 0xBD])
          index &+= brokenLength(bytes, at: index, end: end)
          copied = index
          continue
        }
        let scalar = UTF8Validator.scalar(bytes, at: index, length: length)
        if escapes == .terminal, TerminalText.isUnsafe(scalar) {
          text.append(bytes, copied..<index)
          appendUnicodeEscape(of: scalar, into: &text)
          copied = index &+ length
        }
        index &+= length
        continue
      }
      if byte == 0x7F && escapes == .required {
        index &+= 1
        continue
      }
      text.append(bytes, copied..<index)
      appendEscape(of: byte, into: &text)
      index &+= 1
      copied = index
    }
    text.append(bytes, copied..<end)
    return length < range.count
  }

  /// Appends text as the inside of a string, without the quotes.
  package static func appendEscaped(
    _ string: String, escapes: Escapes = .required, into text: inout [UInt8]
  ) {
    var string = string
    string.makeContiguousUTF8()
    appendEscaped(string.utf8.span, 0..<string.utf8.count, escapes: escapes, into: &text)
  }

  /// Appends `\uXXXX`, or a surrogate pair of them.
  static func appendUnicodeEscape(of scalar: UInt32, into text: inout [UInt8]) {
    guard scalar >= 0x10000 else {
      appendUnit(scalar, into: &text)
      return
    }
    let offset = scalar &- 0x10000
    appendUnit(0xD800 | offset &>> 10, into: &text)
    appendUnit(0xDC00 | offset & 0x3FF, into: &text)
  }

  /// The value of four hexadecimal digits.
  static func hexadecimal(_ text: Span<UInt8>, at index: Int, end: Int) -> UInt32? {
    guard end &- index >= 4 else { return nil }
    var value: UInt32 = 0
    for offset in 0..<4 {
      let byte = text[index &+ offset]
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
      default: return nil
      }
      value = value &<< 4 | UInt32(digit)
    }
    return value
  }

  /// How many bytes of a broken character one U+FFFD replaces: those that began a valid one.
  static func brokenLength(_ bytes: Span<UInt8>, at index: Int, end: Int) -> Int {
    var validator = UTF8Validator()
    var next = index
    while next < end, validator.validate(bytes, next..<(next &+ 1)) {
      next &+= 1
    }
    return max(1, next &- index)
  }

  private static func appendEscape(of byte: UInt8, into text: inout [UInt8]) {
    let letter: UInt8
    switch byte {
    case 0x08: letter = UInt8(ascii: "b")
    case 0x09: letter = UInt8(ascii: "t")
    case 0x0A: letter = UInt8(ascii: "n")
    case 0x0C: letter = UInt8(ascii: "f")
    case 0x0D: letter = UInt8(ascii: "r")
    case 0x22, 0x5C: letter = byte
    default:
      appendUnit(UInt32(byte), into: &text)
      return
    }
    text.append(0x5C)
    text.append(letter)
  }

  private static func appendUnit(_ unit: UInt32, into text: inout [UInt8]) {
    text.append(UInt8(ascii: "\\"))
    text.append(UInt8(ascii: "u"))
    for shift: UInt32 in [12, 8, 4, 0] {
      text.append(TerminalText.hexadecimalDigit(unit &>> shift))
    }
  }

  private static func append(_ scalar: UInt32, into bytes: inout [UInt8]) {
    // A lone surrogate can't come from a scan.
    let character = Unicode.Scalar(scalar) ?? "\u{FFFD}"
    bytes.append(contentsOf: UTF8.encode(character) ?? UTF8.encodedReplacementCharacter)
  }
}
