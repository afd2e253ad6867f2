import Bytes
import Testing

@Suite struct Base64Tests {
  /// RFC 4648 section 10, and each character of the alphabet.
  static let vectors: [([UInt8], String)] = [
    ([], ""), (Array("f".utf8), "Zg=="), (Array("fo".utf8), "Zm8="), (Array("foo".utf8), "Zm9v"),
    (Array("foob".utf8), "Zm9vYg=="), (Array("fooba".utf8), "Zm9vYmE="),
    (Array("foobar".utf8), "Zm9vYmFy"), ([0xFB, 0xFF, 0xBF], "+/+/"), ([0, 0, 0], "AAAA"),
    (
      [
        0x00, 0x10, 0x83, 0x10, 0x51, 0x87, 0x20, 0x92, 0x8B, 0x30, 0xD3, 0x8F, 0x41, 0x14, 0x93,
        0x51, 0x55, 0x97, 0x61, 0x96, 0x9B, 0x71, 0xD7, 0x9F, 0x82, 0x18, 0xA3, 0x92, 0x59, 0xA7,
        0xA2, 0x9A, 0xAB, 0xB2, 0xDB, 0xAF, 0xC3, 0x1C, 0xB3, 0xD3, 0x5D, 0xB7, 0xE3, 0x9E, 0xBB,
        0xF3, 0xDF, 0xBF,
      ], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    ),
  ]

  @Test(arguments: vectors) func encodesAndDecodes(_ bytes: [UInt8], _ text: String) {
    let encoded = Base64.encode(bytes.span, 0..<bytes.count)
    #expect(String(decoding: encoded, as: UTF8.self) == text)
    let decoded = Base64.decode(encoded.span, 0..<encoded.count)
    #expect(decoded == bytes)
  }

  @Test func worksInsideARangeAndAppends() {
    let bytes = Array("xxfoobarxx".utf8)
    var text = Array("data:".utf8)
    Base64.append(bytes.span, 2..<8, into: &text)
    #expect(String(decoding: text, as: UTF8.self) == "data:Zm9vYmFy")
    let decoded = Base64.decode(text.span, 5..<text.count)
    #expect(decoded == Array("foobar".utf8))
  }

  @Test(arguments: [
    "Z", "Zg", "Zg=", "Zg===", "====", "=AAA", "A===", "Z===", "Zg==Zg==", "Zm9=", "Zh==", "Zm9v\n",
    "Zm9v\nZm9", "Zm9-", "Zm9_", "Zm 9", "Zm9v====", "Zm9vé==",
  ])
  func refuses(_ text: String) {
    let encoded = Array(text.utf8)
    let decoded = Base64.decode(encoded.span, 0..<encoded.count)
    #expect(decoded == nil)
  }
}
