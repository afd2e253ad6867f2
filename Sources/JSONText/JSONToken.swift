import Bytes

/// The tokens of JSON, except numbers: where they end, and what is wrong with them.
///
/// Offsets in errors are indices of the text.
enum JSONToken {
  /// What was seen on the way.
  struct Flags {
    var hasLineBreak = false
    var isASCII = true
    /// In the string that is being read.
    var hasEscapes = false
  }

  /// Returns the index of the first byte that is no whitespace, or `end`.
  @inline(__always)
  static func skipWhitespace(
    _ text: Span<UInt8>, _ start: Int, _ end: Int, _ flags: inout Flags
  ) -> Int {
    if start < end && text[start] > 0x20 { return start }
    return skipWhitespaceSlowly(text, start, end, &flags)
  }

  private static func skipWhitespaceSlowly(
    _ text: Span<UInt8>, _ start: Int, _ end: Int, _ flags: inout Flags
  ) -> Int {
    var index = start
    while index < end {
      switch text[index] {
      case 0x20, 0x09: break
      case 0x0A, 0x0D: flags.hasLineBreak = true
      default: return index
      }
      index &+= 1
    }
    return end
  }

  /// Returns the index of a string's closing quote; `start` is behind the opening one.
  @inline(__always)
  static func endOfString(
    _ text: Span<UInt8>, _ start: Int, _ end: Int, _ flags: inout Flags
  ) throws(JSONError) -> Int {
    let stop = endOfPlain(text, start, end)
    if stop < end && text[stop] == UInt8(ascii: "\"") { return stop }
    return try endOfStringSlowly(text, stop, end, &flags)
  }

  /// Returns the index of the first quote, backslash, control or non-ASCII byte, or `end`.
  @inline(__always)
  private static func endOfPlain(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let raw = text.bytes
    var index = start
    while end &- index >= 8 {
      let word = UInt64(
        littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      // The high bit of a byte is set for: a quote and a backslash (zero after the XOR, minus one),
      // a control byte (minus 20), and non-ASCII. A borrow only reaches bytes above a true find,
      // so the lowest find is exact.
      let found =
        ((word ^ (ones &* 0x22)) &- ones) | ((word ^ (ones &* 0x5C)) &- ones)
        | (word &- (ones &* 0x20)) | word
      let bits = found & (ones &* 0x80)
      if bits != 0 { return index &+ bits.trailingZeroBitCount &>> 3 }
      index &+= 8
    }
    while index < end {
      let byte = text[index]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C || byte >= 0x80 { return index }
      index &+= 1
    }
    return end
  }

  /// Goes on in a string that has more than plain bytes.
  private static func endOfStringSlowly(
    _ text: Span<UInt8>, _ start: Int, _ end: Int, _ flags: inout Flags
  ) throws(JSONError) -> Int {
    var index = start
    while index < end {
      let byte = text[index]
      if byte >= 0x80 {
        flags.isASCII = false
        // Text that isn't ASCII rarely goes back to it for long: stay while lead bytes follow.
        repeat {
          let length = UTF8Validator.sequenceLength(text, at: index, end: end)
          if length == 0 { throw broken(text, index, end) }
          index &+= length
        } while index < end && text[index] >= 0x80
      } else if byte == UInt8(ascii: "\\") {
        flags.hasEscapes = true
        index = try endOfEscape(text, index, end)
      } else if byte == UInt8(ascii: "\"") {
        return index
      } else {
        throw JSONError(.controlByte(byte), at: index)
      }
      index = endOfPlain(text, index, end)
    }
    throw JSONError(.truncated, at: end)
  }

  /// Reads one escape, of a surrogate pair both (RFC 8259 section 7).
  private static func endOfEscape(
    _ text: Span<UInt8>, _ start: Int, _ end: Int
  ) throws(JSONError) -> Int {
    guard end &- start >= 2 else { throw JSONError(.truncated, at: end) }
    switch text[start &+ 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start &+ 2
    case UInt8(ascii: "u"):
      let unit = try hexadecimal(text, start, end)
      if unit & 0xF800 != 0xD800 { return start &+ 6 }
      let next = start &+ 6
      guard unit < 0xDC00, next >= end || text[next] == UInt8(ascii: "\\"),
        next &+ 1 >= end || text[next &+ 1] == UInt8(ascii: "u")
      else { throw JSONError(.loneSurrogate, at: start) }
      let low = try hexadecimal(text, next, end)
      guard low & 0xFC00 == 0xDC00 else { throw JSONError(.loneSurrogate, at: start) }
      return next &+ 6
    default: throw JSONError(.invalidEscape, at: start)
    }
  }

  /// The four digits of the `\u` escape at `start`.
  private static func hexadecimal(
    _ text: Span<UInt8>, _ start: Int, _ end: Int
  ) throws(JSONError) -> UInt32 {
    if let unit = JSONString.hexadecimal(text, at: start &+ 2, end: end) { return unit }
    throw end &- start < 6
      ? JSONError(.truncated, at: end) : JSONError(.invalidEscape, at: start)
  }

  /// The error for a character that isn't valid: perhaps it is only cut.
  private static func broken(_ text: Span<UInt8>, _ index: Int, _ end: Int) -> JSONError {
    let length = JSONString.brokenLength(text, at: index, end: end)
    return index &+ length == end && end &- index < 4 && isLead(text, index, end)
      ? JSONError(.truncated, at: end) : JSONError(.invalidUTF8, at: index)
  }

  private static func isLead(_ text: Span<UInt8>, _ index: Int, _ end: Int) -> Bool {
    var validator = UTF8Validator()
    return validator.validate(text, index..<end)
  }

  /// Reads `true`, `false` or `null`.
  static func endOfLiteral(
    _ text: Span<UInt8>, _ start: Int, _ end: Int
  ) throws(JSONError) -> Int {
    let literal: String
    switch text[start] {
    case UInt8(ascii: "t"): literal = "true"
    case UInt8(ascii: "f"): literal = "false"
    case UInt8(ascii: "n"): literal = "null"
    case let byte: throw JSONError(.expectedValue(byte), at: start)
    }
    var index = start
    for byte in literal.utf8 {
      if index >= end { throw JSONError(.truncated, at: end) }
      guard text[index] == byte else { throw JSONError(.expectedValue(text[start]), at: start) }
      index &+= 1
    }
    return index
  }
}
