import Bytes
import Testing

@Suite struct TerminalTextTests {
  private func show(_ bytes: [UInt8], escapesBackslash: Bool = true) -> String {
    TerminalText.visible(bytes, escapesBackslash: escapesBackslash)
  }

  private func oneLine(_ text: String) -> String {
    let bytes = Array("<\(text)>".utf8)
    var line: [UInt8] = []
    TerminalText.appendOneLine(bytes.span, 1..<(bytes.count - 1), into: &line)
    return String(decoding: line, as: UTF8.self)
  }

  @Test(arguments: [
    ("", ""), ("Grüße 👨‍👩‍👧 می‌خواهم", "Grüße 👨‍👩‍👧 می‌خواهم"),
    ("a\nb\r\tc\\", #"a\nb\r\tc\\"#), ("\u{1B}[31m\u{0}\u{7}\u{7F}", #"\x1b[31m\x00\x07\x7f"#),
    ("\u{9B}2J\u{85}", #"\u009b2J\u0085"#), ("\u{202E}evil\u{2066}", #"\u202eevil\u2066"#),
    ("\u{61C}\u{200E}\u{200F}", #"\u061c\u200e\u200f"#), ("\u{2028}\u{2029}", #"\u2028\u2029"#),
    ("\u{200B}\u{2060}\u{FEFF}", #"\u200b\u2060\ufeff"#), ("\u{FFF9}\u{FFFB}", #"\ufff9\ufffb"#),
    ("\u{E0041}\u{E007F}", #"\U000e0041\U000e007f"#), ("\u{180E}", #"\u180e"#),
  ])
  func showsText(_ text: String, _ expected: String) {
    #expect(show(Array(text.utf8)) == expected)
    #expect(TerminalText.visible(text) == expected)
  }

  @Test func showsBytesThatAreNoText() {
    #expect(show([0x61, 0x9B, 0x62]) == #"a\x9bb"#)
    #expect(show([0xE2, 0x82]) == #"\xe2\x82"#)
    #expect(show([0xC3, 0xA4, 0xFF]) == #"ä\xff"#)
  }

  @Test func leavesBackslashesIfTold() {
    #expect(show(Array("C:\\x\n".utf8), escapesBackslash: false) == #"C:\x\n"#)
    #expect(TerminalText.visible("\\\u{1B}", escapesBackslash: false) == #"\\x1b"#)
  }

  @Test(arguments: [
    ("", ""), ("a", "a"), ("\n", #"\n"#), ("a\nb", #"a\nb"#), ("\r\n\r", #"\r\n\r"#),
    ("a\u{1B}\\\n\n", "a\u{1B}\\" + #"\n\n"#), ("a\rb\nc\r", #"a\rb\nc\r"#),
  ])
  func joinsLines(_ text: String, _ expected: String) {
    #expect(oneLine(text) == expected)
  }
}
