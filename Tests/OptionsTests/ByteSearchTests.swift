import Testing

@testable import Options

@Suite struct ByteSearchTests {
  @Test(arguments: [("ws://x", 2), ("://", 0), ("::://", 2), (":/", nil), ("", nil), ("é://", 2)])
  func theFirstPlaceIsFound(text: String, offset: Int?) {
    let found = ByteSearch.firstIndex(of: "://", in: text)
    #expect(found.map { text.utf8.distance(from: text.startIndex, to: $0) } == offset)
    #expect(ByteSearch.contains(text, "://") == (offset != nil))
  }
}
