import Bytes

/// The six kinds of values.
package enum JSONKind: UInt8, Sendable {
  case object
  case array
  case string
  case number
  case boolean
  case null
}

/// One value inside a scanned text.
package struct JSONValue: Equatable, Sendable {
  package let kind: JSONKind
  /// Where its bytes stand in the scanned text. Of a string: what is between the quotes.
  package let range: Range<Int>
  /// A string with at least one backslash: `JSONString.unescape` gives its real bytes.
  package let hasEscapes: Bool

  @inlinable
  package init(kind: JSONKind, range: Range<Int>, hasEscapes: Bool) {
    self.kind = kind
    self.range = range
    self.hasEscapes = hasEscapes
  }
}

/// What a scan found out about a text as a whole.
package struct JSONOutline: Equatable, Sendable {
  package let kind: JSONKind
  /// The value without the whitespace around it; of a string, with its quotes.
  package let range: Range<Int>
  /// A raw LF or CR stands between tokens inside `range`. It can stand nowhere else.
  package let hasLineBreak: Bool
  /// No byte of the text is above 7F.
  package let isASCII: Bool

  @inlinable
  package init(kind: JSONKind, range: Range<Int>, hasLineBreak: Bool, isASCII: Bool) {
    self.kind = kind
    self.range = range
    self.hasLineBreak = hasLineBreak
    self.isASCII = isASCII
  }

  /// Appends the value as one line without its terminator: each raw line break becomes a space, all
  /// else stays byte for byte.
  package func append(_ text: Span<UInt8>, into line: inout [UInt8]) {
    let start = line.count
    line.append(text, range)
    guard hasLineBreak else { return }
    for index in start..<line.count where line[index] == 0x0A || line[index] == 0x0D {
      line[index] = 0x20
    }
  }

  /// Appends the value as one line for a terminal: besides line breaks, what a terminal may obey or
  /// hide (`TerminalText.isUnsafe`) is escaped, which gives another spelling of the same value.
  package func appendForTerminal(_ text: Span<UInt8>, into line: inout [UInt8]) {
    // In valid JSON, line breaks stand between tokens only, DEL and non-ASCII in strings only. So
    // no tokens need to be told apart here.
    var index = range.lowerBound
    let end = range.upperBound
    var copied = index
    while index < end {
      let byte = text[index]
      if byte >= 0x20 && byte < 0x7F {
        index &+= 1
        continue
      }
      let length = byte < 0x80 ? 1 : max(1, UTF8Validator.sequenceLength(text, at: index, end: end))
      let isBreak = byte == 0x0A || byte == 0x0D
      let scalar = UTF8Validator.scalar(text, at: index, length: length)
      if isBreak || byte == 0x7F || (byte >= 0x80 && TerminalText.isUnsafe(scalar)) {
        line.append(text, copied..<index)
        if isBreak {
          line.append(0x20)
        } else {
          JSONString.appendUnicodeEscape(of: scalar, into: &line)
        }
        copied = index &+ length
      }
      index &+= length
    }
    line.append(text, copied..<end)
  }
}
