import Testing

@testable import Options

@Suite struct QuotedTests {
  @Test(arguments: [
    ("plain é 😀", "plain é 😀"), ("a\nb", "a\\u{a}b"), ("\u{1B}[31m", "\\u{1b}[31m"),
    ("\u{202E}x", "\\u{202e}x"), ("\u{2028}", "\\u{2028}"), ("\u{9B}", "\\u{9b}"), ("", ""),
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
