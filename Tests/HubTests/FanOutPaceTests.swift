import Hub
import Testing
import Timeline

struct FanOutPaceTests {
  private let start = Instant(nanoseconds: 5_000_000_000)

  private func at(_ milliseconds: Int64) -> Instant { start + .milliseconds(milliseconds) }

  @Test("Nothing, and a few frames, go out at once")
  func few() {
    var pace = FanOutPace()
    #expect(pace.due(start) == start)
    for moment in stride(from: Int64(0), to: 2_000, by: 10) {
      pace.note(20, at(moment))
      #expect(pace.due(at(moment)) == at(moment))
    }
  }

  @Test("What follows a crowd's frame waits for its window's end, and in the next window too")
  func burst() {
    var pace = FanOutPace()
    pace.note(FanOutPace.threshold + 1, start)
    #expect(pace.due(start) == start)
    pace.note(1, start)
    #expect(pace.due(start) == at(100))
    #expect(pace.due(at(99)) == at(100))
    #expect(pace.due(at(150)) == at(150))
    pace.note(1, at(150))
    #expect(pace.due(at(150)) == at(250))
  }

  @Test("After a quiet window nothing waits any more")
  func calm() {
    var pace = FanOutPace()
    pace.note(1_000_000, start)
    pace.note(1, at(200))
    #expect(pace.due(at(200)) == at(200))
    pace.note(.max, at(201))
    pace.note(.max, at(202))
    #expect(pace.due(at(202)) == at(300))
    pace.note(.max, at(203))
    #expect(pace.due(at(203)) == at(300))
  }
}
