/// Base64 with the standard alphabet and padding (RFC 4648 section 4).
package enum Base64 {
  /// Returns the encoded text.
  package static func encode(_ bytes: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
    var text: [UInt8] = []
    append(bytes, range, into: &text)
    return text
  }

  /// Appends the encoded text, 4 characters for every 3 bytes begun.
  package static func append(
    _ bytes: Span<UInt8>, _ range: Range<Int>, into text: inout [UInt8]
  ) {
    let count = (range.count &+ 2) / 3 &* 4
    text.append(addingCapacity: count) { (output: inout OutputSpan<UInt8>) in
      var index = range.lowerBound
      while range.upperBound &- index >= 3 {
        let group =
          UInt32(bytes[index]) &<< 16 | UInt32(bytes[index &+ 1]) &<< 8
          | UInt32(bytes[index &+ 2])
        output.append(character(group &>> 18))
        output.append(character(group &>> 12))
        output.append(character(group &>> 6))
        output.append(character(group))
        index &+= 3
      }
      switch range.upperBound &- index {
      case 1:
        let group = UInt32(bytes[index]) &<< 16
        output.append(character(group &>> 18))
        output.append(character(group &>> 12))
        output.append(padding)
        output.append(padding)
      case 2:
        let group = UInt32(bytes[index]) &<< 16 | UInt32(bytes[index &+ 1]) &<< 8
        output.append(character(group &>> 18))
        output.append(character(group &>> 12))
        output.append(character(group &>> 6))
        output.append(padding)
      default: break
      }
    }
  }

  /// Returns the decoded bytes, or nil when the text isn't what `encode` makes: characters outside
  /// the alphabet (line breaks included), missing padding, or bits that should be zero
  /// (RFC 4648 section 3.5) are refused, so that one byte string has one spelling.
  package static func decode(_ text: Span<UInt8>, _ range: Range<Int>) -> [UInt8]? {
    if range.isEmpty { return [] }
    guard range.count % 4 == 0 else { return nil }
    let end = range.upperBound
    var paddingCount = 0
    if text[end &- 1] == padding {
      paddingCount = text[end &- 2] == padding ? 2 : 1
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(range.count / 4 &* 3)
    var group: UInt32 = 0
    var digitCount = 0
    for index in range.lowerBound..<(end &- paddingCount) {
      guard let digit = digit(of: text[index]) else { return nil }
      group = group &<< 6 | digit
      digitCount &+= 1
      if digitCount == 4 {
        bytes.append(UInt8(truncatingIfNeeded: group &>> 16))
        bytes.append(UInt8(truncatingIfNeeded: group &>> 8))
        bytes.append(UInt8(truncatingIfNeeded: group))
        group = 0
        digitCount = 0
      }
    }
    switch digitCount {
    case 2:
      guard group & 0x0F == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: group &>> 4))
    case 3:
      guard group & 0x03 == 0 else { return nil }
      bytes.append(UInt8(truncatingIfNeeded: group &>> 10))
      bytes.append(UInt8(truncatingIfNeeded: group &>> 2))
    default: break
    }
    return bytes
  }

  private static let padding = UInt8(ascii: "=")

  /// The character for the low six bits. Comparisons instead of a table: a global array costs a lazy
  /// initialisation check and a bounds check for every character.
  private static func character(_ bits: UInt32) -> UInt8 {
    let value = UInt8(truncatingIfNeeded: bits & 0x3F)
    switch value {
    case 0..<26: return UInt8(ascii: "A") &+ value
    case 26..<52: return UInt8(ascii: "a") &+ (value &- 26)
    case 52..<62: return UInt8(ascii: "0") &+ (value &- 52)
    case 62: return UInt8(ascii: "+")
    default: return UInt8(ascii: "/")
    }
  }

  private static func digit(of character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character &- UInt8(ascii: "A"))
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character &- UInt8(ascii: "a") &+ 26)
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character &- UInt8(ascii: "0") &+ 52)
    case UInt8(ascii: "+"): 62
    case UInt8(ascii: "/"): 63
    default: nil
    }
  }
}
