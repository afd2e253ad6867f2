import Testing

@testable import Session

@Suite struct NativeWordTests {
  @Test("each word is read from its own spelling, and from no other")
  func spelling() {
    for word in NativeWord.allCases { #expect(NativeWord(Array(word.rawValue.utf8)) == word) }
    for text in ["", "text", "Typing", "acks"] { #expect(NativeWord(Array(text.utf8)) == nil) }
  }
}
