import Bytes
import JSONText

extension JSONValue {
  /// The bytes that a string stands for.
  func text(in text: Span<UInt8>) -> [UInt8] {
    hasEscapes
      ? JSONString.unescape(text, range)
      : text.extracting(range).withUnsafeBufferPointer { Array($0) }
  }

  /// Whether a string begins with `wsii.`, the mark of wsii's own records.
  func isReserved(in text: Span<UInt8>) -> Bool {
    // Escapes in a type are legal and never seen; the plain comparison is the hot path.
    guard !hasEscapes else { return self.text(in: text).starts(with: "wsii.".utf8) }
    let start = range.lowerBound
    return range.count >= 5 && text[start] == 0x77 && text[start + 1] == 0x73
      && text[start + 2] == 0x69 && text[start + 3] == 0x69 && text[start + 4] == 0x2E
  }

  /// The bytes of a member that is a string; nil if it is something else.
  func string(in text: Span<UInt8>) -> [UInt8]? {
    kind == .string ? self.text(in: text) : nil
  }

  /// A number that counts: digits only, and no larger than 2⁵³, beyond which JSON's numbers are
  /// rounded by most who read them.
  func count(in text: Span<UInt8>) -> Int? {
    guard kind == .number, range.count <= 16 else { return nil }
    var count = 0
    for index in range {
      let digit = Int(text[index]) - 0x30
      guard (0...9).contains(digit) else { return nil }
      count = count * 10 + digit
    }
    return count <= 1 << 53 ? count : nil
  }

  /// The value of a boolean.
  func flag(in text: Span<UInt8>) -> Bool? {
    kind == .boolean ? text[range.lowerBound] == UInt8(ascii: "t") : nil
  }
}
