/// Classes of bytes that the value parsers share.
enum ASCIIText {
  /// A `tchar` of RFC 9110, section 5.6.2.
  static func isToken(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isDigit(byte) || isLetter(byte)
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    let lower = byte | 0x20
    return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
  }

  static func isControl(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == 0x7F
  }

  /// Whether the text holds a byte that can't stand in one line of a request or a file.
  static func hasControl(_ text: String) -> Bool {
    text.utf8.contains(where: isControl)
  }

  /// Returns the text without spaces and tabs (and a carriage return) around it.
  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool {
      byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
    guard let first = bytes.firstIndex(where: { !isBlank($0) }),
      let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return bytes.prefix(0) }
    return bytes[first...last]
  }

  static func trimmed(_ text: Substring) -> String {
    String(decoding: trimmed(ArraySlice(text.utf8)), as: UTF8.self)
  }
}
