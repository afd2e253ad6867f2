/// Checks UTF-8 (RFC 3629) that arrives in pieces.
///
/// It answers as early as the bytes allow: the second byte of an overlong form, of a surrogate or of
/// a scalar above U+10FFFF is already refused, which is what RFC 6455 section 8.1 wants for a text
/// message whose fragments come one by one.
package struct UTF8Validator: Sendable {
  /// Continuation bytes that the open sequence still needs, 0 between sequences.
  private var missing: UInt8 = 0
  /// What the next continuation byte may be. Only the first one after a lead byte is narrower than
  /// 80..BF; that narrowing is the whole of the Unicode Standard's table 3-7.
  private var lowest: UInt8 = 0x80
  private var highest: UInt8 = 0xBF
  private var hasFailed = false

  package init() {}

  /// Tells whether the bytes so far end between two characters.
  package var isComplete: Bool { missing == 0 && !hasFailed }

  /// Takes the next bytes of the text.
  ///
  /// Returns false as soon as no continuation can make the text valid, and from then on always.
  package mutating func validate(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var index = range.lowerBound
    let end = range.upperBound
    while !hasFailed {
      if missing == 0 {
        index = Self.validPrefix(of: bytes, index..<end)
      }
      if index >= end { return true }
      take(bytes[index])
      index &+= 1
    }
    return false
  }

  /// Tells whether the whole range is valid UTF-8 that ends between two characters.
  package static func isValid(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    validPrefix(of: bytes, range) == range.upperBound
  }

  /// Returns where the valid, complete characters at the start of the range end.
  package static func validPrefix(of bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    let end = range.upperBound
    var index = range.lowerBound
    index = endOfASCII(bytes, range)
    let raw = bytes.bytes
    while index < end {
      // Text that isn't ASCII rarely goes back to it for long: stay while lead bytes follow.
      repeat {
        let length = sequenceLength(bytes, at: index, end: end)
        if length == 0 { return index }
        index &+= length
      } while index < end && bytes[index] >= 0x80
      // Skip a short run of ASCII here, only a long one is worth the wider loop.
      if end &- index < 8 {
        while index < end, bytes[index] < 0x80 { index &+= 1 }
        continue
      }
      let word = UInt64(
        littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      let found = word & highBits
      index =
        found == 0
        ? endOfASCII(bytes, (index &+ 8)..<end) : index &+ found.trailingZeroBitCount &>> 3
    }
    return index
  }

  /// Returns the index of the first byte >= 80 in the range, or its end.
  package static func endOfASCII(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    let end = range.upperBound
    var index = range.lowerBound
    let raw = bytes.bytes
    while end &- index >= 32 {
      let first = raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      let second = raw.unsafeLoadUnaligned(fromByteOffset: index &+ 8, as: UInt64.self)
      let third = raw.unsafeLoadUnaligned(fromByteOffset: index &+ 16, as: UInt64.self)
      let fourth = raw.unsafeLoadUnaligned(fromByteOffset: index &+ 24, as: UInt64.self)
      if (first | second | third | fourth) & highBits != 0 { break }
      index &+= 32
    }
    while end &- index >= 8 {
      let word = raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      let found = UInt64(littleEndian: word) & highBits
      if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < end, bytes[index] < 0x80 {
      index &+= 1
    }
    return index
  }

  /// Returns the scalar of a valid character of `length` bytes.
  @inlinable
  package static func scalar(_ bytes: Span<UInt8>, at index: Int, length: Int) -> UInt32 {
    let lead = UInt32(bytes[index])
    if length < 2 { return lead }
    // The lead byte's own bits: 5 of two bytes, 4 of three, 3 of four.
    var scalar = lead & (0xFF &>> UInt32(truncatingIfNeeded: length &+ 1))
    for offset in 1..<length {
      scalar = scalar &<< 6 | UInt32(bytes[index &+ offset] & 0x3F)
    }
    return scalar
  }

  /// Returns the length (2, 3, 4) of the valid character whose lead byte (>= 80) stands at `index`.
  ///
  /// 0 means that it is invalid, or cut by `end`.
  @inlinable
  package static func sequenceLength(_ bytes: Span<UInt8>, at index: Int, end: Int) -> Int {
    // The four bytes as one little-endian word; what lies beyond the end reads as zero, which is no
    // continuation byte and therefore fails.
    var word: UInt32 = 0
    if end &- index >= 4 {
      word = UInt32(
        littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt32.self))
    } else {
      var shift: UInt32 = 0
      var next = index
      while next < end {
        word |= UInt32(bytes[next]) &<< shift
        shift &+= 8
        next &+= 1
      }
    }
    if word & 0x00C0_C0F0 == 0x0080_80E0 {
      // E0 needs A0..BF next (else overlong), ED needs 80..9F (else a surrogate).
      let selected = word & 0x0000_200F
      return selected == 0 || selected == 0x200D ? 0 : 3
    }
    if word & 0x0000_C0E0 == 0x0000_80C0 {
      return word & 0x1E == 0 ? 0 : 2  // C0 and C1 are overlong.
    }
    if word & 0xC0C0_C0F8 == 0x8080_80F0 {
      // F0 needs 90..BF next, F4 needs 80..8F, F5..F7 are above U+10FFFF.
      let plane = (word & 0x07) &<< 2 | (word & 0x3000) &>> 12
      return plane >= 0x01 && plane <= 0x10 ? 4 : 0
    }
    return 0
  }

  /// Returns the length of the longest prefix of valid UTF-8 that has at most `maximum` bytes and
  /// doesn't cut a character.
  package static func prefixLength(
    _ bytes: Span<UInt8>, _ range: Range<Int>, maximum: Int
  ) -> Int {
    if range.count <= maximum { return range.count }
    var length = max(maximum, 0)
    // A character has at most three continuation bytes; more of them are no character to save.
    var steps = 0
    while length > 0, steps < 3, bytes[range.lowerBound &+ length] & 0xC0 == 0x80 {
      length &-= 1
      steps &+= 1
    }
    return length
  }

  /// Takes one byte, the slow way: at the ends of pieces only.
  private mutating func take(_ byte: UInt8) {
    if missing > 0 {
      hasFailed = byte < lowest || byte > highest
      missing &-= 1
      (lowest, highest) = (0x80, 0xBF)
      return
    }
    switch byte {
    case 0x00...0x7F: break
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, lowest) = (2, 0xA0)
    case 0xED: (missing, highest) = (2, 0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, lowest) = (3, 0x90)
    case 0xF4: (missing, highest) = (3, 0x8F)
    case 0xF1...0xF3: missing = 3
    default: hasFailed = true
    }
  }

  private static let highBits: UInt64 = 0x8080_8080_8080_8080
}
