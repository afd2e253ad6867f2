import Bytes

/// Walks through the elements of an array that a scan has accepted.
///
/// The scan has proved the grammar, so depth and the ends of strings are all that must be followed
/// here. Each element can then be scanned by itself.
package struct JSONElements: Sendable {
  private var index: Int
  private let end: Int

  /// - Parameter range: the array with its brackets, as the scan gave it.
  package init(of range: Range<Int>) {
    index = range.lowerBound + 1
    end = range.upperBound - 1
  }

  /// The next element without the whitespace around it; nil after the last one.
  package mutating func next(_ text: Span<UInt8>) -> Range<Int>? {
    while index < end, isBetweenElements(text[index]) { index += 1 }
    guard index < end else { return nil }
    let start = index
    var last = index
    var depth = 0
    while index < end {
      switch text[index] {
      case UInt8(ascii: "\""): index = endOfString(text, after: index)
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",") where depth == 0: return start..<last + 1
      case 0x20, 0x09, 0x0A, 0x0D:
        index += 1
        continue
      default: break
      }
      last = index
      index += 1
    }
    return start..<last + 1
  }

  private func isBetweenElements(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ",") || byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// Where the quote stands that ends the string.
  private func endOfString(_ text: Span<UInt8>, after quote: Int) -> Int {
    var index = quote + 1
    while index < end, text[index] != UInt8(ascii: "\"") {
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index, end - 1)
  }
}
