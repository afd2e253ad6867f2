import Bytes
import Testing

@Suite struct SHA1Tests {
  /// FIPS 180-4's examples, and lengths around the padding's edges (55, 56, 63, 64 bytes).
  static let vectors: [(String, String)] = [
    ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
    ),
    (String(repeating: "a", count: 55), "c1c8bbdc22796e28c0e15163d20899b65621d65a"),
    (String(repeating: "a", count: 56), "c2db330f6083854c99d4b5bfb6e8f29f201be699"),
    (String(repeating: "a", count: 63), "03f09f5b158a7a8cdad920bddc29b81c18a551f5"),
    (String(repeating: "a", count: 64), "0098ba824b5c16427bd7a1122a5a442a25ec644d"),
    (String(repeating: "a", count: 1_000), "291e9a6c66994949b57ba5e650361e98fc36b1ba"),
  ]

  @Test(arguments: vectors) func matchesTheVectors(_ message: String, _ expected: String) {
    let digest = SHA1.digest(of: Array(message.utf8).span)
    let digits = Array("0123456789abcdef")
    let text = String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    #expect(text == expected)
  }

  /// RFC 6455 section 1.3: the sample key and what the server answers.
  @Test func answersTheSampleHandshake() {
    let key = "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    let digest = SHA1.digest(of: Array(key.utf8).span)
    let accept = Base64.encode(digest.span, 0..<digest.count)
    #expect(String(decoding: accept, as: UTF8.self) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }
}
