import Testing

@testable import Hub

@Suite struct ByteKeyTests {
  @Test("other spellings of a character are another key")
  func spellings() {
    var table: [ByteKey: Int] = [:]
    for (index, text) in ["é", "e\u{301}", "", "A", "a", "\0"].enumerated() {
      table[ByteKey(bytes(text))] = index
    }
    #expect(table.count == 6)
    #expect(table[ByteKey(bytes("e\u{301}"))] == 1)
  }
}
