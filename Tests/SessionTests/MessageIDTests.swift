import Testing
import Timeline

@testable import Session

@Suite struct MessageIDTests {
  private static let vectors: [(Int64, UInt32, UInt32, UInt32, String)] = [
    (
      Int64(0x017F_22E2_79B0), UInt32(0xFFFF_FCC3), UInt32(0x18C4_DC0C), UInt32(0x0C07_398F),
      "017f22e2-79b0-7cc3-98c4-dc0c0c07398f"
    ),
    (0, 0, 0, 0, "00000000-0000-7000-8000-000000000000"),
    (-5, .max, .max, .max, "00000000-0000-7fff-bfff-ffffffffffff"),
    (0x7FFF_FFFF_FFFF, 0, 0, 1, "7fffffff-ffff-7000-8000-000000000001"),
  ]

  @Test(arguments: vectors)
  func itHasTheFormOfRFC9562(
    milliseconds: Int64, first: UInt32, second: UInt32, third: UInt32, text: String
  ) {
    let id = MessageID(
      timestamp: Timestamp(unixMilliseconds: milliseconds), chance: (first, second, third))
    #expect(id.text == text)
    var bytes: [UInt8] = [0x20]
    id.append(to: &bytes)
    #expect(bytes == Array(" \(text)".utf8))
  }

  @Test func idsSortByTime() {
    let early = MessageID(timestamp: Timestamp(unixMilliseconds: 1), chance: (.max, .max, .max))
    let late = MessageID(timestamp: Timestamp(unixMilliseconds: 2), chance: (0, 0, 0))
    #expect(early.text < late.text && early != late)
  }
}
