import Testing

@testable import Options

@Suite struct ASCIITextTests {
  @Test func tokensAreThoseOfRFC9110() {
    let tokens = (UInt8.min...UInt8.max).filter(ASCIIText.isToken)
    let expected =
      "!#$%&'*+-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ^_`abcdefghijklmnopqrstuvwxyz|~"
    #expect(String(decoding: tokens, as: UTF8.self) == expected)
  }

  @Test(arguments: [
    ("a b", false), ("a\tb", true), ("\u{7F}", true), ("é\u{80}", false), ("", false),
  ])
  func controlsAreFound(text: String, has: Bool) {
    #expect(ASCIIText.hasControl(text) == has)
  }

  @Test(arguments: [
    ("  a b\t\r", "a b"), ("", ""), (" \t", ""), ("x", "x"), ("\u{A0}x", "\u{A0}x"),
  ])
  func blanksAroundGo(text: String, trimmed: String) {
    #expect(ASCIIText.trimmed(Substring(text)) == trimmed)
  }
}
