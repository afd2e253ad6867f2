import Testing

@testable import Hub

@Suite struct DigestTests {
  @Test("it is the beginning of a SHA-1")
  func value() {
    let digest = Digest(of: bytes("abc"))
    #expect(digest.high == 0xA999_3E36_4706_816A)
    #expect(digest.low == 0xBA3E_2571_7850_C26C)
    #expect(Set([digest, Digest(of: bytes("abc")), Digest(of: bytes("abd"))]).count == 2)
  }
}
