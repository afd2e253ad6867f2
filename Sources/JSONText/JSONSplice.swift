import Bytes

/// Adds members at the end of an object that a scan has accepted, leaving the rest byte for byte.
///
///     var splice = JSONSplice(line, outline, into: &frame)
///     splice.member("type", "text", into: &frame)
///     splice.close(into: &frame)
///
/// The caller makes sure that the object has no such member yet.
package struct JSONSplice {
  private var needsComma: Bool

  /// Appends the object without its closing brace; raw line breaks become spaces.
  package init(_ text: Span<UInt8>, _ outline: JSONOutline, into bytes: inout [UInt8]) {
    precondition(outline.kind == .object, "only an object has members")
    let start = bytes.count
    outline.append(text, into: &bytes)
    bytes.removeLast()
    while bytes.count > start + 1, bytes[bytes.count - 1] == 0x20 || bytes[bytes.count - 1] == 0x09
    {
      bytes.removeLast()
    }
    // Only in an empty object is the opening brace the last token before the closing one.
    needsComma = bytes[bytes.count - 1] != UInt8(ascii: "{")
  }

  /// Writes a string member; the name is written as it is and must be plain.
  package mutating func member(_ name: StaticString, _ value: [UInt8], into bytes: inout [UInt8]) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: "\":\"".utf8)
    JSONString.appendEscaped(value.span, 0..<value.count, into: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  package mutating func close(into bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "}"))
  }
}
