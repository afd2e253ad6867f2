import Testing
import Timeline

@testable import Session

@Suite struct UndecidedLinesTests {
  @Test("lines are given away in their order, once, and counted until then")
  func lines() {
    var lines = UndecidedLines()
    let now = Timestamp(unixMilliseconds: 5)
    for number in 1...3 {
      lines.keep(
        UndecidedLines.Line(
          text: [UInt8](repeating: 0x31, count: number), number: number,
          id: MessageID(timestamp: now, chance: (0, 0, 0)), timestamp: now))
    }
    #expect(lines.byteCount == 6 + 3 * 96)
    #expect(lines.take().map(\.number) == [1, 2, 3])
    #expect(lines.take().isEmpty && lines.byteCount == 0 && lines.lines.isEmpty)
  }
}
