import Bytes

/// The tokens of JSON, except numbers: where they end, and what is wrong with them.
///
/// Offsets in errors are indices of the text. Unchecked reads lie between a start that is an index of
/// the text and an `end` that `JSONScanner.scan` has compared with its count; each stands behind
/// its own comparison with `end`. Checking them again costs a tenth (0.46 s instead of 0.42 s for two
/// million chat records).
enum JSONToken {
  /// Returns the index of the first byte that is no whitespace, or `end`.
  @inline(__always)
  static func skipWhitespace(
    _ text: Span<UInt8>, _ start: Int, _ end: Int, _ hasLineBreak: inout Bool
  ) -> Int {
    if start < end && text[unchecked: start] > 0x20 { return start }
    return skipWhitespaceSlowly(text, start, end, &hasLineBreak)
  }

  private static func skipWhitespaceSlowly(
    _ text: Span<UInt8>, _ start: Int, _ end: Int, _ hasLineBreak: inout Bool
  ) -> Int {
    var index = start
    while index < end {
      switch text[index] {
      case 0x20, 0x09: break
      case 0x0A, 0x0D: hasLineBreak = true
      default: return index
      }
      index &+= 1
    }
    return end
  }

  /// Returns the index of a string's closing quote; `start` is behind the opening one.
  ///
  /// UTF-8 is checked later, for the whole text: no byte of a longer character looks like a quote.
  @inline(__always)
  static func endOfString(
    _ text: Span<UInt8>, _ start: Int, _ end: Int, _ seen: inout UInt64,
    _ hasEscapes: inout Bool
  ) throws(JSONError) -> Int {
    let stop = endOfPlain(text, start, end, &seen)
    if stop < end && text[unchecked: stop] == UInt8(ascii: "\"") { return stop }
    return try endOfStringSlowly(text, stop, end, &seen, &hasEscapes)
  }

  /// Returns the index of the first quote, backslash or control byte, or `end`.
  ///
  /// - Parameter seen: is given the high bits of all bytes passed, and perhaps of a few behind them:
  ///   while none is set, everything was ASCII.
  @inline(__always)
  static func endOfPlain(
    _ text: Span<UInt8>, _ start: Int, _ end: Int, _ seen: inout UInt64
  ) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highBits = ones &* 0x80
    let raw = text.bytes
    var index = start
    // Words beat vectors here: most strings end in the first or second word, and classifying
    // 64 bytes ahead with SIMD16 was no faster.
    while end &- index >= 8 {
      let word = UInt64(
        littleEndian: raw.unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt64.self))
      seen |= word & highBits
      // For bytes below 80: XOR 2 takes the quote to 20 and permutes the control bytes, so both
      // are less than 21 and only then get the high bit. XOR 5C makes the backslash the only one
      // less than 1. Bytes above are masked out. A borrow only reaches bytes above a true find,
      // so the lowest find is exact.
      let found =
        (((word ^ (ones &* 0x02)) &- (ones &* 0x21)) | ((word ^ (ones &* 0x5C)) &- ones))
        & ~word & highBits
      if found != 0 { return index &+ found.trailingZeroBitCount &>> 3 }
      index &+= 8
    }
    while index < end {
      let byte = text[unchecked: index]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { return index }
      seen |= UInt64(byte & 0x80)
      index &+= 1
    }
    return end
  }

  /// Goes on in a string that has escapes, or is wrong.
  @inline(never)
  private static func endOfStringSlowly(
    _ text: Span<UInt8>, _ start: Int, _ end: Int, _ seen: inout UInt64,
    _ hasEscapes: inout Bool
  ) throws(JSONError) -> Int {
    var index = start
    while index < end {
      let byte = text[index]
      if byte == UInt8(ascii: "\"") { return index }
      guard byte == UInt8(ascii: "\\") else { throw JSONError(.controlByte(byte), at: index) }
      hasEscapes = true
      index = try endOfEscape(text, index, end)
      index = endOfPlain(text, index, end, &seen)
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
