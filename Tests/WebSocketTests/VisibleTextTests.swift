import Testing

@testable import WebSocket

@Suite struct VisibleTextTests {
  @Test(
    "nothing in it obeys, forges or breaks a line",
    arguments: [
      ("plain ünïcödé 😀", "plain ünïcödé 😀"), ("a\"b\\c", "a\\\"b\\\\c"),
      ("\r\n\t", "\\r\\n\\t"), ("\u{1b}]0;x\u{7}", "\\u{1b}]0;x\\u{7}"),
      ("\u{7f}\u{9b}31m", "\\u{7f}\\u{9b}31m"), ("\u{202e}\u{2066}", "\\u{202e}\\u{2066}"),
      ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"), ("\u{200b}\u{e0041}", "\\u{200b}\\u{e0041}"),
      ("\u{e000}\u{378}", "\\u{e000}\\u{378}"),
    ])
  func escaping(_ raw: String, _ shown: String) {
    #expect(VisibleText.escaped(Array(raw.utf8)) == shown)
  }

  @Test("bytes that are no text are shown all the same")
  func garbage() {
    #expect(VisibleText.escaped([0xC3, 0x28, 0xFF] as [UInt8]) == "\u{FFFD}(\u{FFFD}")
    #expect(VisibleText.hexadecimal([0, 15, 255] as [UInt8]) == "00 0f ff")
    #expect(VisibleText.hexadecimal([] as [UInt8]) == "")
  }
}
