import Testing

@testable import WebSocket

@Suite struct VisibleTextTests {
  @Test(
    "nothing in it obeys, forges or breaks a line",
    arguments: [
      ("plain ünïcödé 😀", "plain ünïcödé 😀"), ("a\"b\\c", "a\\\"b\\\\c"),
      ("\"", "\\\""), ("", ""),
      ("\r\n\t", "\\r\\n\\t"), ("\u{1b}]0;x\u{7}\u{202e}", "\\x1b]0;x\\x07\\u202e"),
    ])
  func escaping(_ raw: String, _ shown: String) {
    #expect(VisibleText.escaped(Array(raw.utf8)) == shown)
  }

  @Test("bytes that are no text are shown all the same")
  func garbage() {
    #expect(VisibleText.escaped([0xC3, 0x28, 0xFF] as [UInt8]) == "\\xc3(\\xff")
    #expect(VisibleText.hexadecimal([0, 15, 255] as [UInt8]) == "00 0f ff")
    #expect(VisibleText.hexadecimal([] as [UInt8]) == "")
  }
}
