/// Steps through the members of one object of a text that a scan has accepted.
struct MemberWalk {
  private var index: Int
  private let end: Int

  /// - Parameter object: from its `{` to behind its `}`.
  init(_ object: Range<Int>) {
    index = object.lowerBound &+ 1
    // A range that is no object has no members.
    end = max(object.upperBound &- 1, index)
  }

  /// Returns where the next key and its value are, strings with their quotes.
  mutating func next(_ text: Span<UInt8>) -> (key: Range<Int>, value: Range<Int>)? {
    skip(text) { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
    guard index < end else { return nil }
    let keyStart = index
    skipString(text)
    let key = keyStart..<index
    skip(text) { $0 <= 0x20 || $0 == UInt8(ascii: ":") }
    guard key.count >= 2, index < end else { return nil }
    let valueStart = index
    skipValue(text)
    return (key, valueStart..<index)
  }

  private mutating func skipValue(_ text: Span<UInt8>) {
    switch text[index] {
    case UInt8(ascii: "\""): skipString(text)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      // In scanned text brackets match, so that counting both kinds together is enough.
      var depth = 0
      repeat {
        switch text[index] {
        case UInt8(ascii: "\""):
          skipString(text)
          continue
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth &-= 1
        default: break
        }
        index &+= 1
      } while depth > 0 && index < end
    default: skip(text) { $0 > 0x20 && $0 != UInt8(ascii: ",") }
    }
  }

  /// Moves behind the closing quote of the string that begins here.
  private mutating func skipString(_ text: Span<UInt8>) {
    index &+= 1
    while index < end {
      switch text[index] {
      case UInt8(ascii: "\\"): index &+= 2
      case UInt8(ascii: "\""):
        index &+= 1
        return
      default: index &+= 1
      }
    }
    index = end
  }

  private mutating func skip(_ text: Span<UInt8>, while isSkipped: (UInt8) -> Bool) {
    while index < end, isSkipped(text[index]) { index &+= 1 }
  }
}
