/// Percent-encoding (RFC 3986, section 2.1) of what stands in a query.
package enum PercentEncoding {
  /// The text with all but the unreserved characters encoded, so that it may stand as a name or a
  /// value of a query item.
  package static func encoded(_ text: some Collection<UInt8>) -> String {
    var encoded: [UInt8] = []
    for byte in text {
      if isUnreserved(byte) { encoded.append(byte) } else { append(byte, to: &encoded) }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// The bytes a name or a value of a query item stands for. `+` is a space, as forms and browsers
  /// write it; a percent sign without two digits stands for itself.
  package static func decoded(_ text: some Collection<UInt8>) -> [UInt8] {
    let text = Array(text)
    var decoded: [UInt8] = []
    var index = 0
    while index < text.count {
      if text[index] == UInt8(ascii: "%"), index + 2 < text.count,
        let high = digit(text[index + 1]), let low = digit(text[index + 2])
      {
        decoded.append(high << 4 | low)
        index += 3
      } else {
        decoded.append(text[index] == UInt8(ascii: "+") ? 0x20 : text[index])
        index += 1
      }
    }
    return decoded
  }

  /// The value of the first item of a name in a query such as `token=a%20b&room=ops`; nil without.
  package static func value(of name: String, in query: some Collection<UInt8>) -> [UInt8]? {
    for item in query.split(separator: UInt8(ascii: "&")) {
      let end = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      guard decoded(item[..<end]).elementsEqual(name.utf8) else { continue }
      return decoded(item[end...].dropFirst())
    }
    return nil
  }

  static func append(_ byte: UInt8, to encoded: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    encoded.append(UInt8(ascii: "%"))
    encoded.append(digits[Int(byte >> 4)])
    encoded.append(digits[Int(byte & 15)])
  }

  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
