import Testing

@testable import Hub

@Suite struct RefusalCodeTests {
  @Test(
    "codes are spelled as the protocol has them",
    arguments: [
      (.tooLarge, "too_large"), (.badRequest, "bad_request"), (.forbidden, "forbidden"),
      (.conflict, "conflict"), (.rateLimited, "rate_limited"), (.notJoined, "not_joined"),
      (.full, "full"),
    ] as [(RefusalCode, String)])
  func words(_ code: RefusalCode, _ word: String) {
    #expect(code.rawValue == word && RefusalCode(rawValue: word) == code)
  }
}
