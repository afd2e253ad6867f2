/// Why a text isn't what RFC 8259 and this project call JSON.
package struct JSONError: Error, Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    case empty
    case byteOrderMark
    case truncated
    case expectedValue(UInt8)
    case expectedKey
    case expectedColon
    case expectedCommaOrEnd
    case trailingBytes
    case controlByte(UInt8)
    case invalidUTF8
    case invalidEscape
    case loneSurrogate
    case invalidNumber
    case numberOutOfRange
    case tooDeep(maximum: Int)
    /// Carries the key, unescaped and cut to 64 bytes.
    case duplicateKey(String)
  }

  package let kind: Kind
  /// Bytes from the start of the scanned range to what is wrong.
  package let offset: Int

  package init(_ kind: Kind, at offset: Int) {
    self.kind = kind
    self.offset = offset
  }

  /// One short sentence without the offset, such as `duplicate key "room"`.
  ///
  /// A key in it is the sender's text: escape it before a terminal sees it.
  package var reason: String {
    switch kind {
    case .empty: "no JSON value"
    case .byteOrderMark: "a byte order mark before the JSON value"
    case .truncated: "the JSON value ends too early"
    case .expectedValue(let byte): "\(Self.name(of: byte)) where a JSON value should begin"
    case .expectedKey: "no quoted key where one should be"
    case .expectedColon: "no colon after a key"
    case .expectedCommaOrEnd: "neither a comma nor the end after a value"
    case .trailingBytes: "more bytes after the JSON value"
    case .controlByte(let byte): "\(Self.name(of: byte)) inside a string"
    case .invalidUTF8: "invalid UTF-8"
    case .invalidEscape: "an invalid escape in a string"
    case .loneSurrogate: "half a surrogate pair in a string"
    case .invalidNumber: "a malformed number"
    case .numberOutOfRange: "a number beyond the range of a double"
    case .tooDeep(let maximum): "nested deeper than \(maximum)"
    case .duplicateKey(let key): "duplicate key \"\(key)\""
    }
  }

  private static func name(of byte: UInt8) -> String {
    if (0x21...0x7E).contains(byte) { return "\"\(Character(Unicode.Scalar(byte)))\"" }
    let digits = String(byte, radix: 16)
    return "byte 0x\(digits.count < 2 ? "0" : "")\(digits)"
  }
}
