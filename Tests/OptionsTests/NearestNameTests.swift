import Testing

@testable import Options

@Suite struct NearestNameTests {
  private static let names = ["quiet", "query", "retries", "ping-timeout", "ping-interval", "for"]

  @Test(arguments: [
    ("quite", "quiet"), ("queri", "query"), ("retires", "retries"), ("ping-timout", "ping-timeout"),
    ("ping-i", "ping-interval"), ("fro", "for"), ("zebra", nil), ("", nil), ("x", nil),
    ("pi", nil), (String(repeating: "q", count: 41), nil),
  ])
  func theNearestIsFound(name: String, nearest: String?) {
    #expect(NearestName.find(name, among: NearestNameTests.names) == nearest)
  }

  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 1),
    ("abc", "abc", 0), ("abcd", "acbd", 1),
  ])
  func differencesAreCounted(a: String, b: String, distance: Int) {
    #expect(NearestName.distance(Array(a.utf8), Array(b.utf8)) == distance)
  }
}
