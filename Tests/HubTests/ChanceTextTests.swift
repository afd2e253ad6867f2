import Testing

@testable import Hub

@Suite struct ChanceTextTests {
  @Test("each five bits have a character of their own")
  func alphabet() {
    var texts: Set<[UInt8]> = []
    var characters: Set<UInt8> = []
    for digit in 0..<32 as Range<UInt32> {
      var text: [UInt8] = []
      ChanceText.append(digit, to: &text)
      texts.insert(text)
      characters.formUnion(text)
    }
    #expect(texts.count == 32)
    #expect(
      String(decoding: characters.sorted(), as: UTF8.self) == "23456789abcdefghijkmnpqrstuvwxyz")
    var text: [UInt8] = []
    ChanceText.append(.max, to: &text)
    #expect(text == bytes("zzzzzz"))
  }
}
