import Testing

@testable import Options

@Suite struct QuotedTests {
  @Test(arguments: [
    ("plain é 😀", "plain é 😀"), ("a\nb", "a\\nb"), ("\u{1B}[31m", "\\x1b[31m"),
    ("\u{202E}x", "\\u202ex"), ("\u{2028}", "\\u2028"), ("\u{9B}", "\\u009b"), ("a\\b", "a\\b"),
    ("", ""),
  ])
  func whatATerminalMayObeyIsEscaped(text: String, shown: String) {
    #expect(Quoted.bare(text) == shown)
    #expect(Quoted.text(text) == "'\(shown)'")
  }

  @Test func longTextsAreCut() {
    let text = String(repeating: "x", count: 60)
    #expect(Quoted.bare(text) == text)
    #expect(Quoted.bare(text + "y") == text + "...")
  }
}
