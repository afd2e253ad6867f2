import Testing

@testable import WebSocket

@Suite struct AcceptKeyTests {
  @Test("section 1.3's example")
  func example() {
    let accept = AcceptKey.value(for: Array("dGhlIHNhbXBsZSBub25jZQ==".utf8))
    #expect(accept == Array("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=".utf8))
  }
}
